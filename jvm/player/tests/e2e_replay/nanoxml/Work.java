import java.io.ByteArrayOutputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.Enumeration;
import java.util.Random;
import java.util.function.IntFunction;
import net.n3.nanoxml.IXMLElement;
import net.n3.nanoxml.IXMLParser;
import net.n3.nanoxml.NonValidator;
import net.n3.nanoxml.StdXMLBuilder;
import net.n3.nanoxml.StdXMLParser;
import net.n3.nanoxml.StdXMLReader;
import net.n3.nanoxml.ValidatorPlugin;
import net.n3.nanoxml.XMLElement;
import net.n3.nanoxml.XMLException;
import net.n3.nanoxml.XMLParserFactory;
import net.n3.nanoxml.XMLWriter;

/** Parses, walks, changes and prints documents of all sorts, well-formed and not. */
public class Work implements IntFunction<String> {
    private static final int KINDS = 18;

    @Override
    public String apply(int input) {
        try {
            return run(document(input % KINDS, new Random(1000 + input)), input);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static String run(String text, int i) throws Exception {
        try {
            IXMLParser parser;
            if (i % 3 == 0) {
                parser = new StdXMLParser();
                parser.setBuilder(new StdXMLBuilder());
                parser.setValidator(new NonValidator());
                parser.setReader(new StdXMLReader(new StringReader(text)));
            } else {
                parser = XMLParserFactory.createDefaultXMLParser();
                parser.setReader(StdXMLReader.stringReader(text));
            }
            if (i % 7 == 3) {
                ValidatorPlugin validator = i % 2 == 0 ? new ValidatorPlugin() : new Strict();
                validator.setDelegate(parser.getValidator());
                parser.setValidator(validator);
            }
            IXMLElement root = (IXMLElement) parser.parse();
            StringBuilder walked = new StringBuilder();
            walk(root, walked, 0);
            if (i % 4 == 0) {
                IXMLElement added = root.createElement("added", "urn:a");
                added.setAttribute("n", Integer.toString(i));
                added.setContent("more & more");
                root.addChild(added);
                root.removeAttribute("a1");
                root.removeChild(added);
                root.addChild(new XMLElement("last"));
            }
            if (i % 5 == 0) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                new XMLWriter(bytes).write(root, i % 2 == 0, 2, i % 10 == 0);
                return walked + " " + bytes;
            }
            StringWriter out = new StringWriter();
            new XMLWriter(out).write(root, i % 2 == 0);
            return walked + " " + out;
        } catch (XMLException e) {
            return "line " + e.getLineNr() + " of " + e.getSystemID() + ": " + e.getMessage();
        } catch (RuntimeException e) {
            return e.toString();
        }
    }

    /** Has enough when an element of one name ends. */
    static final class Strict extends ValidatorPlugin {
        @Override
        public void elementEnded(String name, String systemId, int line) throws Exception {
            if (name.equals("e5")) {
                unexpectedElement(systemId, line, "root", name);
            }
            super.elementEnded(name, systemId, line);
        }
    }

    static void walk(IXMLElement element, StringBuilder out, int depth) {
        out.append(depth).append(element.getName()).append(element.getLineNr());
        for (Enumeration<?> names = element.enumerateAttributeNames(); names.hasMoreElements(); ) {
            String name = (String) names.nextElement();
            out.append(' ').append(name).append(element.getAttribute(name, "none"))
                .append(element.getAttribute(name, 7)).append(element.getAttributeType(name));
        }
        for (Enumeration<?> children = element.enumerateChildren(); children.hasMoreElements(); ) {
            walk((IXMLElement) children.nextElement(), out, depth + 1);
        }
        out.append(element.getFirstChildNamed("e1") == null).append(element.isLeaf());
    }

    static String document(int kind, Random random) {
        String body = element(random, "root", 4);
        switch (kind) {
            case 0: return "<?xml version=\"1.0\"?>\n" + body;
            case 1: return "<!DOCTYPE root [ <!ENTITY e \"an entity\"> ]>\n<root>&e;&e;</root>";
            case 2: return "<!DOCTYPE root [ <!ELEMENT root ANY> <!ATTLIST root a1 CDATA \"given\""
                + " id ID #IMPLIED> ]>\n" + body;
            case 3: return "<!DOCTYPE root [ <!ENTITY % p \"<!ENTITY q 'from p'>\"> %p; ]>\n"
                + "<root>&q;</root>";
            case 4: return "<n:root xmlns:n='urn:n' n:a='1'><n:x xmlns:n='urn:m'/></n:root>";
            case 5: return "<root><![CDATA[" + "<raw> ]] > & ".repeat(random.nextInt(9)) + "]]></root>";
            case 6: return "<?pi some thing?><!-- a comment --><root><?p?></root>";
            case 7: return "<root>" + "<e1 a='b'>text</e1>\n".repeat(300 + random.nextInt(300)) + "</root>";
            case 8: return "<root>&#65;&#x42;&lt;&gt;&amp;&quot;&apos;&unknown;</root>";
            case 9: return "<root><a></b></root>";
            case 10: return "<root a=1></root>";
            case 11: return "<root>" + body;
            case 12: return body + body;
            case 13: return "<root>\u00e4\u20ac\ud83d\ude00</root>";
            case 14: return "<!DOCTYPE root SYSTEM 'nowhere:x'>\n<root/>";
            case 15: return "";
            case 16: {
                int at = random.nextInt(body.length());
                return body.substring(0, at) + "<&\">x]".charAt(random.nextInt(6)) + body.substring(at);
            }
            default: return body.substring(0, random.nextInt(body.length()));
        }
    }

    static String element(Random random, String name, int depth) {
        StringBuilder text = new StringBuilder().append('<').append(name);
        for (int i = random.nextInt(3); i > 0; i--) {
            text.append(" a").append(i).append("='").append(random.nextInt(100)).append("&lt;'");
        }
        if (random.nextInt(4) == 0) {
            return text.append("/>").toString();
        }
        text.append('>');
        for (int i = depth == 0 ? 0 : random.nextInt(4); i > 0; i--) {
            switch (random.nextInt(4)) {
                case 0: text.append("text &amp; more "); break;
                case 1: text.append("<!-- a comment -->"); break;
                case 2: text.append("<![CDATA[ raw ]]>"); break;
                default: text.append(element(random, "e" + random.nextInt(9), depth - 1)); break;
            }
        }
        return text.append("</").append(name).append(">\n").toString();
    }
}
