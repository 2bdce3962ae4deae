package reprise.scheduler;

/** Whether it matters which of two places comes first: they use the same, and one changes it. */
final class Meeting {
    /** What the agent says of each place: what it uses, shifted by one, and whether it only reads. */
    private static int[] uses = new int[1024];

    private Meeting() {}

    static boolean meet(int one, int other) {
        int first = use(one);
        int second = use(other);
        return first >>> 1 == second >>> 1 && first >>> 1 != 0 && (first & second & 1) == 0;
    }

    private static int use(int site) {
        if (site < 0) {
            return 0;
        }
        if (site >= uses.length) {
            uses = java.util.Arrays.copyOf(uses, 2 * site);
        }
        if (uses[site] == 0) {
            uses[site] = Native.use(site);
        }
        return uses[site];
    }
}
