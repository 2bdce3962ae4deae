package app;

import java.lang.reflect.Method;
import java.util.ServiceLoader;

/** A named module that opens little: what is inside needs no more rights than it had. */
public class Main {
    public static void main(String[] args) throws Exception {
        Inside inside = new Inside(21);
        System.out.println(inside.twice() + " " + Inside.class.getModule().isNamed());
        System.out.println(Inside.class.getModule().getDescriptor().requires().size());
        System.out.println(inside.reads() + inside.opens());
        Method twice = Inside.class.getDeclaredMethod("twice");
        System.out.println(twice.invoke(inside));
        System.out.println(ServiceLoader.load(Runnable.class).findFirst().isPresent());
    }

    static String reads(Module module) {
        return module.getName() + module.canRead(Object.class.getModule());
    }
}
