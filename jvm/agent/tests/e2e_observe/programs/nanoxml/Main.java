import java.io.StringWriter;
import java.util.Random;
import net.n3.nanoxml.IXMLElement;
import net.n3.nanoxml.IXMLParser;
import net.n3.nanoxml.StdXMLReader;
import net.n3.nanoxml.XMLException;
import net.n3.nanoxml.XMLParserFactory;
import net.n3.nanoxml.XMLWriter;

/** Parses and prints generated documents, well-formed and not. */
public class Main {
    public static void main(String[] args) throws Exception {
        int documents = Integer.parseInt(args[0]);
        Random random = new Random(42);
        for (int i = 0; i < documents; i++) {
            String text = document(random);
            if (random.nextInt(3) == 0) {
                int at = random.nextInt(text.length());
                text = text.substring(0, at) + "<&\">x".charAt(random.nextInt(5)) + text.substring(at);
            }
            try {
                IXMLParser parser = XMLParserFactory.createDefaultXMLParser();
                parser.setReader(StdXMLReader.stringReader(text));
                IXMLElement root = (IXMLElement) parser.parse();
                StringWriter out = new StringWriter();
                new XMLWriter(out).write(root, random.nextBoolean());
                System.out.println(root.getChildrenCount() + " " + out);
            } catch (XMLException e) {
                System.out.println("line " + e.getLineNr() + ": " + e.getMessage());
            } catch (RuntimeException e) {
                System.out.println(e);
            }
        }
    }

    static String document(Random random) {
        StringBuilder text = new StringBuilder("<?xml version=\"1.0\"?>\n");
        if (random.nextInt(3) == 0) {
            text.append("<!DOCTYPE root [ <!ENTITY e \"an entity\"> ]>\n");
        }
        element(random, text, "root", 4);
        return text.toString();
    }

    static void element(Random random, StringBuilder text, String name, int depth) {
        text.append('<').append(name);
        for (int i = random.nextInt(3); i > 0; i--) {
            text.append(" a").append(i).append("='").append(random.nextInt(100)).append("&lt;'");
        }
        if (random.nextInt(4) == 0) {
            text.append("/>");
            return;
        }
        text.append('>');
        for (int i = depth == 0 ? 0 : random.nextInt(4); i > 0; i--) {
            switch (random.nextInt(5)) {
                case 0: text.append("text &amp; more "); break;
                case 1: text.append("<![CDATA[ <raw> ]]>"); break;
                case 2: text.append("<!-- a comment -->"); break;
                case 3: text.append("<n:x xmlns:n='urn:n'>\n</n:x>"); break;
                default: element(random, text, "e" + random.nextInt(9), depth - 1); break;
            }
        }
        text.append("</").append(name).append(">\n");
    }
}
