package reprise.scheduler;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A schedule as the scheduler performs it: the lines that begin with {@code do} of the
 * plan that {@code reprise} wrote, words separated by tabs. The agent reads the others.
 */
final class Plan {
    enum What { EVENT, SWITCH, DIE, NOTIFY, TIMEOUT, TERMINATE, LOG, LOOP, REPEAT }

    /** A command. */
    static final class Step {
        final What what;
        /** Of a message: its level. Of an event: the place, how often it is reached, and whether one blocks there. */
        int site;
        long count;
        boolean in;
        /** Of an event and a message: as it was written. Of others: the thread. */
        String text;
        /** Of the end of a loop: where it begins, and how often it is to be performed. */
        int target;
        long times;
        /** Of the end of a loop: how often it still is. */
        long left;

        Step(What what) {
            this.what = what;
        }
    }

    final List<Step> steps = new ArrayList<>();
    /** Lines of the form {@code run THREAD END}, for a {@link Guide}. */
    final List<String[]> runs = new ArrayList<>();
    int events;

    static Plan read(String path) throws IOException {
        Plan plan = new Plan();
        Deque<Integer> loops = new ArrayDeque<>();
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(new FileInputStream(path), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.startsWith("do\t")) {
                    plan.add(line.split("\t", -1), loops);
                } else if (line.startsWith("run\t")) {
                    plan.runs.add(line.split("\t", -1));
                }
            }
        }
        return plan;
    }

    private void add(String[] words, Deque<Integer> loops) {
        Step step = new Step(What.valueOf(words[1]));
        switch (step.what) {
            case EVENT:
                step.site = Integer.parseInt(words[2]);
                step.count = Long.parseLong(words[3]);
                step.in = words[4].equals("in");
                step.text = words[5];
                events++;
                break;
            case LOG:
                step.site = Integer.parseInt(words[2]);
                step.text = words[3];
                break;
            case LOOP:
                loops.push(steps.size());
                break;
            case REPEAT:
                step.target = loops.pop();
                step.times = words[2].equals("inf") ? 0 : Long.parseLong(words[2]);
                step.left = step.times;
                break;
            default:
                step.text = words.length > 2 ? words[2] : "";
        }
        steps.add(step);
    }
}
