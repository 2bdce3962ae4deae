import sun.net.util.IPAddressUtil;
import sun.security.util.HexDumpEncoder;

/** Packages of the JDK that are exported to the program because it was started so, and one that is not. */
public class Main {
    public static void main(String[] args) {
        for (String text : new String[] {"127.0.0.1", "localhost"}) {
            System.out.println(text + ": " + new Addresses().kind(text));
        }
        System.out.println(new Dump().of(new byte[] {1, 2}));
    }
}

class Addresses {
    String kind(String text) {
        String by = IPAddressUtil.class.getSimpleName();
        return by + (IPAddressUtil.isIPv4LiteralAddress(text) ? " takes it for an address" : " does not");
    }
}

class Dump {
    String of(byte[] bytes) {
        try {
            return new HexDumpEncoder().encode(bytes);
        } catch (IllegalAccessError e) {
            return "not to be had";
        }
    }
}
