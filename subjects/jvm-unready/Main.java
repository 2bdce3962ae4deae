import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;

/** Objects of the JDK whose classes need a native library that nobody loads in a replay. */
public class Main {
    public static void main(String[] args) {
        System.out.println(Health.check(ManagementFactory.getOperatingSystemMXBean()));
        System.out.println(Health.check("nothing of the kind"));
        System.out.println(Health.own());
    }
}

class Health {
    static boolean check(Object bean) {
        if (bean instanceof OperatingSystemMXBean) {
            return ((OperatingSystemMXBean) bean).getName().length() > 0;
        }
        return false;
    }

    static boolean own() {
        OperatingSystemMXBean first = ManagementFactory.getOperatingSystemMXBean();
        return first == ManagementFactory.getOperatingSystemMXBean() && check(first);
    }
}
