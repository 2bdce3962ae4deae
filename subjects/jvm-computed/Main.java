import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;

/**
 * A constant that a bootstrap method computes. No Java source makes one, so the
 * class is written by hand: `Computed.get()` is `ldc` of such a constant.
 */
public class Main {
    public static String make(MethodHandles.Lookup lookup, String name, Class<?> type) {
        System.out.println("computing " + name);
        return "made " + name;
    }

    public static void main(String[] args) throws Exception {
        Class<?> computed = MethodHandles.lookup().defineClass(computed());
        for (int i = 0; i < 2; i++) {
            System.out.println(computed.getMethod("get").invoke(null));
        }
    }

    private static byte[] computed() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xcafebabe);
        out.writeInt(55);
        out.writeShort(19);
        utf8(out, "Computed"); // 1
        two(out, 7, 1); // 2 class
        utf8(out, "java/lang/Object"); // 3
        two(out, 7, 3); // 4 class
        utf8(out, "get"); // 5
        utf8(out, "()Ljava/lang/String;"); // 6
        utf8(out, "Code"); // 7
        utf8(out, "BootstrapMethods"); // 8
        utf8(out, "Main"); // 9
        two(out, 7, 9); // 10 class
        utf8(out, "make"); // 11
        utf8(out, "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/String;"); // 12
        four(out, 12, 11, 12); // 13 name and type
        four(out, 10, 10, 13); // 14 method
        out.writeByte(15); // 15 handle
        out.writeByte(6);
        out.writeShort(14);
        utf8(out, "Ljava/lang/String;"); // 16
        four(out, 12, 5, 16); // 17 name and type of the constant
        four(out, 17, 0, 17); // 18 the constant
        out.writeShort(0x21);
        out.writeShort(2);
        out.writeShort(4);
        out.writeShort(0);
        out.writeShort(0);
        out.writeShort(1);
        out.writeShort(9);
        out.writeShort(5);
        out.writeShort(6);
        out.writeShort(1);
        out.writeShort(7);
        out.writeInt(15);
        out.writeShort(1);
        out.writeShort(0);
        out.writeInt(3);
        out.writeByte(18);
        out.writeByte(18);
        out.writeByte(176);
        out.writeShort(0);
        out.writeShort(0);
        out.writeShort(1);
        out.writeShort(8);
        out.writeInt(6);
        out.writeShort(1);
        out.writeShort(15);
        out.writeShort(0);
        return bytes.toByteArray();
    }

    private static void utf8(DataOutputStream out, String text) throws IOException {
        out.writeByte(1);
        out.writeUTF(text);
    }

    private static void two(DataOutputStream out, int tag, int index) throws IOException {
        out.writeByte(tag);
        out.writeShort(index);
    }

    private static void four(DataOutputStream out, int tag, int a, int b) throws IOException {
        out.writeByte(tag);
        out.writeShort(a);
        out.writeShort(b);
    }
}
