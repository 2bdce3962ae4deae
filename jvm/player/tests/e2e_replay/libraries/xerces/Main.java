import java.io.*;
import javax.xml.parsers.*;
import org.w3c.dom.*;
import org.xml.sax.*;
import org.xml.sax.helpers.DefaultHandler;

/** Parses documents, as trees and as events. */
public class Main extends DefaultHandler {
    private int elements;

    @Override
    public void startElement(String uri, String local, String name, Attributes attributes) {
        elements += 1 + attributes.getLength();
    }

    public static void main(String[] args) throws Exception {
        StringBuilder text = new StringBuilder("<!DOCTYPE list [<!ENTITY e 'entity'><!ATTLIST item kind CDATA 'plain'>]><list xmlns:x='urn:x'>");
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            text.append("<item id='" + i + "'><x:name>n&e;" + i + "</x:name><![CDATA[<" + i + ">]]></item>");
        }
        byte[] bytes = text.append("</list>").toString().getBytes("UTF-8");
        DocumentBuilderFactory trees = new org.apache.xerces.jaxp.DocumentBuilderFactoryImpl();
        trees.setNamespaceAware(true);
        Document document = trees.newDocumentBuilder().parse(new ByteArrayInputStream(bytes));
        NodeList items = document.getElementsByTagName("item");
        System.out.println(items.getLength() + " " + ((Element) items.item(3)).getAttribute("kind") + items.item(3).getTextContent());
        Main counter = new Main();
        SAXParserFactory events = new org.apache.xerces.jaxp.SAXParserFactoryImpl();
        events.newSAXParser().parse(new ByteArrayInputStream(bytes), counter);
        System.out.println(counter.elements);
        try {
            trees.newDocumentBuilder().parse(new ByteArrayInputStream("<a><b></a>".getBytes("UTF-8")));
        } catch (SAXParseException e) {
            System.out.println(e.getLineNumber() + ":" + e.getColumnNumber() + " " + e.getMessage());
        }
    }
}
