import org.apache.commons.text.StringEscapeUtils;
import org.apache.commons.text.StringSubstitutor;
import org.apache.commons.text.WordUtils;
import org.apache.commons.text.similarity.JaroWinklerSimilarity;
import org.apache.commons.text.similarity.LevenshteinDistance;

import java.util.Map;

/** Uses parts of commons-text. */
public class Main {
    public static void main(String[] args) {
        System.out.println(WordUtils.wrap(WordUtils.capitalizeFully("hello wide WORLD"), 5));
        System.out.println(new LevenshteinDistance().apply("kitten", "sitting"));
        System.out.println(new JaroWinklerSimilarity().apply("martha", "marhta"));
        System.out.println(StringEscapeUtils.escapeHtml4("<b>salt & pepper</b>"));
        System.out.println(StringSubstitutor.replace("${a} and ${b:-c}", Map.of("a", "x")));
    }
}
