import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Writes class files that no compiler of today writes. */
class Assembler {
    private final ByteArrayOutputStream pool = new ByteArrayOutputStream();
    private final DataOutputStream constants = new DataOutputStream(pool);
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final DataOutputStream methods = new DataOutputStream(body);
    private final int version;
    private final int self;
    private final int above;
    private final ByteArrayOutputStream declared = new ByteArrayOutputStream();
    private final DataOutputStream fields = new DataOutputStream(declared);
    private int count = 1;
    private int fieldCount;
    private int methodCount;
    /** The code that is being written. */
    private ByteArrayOutputStream code = new ByteArrayOutputStream();

    Assembler(int version, String name) throws IOException {
        this.version = version;
        self = type(name);
        above = type("java/lang/Object");
    }

    private int utf8(String text) throws IOException {
        constants.writeByte(1);
        constants.writeUTF(text);
        return count++;
    }

    private int one(int tag, int index) throws IOException {
        constants.writeByte(tag);
        constants.writeShort(index);
        return count++;
    }

    private int two(int tag, int first, int second) throws IOException {
        constants.writeByte(tag);
        constants.writeShort(first);
        constants.writeShort(second);
        return count++;
    }

    int type(String name) throws IOException {
        return one(7, utf8(name));
    }

    int string(String text) throws IOException {
        return one(8, utf8(text));
    }

    /** A method that is called: 10 of a class, 11 of an interface. */
    int member(int tag, String owner, String name, String descriptor) throws IOException {
        int type = type(owner);
        int what = utf8(name);
        return two(tag, type, two(12, what, utf8(descriptor)));
    }

    Assembler op(int... bytes) {
        for (int b : bytes) {
            code.write(b);
        }
        return this;
    }

    /** An opcode with an index or a distance of two bytes. */
    Assembler far(int opcode, int operand) {
        return op(opcode, operand >> 8, operand);
    }

    int at() {
        return code.size();
    }

    /** Ends a method; the rows are start, end, handler. A frame stands at each offset. */
    void method(int access, String name, String descriptor, int locals, int[] rows, int... frames)
            throws IOException {
        byte[] bytes = code.toByteArray();
        code = new ByteArrayOutputStream();
        int codeName = utf8("Code");
        methods.writeShort(access);
        methods.writeShort(utf8(name));
        methods.writeShort(utf8(descriptor));
        methods.writeShort(1);
        methods.writeShort(codeName);
        int table = frames.length == 0 ? 0 : 8 + 3 * frames.length;
        methods.writeInt(12 + bytes.length + 8 * rows.length / 3 + table);
        methods.writeShort(6);
        methods.writeShort(locals);
        methods.writeInt(bytes.length);
        methods.write(bytes);
        methods.writeShort(rows.length / 3);
        for (int i = 0; i < rows.length; i += 3) {
            methods.writeShort(rows[i]);
            methods.writeShort(rows[i + 1]);
            methods.writeShort(rows[i + 2]);
            methods.writeShort(0);
        }
        methods.writeShort(frames.length == 0 ? 0 : 1);
        if (frames.length > 0) {
            methods.writeShort(utf8("StackMapTable"));
            methods.writeInt(2 + 3 * frames.length);
            methods.writeShort(frames.length);
            int before = -1;
            for (int frame : frames) {
                methods.writeByte(251);
                methods.writeShort(frame - before - 1);
                before = frame;
            }
        }
        methodCount++;
    }

    void field(int access, String name, String descriptor) throws IOException {
        fields.writeShort(access);
        fields.writeShort(utf8(name));
        fields.writeShort(utf8(descriptor));
        fields.writeShort(0);
        fieldCount++;
    }

    /** Adds texts that nobody uses, until there are that many constants. */
    void fill(int constants) throws IOException {
        while (count < constants) {
            utf8("unused" + count);
        }
    }

    byte[] done() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xcafebabe);
        out.writeInt(version);
        out.writeShort(count);
        out.write(pool.toByteArray());
        out.writeShort(0x21);
        out.writeShort(self);
        out.writeShort(above);
        out.writeShort(0);
        out.writeShort(fieldCount);
        out.write(declared.toByteArray());
        out.writeShort(methodCount);
        out.write(body.toByteArray());
        out.writeShort(0);
        return bytes.toByteArray();
    }
}
