import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.CRC32;
import org.apache.commons.compress.archivers.ArchiveEntry;
import org.apache.commons.compress.archivers.ArchiveInputStream;
import org.apache.commons.compress.archivers.ArchiveStreamFactory;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveOutputStream;
import org.apache.commons.compress.compressors.CompressorStreamFactory;

/** Compressors and archives, there and back. */
public class Main {
    public static void main(String[] arguments) throws Exception {
        byte[] data = data(Integer.parseInt(arguments[0]));
        CompressorStreamFactory factory = new CompressorStreamFactory();
        for (String name : new String[] {"bzip2", "lz4-framed", "snappy-framed", "gz", "deflate"}) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (OutputStream out = factory.createCompressorOutputStream(name, bytes)) {
                out.write(data);
            }
            try (InputStream in = factory.createCompressorInputStream(name, new ByteArrayInputStream(bytes.toByteArray()))) {
                System.out.println(name + " " + bytes.size() + " " + sum(in.readAllBytes()));
            }
        }
        archives(data);
    }

    private static void archives(byte[] data) throws Exception {
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        try (TarArchiveOutputStream out = new TarArchiveOutputStream(tar)) {
            TarArchiveEntry entry = new TarArchiveEntry("folder/a.txt");
            entry.setSize(data.length);
            entry.setModTime(0L);
            out.putArchiveEntry(entry);
            out.write(data);
            out.closeArchiveEntry();
        }
        ByteArrayOutputStream zip = new ByteArrayOutputStream();
        try (ZipArchiveOutputStream out = new ZipArchiveOutputStream(zip)) {
            ZipArchiveEntry entry = new ZipArchiveEntry("b.txt");
            entry.setTime(0L);
            out.putArchiveEntry(entry);
            out.write(data);
            out.closeArchiveEntry();
        }
        list("tar", tar.toByteArray());
        list("zip", zip.toByteArray());
    }

    private static void list(String kind, byte[] bytes) throws Exception {
        try (ArchiveInputStream<?> in = new ArchiveStreamFactory().createArchiveInputStream(kind,
                new ByteArrayInputStream(bytes))) {
            for (ArchiveEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                System.out.println(kind + " " + entry.getName() + " " + sum(in.readAllBytes()));
            }
        }
    }

    private static byte[] data(int length) {
        byte[] data = new byte[length];
        for (int i = 0; i < length; i++) {
            data[i] = (byte) (i * 31 % 97 ^ i >> 6);
        }
        return data;
    }

    private static long sum(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }
}
