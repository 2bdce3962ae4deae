import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Class files of version 50 without frames: the JVM verifies them as it did those before, probes and all. */
public class Main {
    public static void main(String[] args) {
        Parser parser = new Parser(new Words());
        System.out.println(parser.parse("one two  three"));
        System.out.println(parser.parse(""));
        try {
            parser.parse(null);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(parser.longest);
    }
}

class Words {
    private final List<String> words = new ArrayList<String>();

    void add(String word) {
        words.add(word);
    }

    List<String> taken(Comparator<String> by) {
        List<String> taken = new ArrayList<String>(words);
        taken.sort(by);
        words.clear();
        return taken;
    }
}

class Parser implements Comparator<String> {
    static int parsed;
    private final Words words;
    String longest;

    Parser(Words words) {
        this.words = words == null ? new Words() : words;
        this.longest = "";
    }

    List<String> parse(String text) {
        int from = -1;
        try {
            for (int i = 0; i <= text.length(); i++) {
                char c = i < text.length() ? text.charAt(i) : ' ';
                switch (c) {
                    case ' ':
                        if (from >= 0) {
                            words.add(text.substring(from, i));
                        }
                        from = -1;
                        break;
                    default:
                        from = from < 0 ? i : from;
                        break;
                }
            }
        } catch (NullPointerException e) {
            throw new IllegalArgumentException("no text");
        } finally {
            parsed++;
        }
        return words.taken(this);
    }

    public int compare(String a, String b) {
        synchronized (this) {
            String longer = a.length() > b.length() ? a : b;
            longest = longer.length() > longest.length() ? longer : longest;
        }
        return a.length() != b.length() ? a.length() - b.length() : a.compareTo(b);
    }
}
