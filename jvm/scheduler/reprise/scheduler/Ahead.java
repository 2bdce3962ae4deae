package reprise.scheduler;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * What threads come to behind the monitors and locks that they acquire: lines of the form
 * {@code ahead PLACE ELEMENT}. A monitor without a vector is free for everybody. Who enters it and then
 * has to wait for its turn at what the monitor guards keeps those out whose turn it is, and
 * the vectors clash although they go together. Each time that happens, the place and the element
 * are reported, and who comes to that place in later runs lets others go first while
 * its turn at the element has not come. Nobody has to: what is known of a place need not
 * hold each time, and if nobody else can go on, it goes.
 */
final class Ahead {
    private static final BitSet NOTHING = new BitSet();

    /** By place. */
    private final Map<Integer, BitSet> known = new HashMap<>();
    /** By site; null for not asked. */
    private BitSet[] sites = new BitSet[1024];

    /** From a line's words. */
    void add(String[] words) {
        BitSet elements = known.computeIfAbsent(Integer.valueOf(words[1]), place -> new BitSet());
        elements.set(Integer.parseInt(words[2]));
    }

    /** The elements that a thread comes to which goes on from a site. */
    BitSet of(int site) {
        if (site < 0 || known.isEmpty()) {
            return NOTHING;
        }
        if (site >= sites.length) {
            sites = java.util.Arrays.copyOf(sites, Math.max(site + 1, 2 * sites.length));
        }
        if (sites[site] == null) {
            sites[site] = known.getOrDefault(Native.place(site), NOTHING);
        }
        return sites[site];
    }

    /** A thread has gone on from a site, and keeps others from what it waits for. */
    void learn(int site, int element) {
        int place = site < 0 ? -1 : Native.place(site);
        BitSet elements = known.getOrDefault(place, NOTHING);
        if (place >= 0 && !elements.get(element)) {
            Ending.report("ahead", place + " " + element);
        }
    }
}
