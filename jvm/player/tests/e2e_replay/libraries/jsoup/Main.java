import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.safety.Safelist;

/** Parses, selects and cleans HTML. */
public class Main {
    public static void main(String[] arguments) {
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            StringBuilder page = new StringBuilder("<html><head><title>Page " + i + "</title></head><body>");
            for (int row = 0; row < 40; row++) {
                page.append("<div class='row r").append(row % 3).append("'><a href='/p/").append(row)
                    .append("'>link &amp; ").append(row).append("</a><p>text<br>more<script>x()</script></div>");
            }
            Document document = Jsoup.parse(page + "<table><tr><td>unclosed", "http://here/");
            System.out.println(document.title() + " " + document.select("div.r1 > a[href]").size());
            for (Element link : document.select("a:contains(7)")) {
                System.out.println(link.absUrl("href") + " " + link.text());
            }
            document.select("p").wrap("<section></section>").first().attr("data-x", "<&>");
            System.out.println(document.body().html().length());
            System.out.println(Jsoup.clean(page.toString(), Safelist.basic()).length());
        }
    }
}
