import java.io.*;
import org.apache.pdfbox.pdmodel.*;
import org.apache.pdfbox.pdmodel.font.PDType1Font;
import org.apache.pdfbox.text.PDFTextStripper;

/** Writes a document and reads it again. */
public class Main {
    public static void main(String[] args) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (PDDocument document = new PDDocument()) {
            for (int i = 0; i < Integer.parseInt(args[0]); i++) {
                PDPage page = new PDPage();
                document.addPage(page);
                try (PDPageContentStream content = new PDPageContentStream(document, page)) {
                    content.beginText();
                    content.setFont(PDType1Font.HELVETICA, 12);
                    content.newLineAtOffset(100, 700);
                    content.showText("Page " + i + " of a small document");
                    content.endText();
                }
            }
            document.save(out);
        }
        try (PDDocument document = PDDocument.load(out.toByteArray())) {
            System.out.println(new PDFTextStripper().getText(document));
        }
    }
}
