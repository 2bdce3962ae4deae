import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.store.ByteBuffersDirectory;

/** Indexes and searches. */
public class Main {
    private static final String[] WORDS = {"record", "replay", "run", "boundary", "event", "thread", "order", "class"};

    public static void main(String[] arguments) throws Exception {
        ByteBuffersDirectory directory = new ByteBuffersDirectory();
        IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer());
        config.setMergeScheduler(new SerialMergeScheduler());
        try (IndexWriter writer = new IndexWriter(directory, config)) {
            for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
                Document document = new Document();
                document.add(new TextField("text", WORDS[i % 8] + " " + WORDS[i * 3 % 7] + " the " + WORDS[i / 8 % 8],
                    Field.Store.YES));
                document.add(new IntPoint("number", i));
                writer.addDocument(document);
                if (i % 50 == 49) {
                    writer.commit();
                }
            }
        }
        try (DirectoryReader reader = DirectoryReader.open(directory)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            QueryParser parser = new QueryParser("text", new StandardAnalyzer());
            for (String query : new String[] {"record", "run AND event", "\"replay the\"", "thr*", "ordr~1", "-class"}) {
                ScoreDoc[] found = searcher.search(parser.parse(query), 3).scoreDocs;
                System.out.println(query + ": " + found.length);
                for (ScoreDoc one : found) {
                    System.out.println("  " + one.doc + " " + reader.storedFields().document(one.doc).get("text"));
                }
            }
            System.out.println(searcher.count(IntPoint.newRangeQuery("number", 10, 30)));
        }
    }
}
