import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The JDK's collections, streams and formatting call back, to any depth. */
public class Main {
    public static void main(String[] args) {
        Deck deck = new Deck();
        System.out.println(deck.hashes());
        System.out.println(deck.trees());
        System.out.println(deck.streams());
        System.out.println(deck.computes(6));
        System.out.println(deck.formats());
        System.out.println(String.join("-", deck.names()));
        int sum = 0;
        for (int n : deck) {
            sum += n;
        }
        System.out.println(sum + deck.removes());
        System.out.println(deck.nested(4));
        Map<Card, String> map = new HashMap<>();
        map.put(new Card(1), "one");
        map.put(new Card(1), "uno");
        System.out.println(map + " " + map.get(new Card(1)) + map.containsKey(new Card(2)));
        System.out.println(deck.breaks());
        System.out.println(deck.groups());
    }
}

class Card implements Comparable<Card> {
    final int rank;
    static int asked;

    Card(int rank) {
        this.rank = rank;
    }

    @Override
    public int hashCode() {
        asked++;
        return rank % 3;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Card && ((Card) other).rank == rank;
    }

    @Override
    public int compareTo(Card other) {
        return Integer.compare(other.rank, rank);
    }

    @Override
    public String toString() {
        return String.format("[%d]", rank);
    }
}

class Deck implements Iterable<Integer> {
    private final List<Card> cards = new ArrayList<>();
    private final Map<Integer, Long> known = new HashMap<>();

    Deck() {
        for (int i = 0; i < 6; i++) {
            cards.add(new Card(i * 7 % 5));
        }
    }

    String hashes() {
        HashSet<Card> set = new HashSet<>(cards);
        boolean has = set.contains(new Card(3)) && !set.contains(new Card(9));
        set.remove(new Card(0));
        return set.size() + " " + has + cards.indexOf(new Card(4)) + cards.contains(new Card(8)) + set.equals(new HashSet<>(cards));
    }

    String trees() {
        TreeSet<Card> natural = new TreeSet<>(cards);
        TreeMap<Card, String> map = new TreeMap<>(Comparator.comparingInt((Card card) -> card.rank).reversed().thenComparing(card -> card.toString()));
        for (Card card : cards) {
            map.merge(card, "x", (a, b) -> a + b);
        }
        PriorityQueue<Card> queue = new PriorityQueue<>((a, b) -> a.rank - b.rank);
        queue.addAll(cards);
        List<Card> sorted = new ArrayList<>(cards);
        sorted.sort(null);
        sorted.sort(Comparator.reverseOrder());
        return natural.first() + "" + map + queue.poll() + queue.peek() + sorted;
    }

    String streams() {
        List<Integer> squares = cards.stream().filter(card -> card.rank > 0).map(card -> card.rank * card.rank).distinct().sorted().collect(Collectors.toList());
        int sum = IntStream.range(0, cards.size()).filter(i -> i % 2 == 0).map(i -> cards.get(i).rank).sum();
        String joined = cards.stream().sorted().map(Card::toString).limit(2).collect(Collectors.joining("|"));
        return squares + " " + sum + joined + cards.stream().mapToInt(card -> card.rank).max().getAsInt() + cards.stream().reduce(0, (n, card) -> n * 2 + card.rank, Integer::sum);
    }

    long computes(int n) {
        if (n < 2) {
            return 1;
        }
        long sum = 0;
        for (int i = 0; i < n; i++) {
            long below = computes(i);
            sum += known.computeIfAbsent(i, key -> key + below);
        }
        known.compute(n, (key, old) -> old == null ? 1 : old + 1);
        known.replaceAll((key, old) -> old + 1);
        known.computeIfPresent(0, (key, old) -> null);
        return sum;
    }

    String formats() {
        StringBuilder text = new StringBuilder();
        text.append(cards.get(1)).append(this).append((Object) null);
        return String.format("%s %-6s|%5s %d%%", cards.get(0), cards, this, Card.asked % 1) + text + java.util.Objects.toString(cards.get(2)) + cards.hashCode() % 1000;
    }

    List<String> names() {
        List<String> names = new ArrayList<>();
        cards.forEach(card -> names.add(card.toString()));
        return names;
    }

    @Override
    public Iterator<Integer> iterator() {
        return new Iterator<Integer>() {
            private int at;

            @Override
            public boolean hasNext() {
                return at < cards.size();
            }

            @Override
            public Integer next() {
                if (at == cards.size()) {
                    throw new NoSuchElementException();
                }
                return cards.get(at++).rank;
            }
        };
    }

    int removes() {
        cards.removeIf(card -> card.rank == 2);
        forEach(n -> Card.asked += n);
        for (Iterator<Card> all = cards.iterator(); all.hasNext();) {
            if (all.next().rank == 4) {
                all.remove();
            }
        }
        return cards.size();
    }

    int nested(int depth) {
        Map<Card, Integer> map = new LinkedHashMap<>();
        return map.computeIfAbsent(new Card(depth), card -> card.rank == 0 ? 1
            : cards.stream().mapToInt(other -> card.rank == depth ? nested(card.rank - 1) + other.rank : 0).sum());
    }

    String breaks() {
        try {
            cards.forEach(card -> {
                if (card.rank == 3) {
                    throw new IllegalStateException("three");
                }
            });
            return "whole";
        } catch (IllegalStateException e) {
            return e.getMessage();
        }
    }

    String groups() {
        Map<Boolean, List<Card>> parts = cards.stream().collect(Collectors.partitioningBy(card -> card.rank > 1));
        TreeMap<Integer, Long> counts = cards.stream().collect(Collectors.groupingBy(card -> card.rank % 2, TreeMap::new, Collectors.counting()));
        return parts + " " + counts;
    }

    @Override
    public String toString() {
        return "deck of " + cards.size();
    }
}
