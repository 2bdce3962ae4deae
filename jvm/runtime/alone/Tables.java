package reprise.runtime;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What was found out when the jar was instrumented. The bytes are drawn in
 * jvm/ahead/src/tables.rs.
 */
final class Tables {
    static final String NAME = "META-INF/reprise/tables";
    private static final long MAGIC = 0x5250524148454144L;
    private static final int VERSION = 1;

    /** The member that a site names. */
    static final class Site {
        int opcode;
        String owner;
        String name;
        String descriptor;
        boolean leavesValue;
    }

    /** A class file of the jar. */
    static final class File {
        int release;
        int id;
        String name;
        boolean inside;
        /** Entries of the recording's tables, as they are written. */
        final List<byte[]> entries = new ArrayList<>();
        /** Declared members: name and descriptor; those of native methods have a `!` in front. */
        final Set<String> members = new HashSet<>();
        String superclass;
        /** Those of the volatile fields. */
        final Set<String> volatiles = new HashSet<>();
    }

    static String reprise = "";
    static int callsVersion;
    static int tablesVersion;
    static String[] patterns = {};
    static boolean oracle;
    static boolean races;
    static int builders;
    static int classes;
    static String[] limits = {};
    private static Site[] sites = {};
    /** By name with slashes, each in the version for this release. */
    private static final Map<String, File> FILES = new HashMap<>();

    private Tables() {}

    static Site site(int number) {
        return number > 0 && number < sites.length ? sites[number] : null;
    }

    static File file(String name) {
        return FILES.get(name);
    }

    static Iterable<File> files() {
        return FILES.values();
    }

    static void read(InputStream from) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(from, 1 << 16))) {
            if (in.readLong() != MAGIC || in.readInt() != VERSION) {
                throw new IOException("the jar was instrumented by another version of reprise");
            }
            reprise = text(in);
            callsVersion = in.readInt();
            tablesVersion = in.readInt();
            patterns = texts(in);
            oracle = in.readBoolean();
            races = in.readBoolean();
            builders = in.readByte();
            limits = texts(in);
            classes = in.readInt();
            sites = new Site[in.readInt() + 1];
            int release = Runtime.version().feature();
            for (int left = in.readInt(); left > 0; left--) {
                File file = file(in);
                File known = FILES.get(file.name);
                if (file.release <= release && (known == null || known.release < file.release)) {
                    FILES.put(file.name, file);
                }
            }
        }
    }

    private static File file(DataInputStream in) throws IOException {
        File file = new File();
        file.release = in.readInt();
        file.id = in.readInt();
        file.name = text(in);
        file.inside = in.readBoolean();
        for (int left = in.readInt(); left > 0; left--) {
            file.entries.add(in.readNBytes(in.readInt()));
        }
        for (int left = in.readInt(); left > 0; left--) {
            Site site = new Site();
            sites[in.readInt()] = site;
            site.opcode = in.readUnsignedByte();
            site.owner = text(in);
            site.name = text(in);
            site.descriptor = text(in);
            site.leavesValue = in.readBoolean();
        }
        for (String member : texts(in)) {
            file.members.add(member);
        }
        file.superclass = text(in);
        for (String field : texts(in)) {
            file.volatiles.add(field);
        }
        return file;
    }

    private static String[] texts(DataInputStream in) throws IOException {
        String[] texts = new String[in.readInt()];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = text(in);
        }
        return texts;
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }
}
