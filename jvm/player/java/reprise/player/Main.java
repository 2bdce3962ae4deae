package reprise.player;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;

/** Plays recordings, one after another, as they come in. */
public final class Main {
    private Main() {}

    /** Reads scripts from the standard input and reports on the standard output. */
    public static void main(String[] arguments) throws Exception {
        DataInputStream in = new DataInputStream(
            new BufferedInputStream(new FileInputStream(FileDescriptor.in), 1 << 16));
        Report report = new Report(new DataOutputStream(
            new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 12)));
        while (in.readBoolean()) {
            new Replay(in, report).run(in);
        }
        Runtime.getRuntime().halt(0);
    }
}
