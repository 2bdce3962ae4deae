package reprise.player;

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** What is said to the program that started this JVM, as jvm/player/src/report.rs reads it. */
final class Report {
    private static final int DIVERGED = 1;
    private static final int DONE = 2;
    private static final int UNPLAYABLE = 3;
    private static final int LONGEST = 2000;

    private final DataOutputStream out;

    Report(DataOutputStream out) {
        this.out = out;
    }

    static void text(DataOutputStream out, String text) throws IOException {
        String cut = text.length() > LONGEST ? text.substring(0, LONGEST) + "…" : text;
        byte[] bytes = cut.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    synchronized void diverged(int thread, long number, String where, int line, Fact expected,
            Fact actual) {
        try {
            out.writeByte(DIVERGED);
            out.writeInt(thread);
            out.writeLong(number);
            text(out, where);
            out.writeInt(line);
            expected.write(out);
            actual.write(out);
            out.flush();
        } catch (IOException gone) {
            Runtime.getRuntime().halt(1);
        }
    }

    synchronized void done(long events, long divergences) {
        try {
            out.writeByte(DONE);
            out.writeLong(events);
            out.writeLong(divergences);
            out.flush();
        } catch (IOException gone) {
            Runtime.getRuntime().halt(1);
        }
    }

    synchronized void unplayable(int thread, long number, String why) {
        try {
            out.writeByte(UNPLAYABLE);
            out.writeInt(thread);
            out.writeLong(number);
            text(out, why);
            out.flush();
        } catch (IOException gone) {
            Runtime.getRuntime().halt(1);
        }
    }
}
