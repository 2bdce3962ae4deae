import org.jruby.Ruby;

/** Ruby: objects, blocks, expressions, exceptions, a thread. */
public class Main {
    public static void main(String[] args) {
        Ruby ruby = Ruby.newInstance();
        String[] lines = {
            "class Card; include Comparable; attr_reader :rank; def initialize(rank); @rank = rank; end",
            "def <=>(other) = rank <=> other.rank; end",
            "$said = [3, 1, 2].map { |rank| Card.new(rank) }.sort.map(&:rank).inspect",
            "hash = Hash.new { |all, key| all[key] = key * 2 }; (1..50).each { |key| hash[key] }",
            "$said += \" #{hash.values.sum}\"",
            "begin; raise ArgumentError, 'no'; rescue => error; $said += \" #{error.message}\"; end",
            "$said += ' ' + Thread.new { 5.times.map { |i| i * i } }.value.inspect",
            "$said += ' ' + 'a1b22c333'.scan(/[a-z](\\d+)/).flatten.join('-')",
            "$said",
        };
        System.out.println(ruby.evalScriptlet(String.join("\n", lines)));
        ruby.tearDown();
    }
}
