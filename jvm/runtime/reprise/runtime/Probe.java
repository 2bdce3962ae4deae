package reprise.runtime;

import jdk.internal.vm.annotation.DontInline;

/**
 * What the code inserted into the subject's classes calls.
 *
 * Every branch of a probe is here or behind here, so that the inserted code has
 * none. The drawing in jvm/probes/src/probe.rs says which method is called
 * where. An even level is outside, an odd one inside: each crossing adds one,
 * and coming back from it takes it away. A token is the level at which a method
 * runs, times two, plus one when it was called from outside.
 */
public final class Probe {
    private Probe() {}

    // A method is entered and left.

    public static Recorder recorder() {
        return Recorders.current();
    }

    /** The method does not tell which elements of arrays it reads and writes: it is too large. */
    public static Recorder recorderUntold() {
        Watched.isUntold();
        return Recorders.current();
    }

    public static int enter(Recorder r, int method) {
        r.at = 0;
        int level = r.level;
        return (level & 1) != 0 ? level << 1 : Steps.enter(r, method);
    }

    public static int enterBare(Recorder r, int method) {
        int level = r.level;
        return (level & 1) != 0 ? level << 1 : Steps.enterBare(r, method);
    }

    public static int enter(Object self, Recorder r, int method) {
        r.at = 0;
        int level = r.level;
        return (level & 1) != 0 ? level << 1 : Steps.enter(self, r, method);
    }

    public static int enterBare(Object self, Recorder r, int method) {
        int level = r.level;
        return (level & 1) != 0 ? level << 1 : Steps.enterBare(self, r, method);
    }

    public static int enterBare(Object self, Object v, Recorder r, int method) {
        int level = r.level;
        return (level & 1) != 0 ? level << 1 : Steps.enterBare(self, v, r, method);
    }

    public static int enterBare(Object self, int v, Recorder r, int method) {
        int level = r.level;
        return (level & 1) != 0 ? level << 1 : Steps.enterBare(self, v, r, method);
    }

    public static void returns(Recorder r, int token) {
        if ((token & 1) != 0) {
            Steps.returns(r, token);
        }
    }

    @DontInline
    public static void constructed(Object value, Class<?> by, Recorder r, int token) {
        if ((token & 1) != 0) {
            r.constructed(value, by, token);
        }
    }

    @DontInline
    public static void caught(Throwable thrown, Recorder r, int token) {
        if (r.stripe >= 0) {
            r.abandon();
        }
        // Whoever was about to ask a loader has asked, or has failed to.
        r.loading.announced = false;
        if (r.level != token >> 1) {
            r.unwind(thrown, token >> 1);
        }
    }

    @DontInline
    public static void thrown(Throwable thrown, Recorder r, int token) {
        if (r.stripe >= 0) {
            r.abandon();
        }
        // Whoever was about to ask a loader has asked, or has failed to.
        r.loading.announced = false;
        if (r.level != token >> 1) {
            if (r.level < token >> 1) {
                return;
            }
            r.unwind(thrown, token >> 1);
        }
        if ((token & 1) != 0) {
            r.excOut(thrown);
        }
    }

    /**
     * A constructor cannot catch what super() or this() throws: what these were
     * called with as {@link #chained} stands for the one that the outside called.
     */
    public static void thrownNew(Throwable thrown, Recorder r, int token, int chain) {
        int from = (token & 1) != 0 ? token : chain;
        if ((from & 1) != 0 && r.level >= from >> 1) {
            caught(thrown, r, from);
            r.constructedNot(thrown);
        } else {
            thrown(thrown, r, token);
        }
    }

    /** A constructor is about to call super() or this(), inside. */
    public static void chains(Recorder r, int token, int chained) {
        r.chains(token, chained);
    }

    /** A constructor is entered. */
    public static int chained(Recorder r) {
        return r.chained();
    }

    // A call may leave.

    @DontInline
    public static void call(Object receiver, Recorder r, int site) {
        r.at = 0;
        if (receiver == null) {
            return;
        }
        ClassInfo info = Sites.leaving(receiver, null, site);
        if (info != null) {
            r.outCall(site);
            r.object(receiver, info);
        }
    }

    /** The same; if the receiver is a function, the first argument may decide. */
    @DontInline
    public static void callOn(Object receiver, Object first, Recorder r, int site) {
        r.at = 0;
        if (receiver == null) {
            return;
        }
        ClassInfo info = Sites.leaving(receiver, first, site);
        if (info != null) {
            r.outCall(site);
            r.object(receiver, info);
        }
    }

    @DontInline
    public static void callBare(Object receiver, Recorder r, int site) {
        if (receiver == null) {
            return;
        }
        ClassInfo info = Sites.leaving(receiver, null, site);
        if (info != null) {
            r.outCall(site);
            r.object(receiver, info);
            r.end();
        }
    }

    @DontInline
    public static void call(Object receiver, Object v, Recorder r, int site) {
        ClassInfo info = receiver == null ? null : Sites.leaving(receiver, v, site);
        if (info != null) {
            r.outCall(site);
            r.object(receiver, info);
            r.value(v);
            r.end();
        }
    }

    @DontInline
    public static void call(Object receiver, int v, Recorder r, int site) {
        ClassInfo info = receiver == null ? null : Sites.leaving(receiver, null, site);
        if (info != null) {
            r.outCall(site);
            r.object(receiver, info);
            if (r.at != 0) r.value(v);
            r.end();
        }
    }

    @DontInline
    public static void callStatic(Class<?> owner, Recorder r, int site) {
        r.at = 0;
        if (Fixed.leaves(owner, site)) {
            r.outCall(site);
        }
    }

    @DontInline
    public static void callStaticBare(Class<?> owner, Recorder r, int site) {
        if (Fixed.leaves(owner, site)) {
            r.outCall(site);
            r.end();
        }
    }

    @DontInline
    public static void callOut(Recorder r, int site) {
        r.outCall(site);
    }

    @DontInline
    public static void callOutBare(Recorder r, int site) {
        r.outCall(site);
        r.end();
    }

    @DontInline
    public static void callOut(Object v, Recorder r, int site) {
        r.outCall(site);
        r.value(v);
        r.end();
    }

    @DontInline
    public static void callOut(int v, Recorder r, int site) {
        r.outCall(site);
        if (r.at != 0) r.value(v);
        r.end();
    }

    /** A method of the inside that counts as outside was called: by the inside? */
    @DontInline
    public static boolean lend(Recorder r, int site) {
        r.at = 0;
        if ((r.level & 1) == 0) {
            return false;
        }
        r.outCall(site);
        return true;
    }

    public static boolean lendBare(Recorder r, int site) {
        boolean lent = lend(r, site);
        if (lent) {
            r.end();
        }
        return lent;
    }

    public static void lent(Recorder r, boolean lent) { if (lent) returned(r); }
    public static void lent(boolean v, Recorder r, boolean lent) { if (lent) returned(v, r); }
    public static void lent(byte v, Recorder r, boolean lent) { if (lent) returned(v, r); }
    public static void lent(char v, Recorder r, boolean lent) { if (lent) returned(v, r); }
    public static void lent(short v, Recorder r, boolean lent) { if (lent) returned(v, r); }
    public static void lent(int v, Recorder r, boolean lent) { if (lent) returned(v, r); }
    public static void lent(long v, Recorder r, boolean lent) { if (lent) returned(v, r); }
    public static void lent(float v, Recorder r, boolean lent) { if (lent) returned(v, r); }
    public static void lent(double v, Recorder r, boolean lent) { if (lent) returned(v, r); }
    public static void lent(Object v, Recorder r, boolean lent) { if (lent) returned(v, r); }

    public static void returned(Recorder r) {
        if ((r.level & 1) == 0) {
            Steps.returned(r);
        }
    }

    /** The caller is odd if nothing inside would notice that super() throws. */
    public static void callSuperInit(Recorder r, int site, String type, int caller) {
        r.outCall(site);
        r.expectSuper(type, (caller & 1) != 0);
    }

    public static void callSuperInitBare(Recorder r, int site, String type, int caller) {
        callSuperInit(r, site, type, caller);
        r.end();
    }

    public static void superReturned(Object value, Recorder r) {
        r.superReturned();
        if ((r.level & 1) == 0) {
            r.outCallRet(Type.REFERENCE);
            r.namesOnly();
            r.value(value);
            r.end();
        }
    }

    public static void superReturned(Recorder r) {
        r.superReturned();
        returned(r);
    }

    /** A lambda was made, or a reference to a method that is certainly inside. */
    public static void function(Object function) {
        ClassInfo.ofFunction(function.getClass());
    }

    public static void refers(Object function, Class<?> owner, int site) {
        ClassInfo info = ClassInfo.ofFunction(function.getClass());
        if (!info.refersKnown) {
            info.refersOutside = Native.refersOutside(owner, site);
            info.refersKnown = true;
        }
    }

    public static void refersByCaptured(Object function, int site) {
        ClassInfo.ofFunction(function.getClass()).refersBy(site, true);
    }

    public static void refersByFirst(Object function, int site) {
        ClassInfo.ofFunction(function.getClass()).refersBy(site, false);
    }

    public static void refersOutside(Object function) {
        ClassInfo.ofFunction(function.getClass()).refersOutside = true;
    }

    /** An object is being made that will be finalized; one that the outside makes will be mentioned. */
    public static void made(Object o, Recorder r, int token, int chain) {
        if (((token | chain) & 1) == 0) {
            r.expose(o);
        }
    }

    /** A lambda that is being made captures an object. */
    public static void captured(Object o, Recorder r) {
        r.expose(o);
    }

    // Arrays that both sides hold.

    public static void holds(Object array) {
        if (array != null) {
            Watched.add(array);
        }
    }

    /** An array comes in or goes out, unless the inside has called. */
    public static void crossesHeld(Object array, Recorder r, int token) {
        if ((token & 1) != 0) {
            holds(array);
        }
    }

    /** The inside puts an array into a field or an element: that matters if it has crossed. */
    public static void keeps(Object array) {
        if (array != null && Ids.isKnown(array)) {
            Watched.add(array);
        }
    }

    /** The same for what may be an array. */
    public static void keepsAny(Object o) {
        if (o != null && o.getClass().isArray()) {
            keeps(o);
        }
    }

    /** The inside is about to read an element. */
    public static void element(Object[] array, int index) {
        if (array != null && Watched.mayBe(array.length)) Watched.reads(array, index);
    }
    public static void element(char[] array, int index) {
        if (array != null && Watched.mayBe(array.length)) Watched.reads(array, index);
    }
    public static void element(short[] array, int index) {
        if (array != null && Watched.mayBe(array.length)) Watched.reads(array, index);
    }
    public static void element(int[] array, int index) {
        if (array != null && Watched.mayBe(array.length)) Watched.reads(array, index);
    }
    public static void element(long[] array, int index) {
        if (array != null && Watched.mayBe(array.length)) Watched.reads(array, index);
    }
    public static void element(float[] array, int index) {
        if (array != null && Watched.mayBe(array.length)) Watched.reads(array, index);
    }
    public static void element(double[] array, int index) {
        if (array != null && Watched.mayBe(array.length)) Watched.reads(array, index);
    }
    /** Of bytes or of booleans. */
    public static void element(Object array, int index) {
        if (isWatched(array)) Watched.reads(array, index);
    }

    /** It has written one. */
    public static void wrote(Object array, int index) {
        if (isWatched(array)) Watched.wrote(array, index);
    }

    /** It is about to read all elements of what may be an array. */
    public static void elements(Object array) {
        if (isWatched(array)) Watched.reads(array);
    }

    /** It has written some of them. */
    public static void wrote(Object array) {
        if (isWatched(array)) Watched.wrote(array);
    }

    private static boolean isWatched(Object array) {
        return Watched.isAny() && array != null && array.getClass().isArray()
            && Watched.mayBe(java.lang.reflect.Array.getLength(array));
    }

    // Fields.

    @DontInline
    public static void reads(Object receiver, Recorder r, int site) {
        r.at = 0;
        if (receiver == null) {
            return;
        }
        ClassInfo info = Sites.leaving(receiver, site);
        if (info != null) {
            r.access(Recorder.OUTREAD, site);
            r.object(receiver, info);
        } else {
            sharesField(r, site);
        }
    }

    @DontInline
    public static void writes(Object receiver, Recorder r, int site) {
        r.at = 0;
        if (receiver == null) {
            return;
        }
        ClassInfo info = Sites.leaving(receiver, site);
        if (info != null) {
            r.access(Recorder.OUTWRITE, site);
            r.object(receiver, info);
        } else {
            sharesField(r, site);
        }
    }

    /** A static field is about to be used; nothing but who declares it says on which side it is. */
    public static void resolves(Class<?> owner, int site) {
        Fixed.leaves(owner, site);
    }

    public static void touch(Recorder r, int site) {
        r.touch(site);
    }

    /** The same for a static field that may be one of the inside after all. */
    public static void touchStatic(Recorder r, int site) {
        if (!Fixed.stays(site)) {
            r.touch(site);
        }
    }

    public static void touched(Recorder r) {
        r.touched();
    }

    /**
     * The initialiser of an outside class begins: does it because of the inside? Then that is left
     * until it ends, at the level that is returned; else 0.
     */
    public static int begins(int site) {
        Recorder r = Recorders.known();
        if (r == null || (r.level & 1) == 0) {
            return 0;
        }
        r.touch(site);
        return r.level;
    }

    public static void ends(int level) {
        Recorder r = level == 0 ? null : Recorders.known();
        if (r != null && r.level == level) {
            r.touched();
        }
    }

    // The order of threads, and identity.

    public static void initialises(Recorder r, int method) {
        r.initialises(method);
    }

    public static void acquired(Object monitor, Recorder r) {
        Order.entered(r, Order.ofMonitor(monitor));
    }

    public static void waits(Object monitor, Recorder r) {
        if (monitor != null) {
            r.waitsAt = Order.ofMonitor(monitor);
        }
    }

    public static void waited(Recorder r) {
        r.waited();
    }

    public static void shares(Object receiver, Recorder r, int stripe) {
        if (receiver != null) {
            shares(r, stripe);
        }
    }

    public static void shares(Recorder r, int stripe) {
        r.stripe = stripe;
        Order.begin(r, stripe);
    }

    public static void shared(Recorder r) {
        Order.end(r, r.stripe);
        r.stripe = -1;
    }

    /** As for a field of an object; who declares it does not depend on one. */
    public static void sharesStatic(Recorder r, int site) {
        sharesField(r, site);
    }

    private static void sharesField(Recorder r, int site) {
        int stripe = Sites.stripe(site);
        if (stripe >= 0) {
            shares(r, stripe);
        }
    }

    public static void settled(Recorder r) {
        if (r.stripe >= 0) {
            shared(r);
        }
    }

    /** The same after what may have written to an array: nobody else has looked at it since. */
    public static void settled(Object array, Recorder r) {
        if (r.stripe >= 0) {
            wrote(array);
            shared(r);
        }
    }

    /** A call of a handle, which may be one for something inside. */
    public static void handle(Object handle, Recorder r, int site) {
        handleOn(handle, null, r, site);
    }

    /** The same with the object that is given first: an array, if it is one for elements. */
    public static void handleOn(Object handle, Object first, Recorder r, int site) {
        r.at = 0;
        if (!sharesByHandle(handle, first, r)) {
            call(handle, r, site);
        }
    }

    public static void handleBare(Object handle, Recorder r, int site) {
        if (!sharesByHandle(handle, null, r)) {
            callBare(handle, r, site);
        }
    }

    /** Whether a handle is for something inside, which is then about to be used. */
    private static boolean sharesByHandle(Object handle, Object first, Recorder r) {
        int stripe = handle == null ? -1 : Handles.stripe(handle);
        if (stripe < 0) {
            return false;
        }
        if (Handles.isOfArray(stripe)) {
            // Given anything but an array, it throws.
            sharesArray(first, r);
        } else {
            shares(r, stripe);
        }
        return true;
    }

    /** A call of Unsafe for memory within an object, which may be one of the inside. */
    public static void memory(Object unsafe, Object object, long at, Recorder r, int site) {
        r.at = 0;
        if (unsafe != null && object != null && object.getClass().isArray()) {
            sharesArray(object, r);
            return;
        }
        int stripe = unsafe == null || object == null ? -1 : Handles.stripe(object, at);
        if (stripe >= 0) {
            shares(r, stripe);
        } else {
            call(unsafe, r, site);
        }
    }

    // Elements that threads race for. What the outside has put there is recorded while nobody inside
    // writes, and with who was there last: a replay has it in its turn, and not before.

    private static void sharesArray(Object array, Recorder r) {
        boolean said = r.shares(Order.ofArray(array), -1);
        if (isWatched(array)) Watched.readsInTurn(array, r, said);
    }

    /** An element is about to be read, in its turn. */
    public static void readsElement(Object array, int index, Recorder r) {
        if (array != null) {
            boolean said = r.shares(Order.ofArray(array), -1);
            if (isWatched(array)) Watched.readsInTurn(array, index, r, said);
        }
    }

    public static void writesElement(Object array, int index, Recorder r) {
        if (array != null) {
            shares(r, Order.ofArray(array));
        }
    }

    public static void wroteElement(Object array, int index, Recorder r) {
        wrote(array, index);
        shared(r);
    }

    /** The elements of an array, and of another if there is one, are about to be moved. */
    public static void sharesArrays(Object one, Object other, Recorder r) {
        int first = stripeOfArray(one);
        int second = stripeOfArray(other);
        if (first < second) {
            int lower = first;
            first = second;
            second = lower;
        }
        if (first < 0) {
            return;
        }
        boolean said = r.shares(first, second == first ? -1 : second);
        if (isWatched(one)) said |= Watched.readsInTurn(one, r, said);
        if (isWatched(other)) Watched.readsInTurn(other, r, said);
    }

    private static int stripeOfArray(Object object) {
        return object == null || !object.getClass().isArray() ? -1 : Order.ofArray(object);
    }

    /** They were. */
    public static void sharedArrays(Object one, Object other, Recorder r) {
        wrote(one);
        wrote(other);
        if (r.stripe >= 0) {
            shared(r);
        }
        // One use, of two arrays.
        if (r.second >= 0) {
            Order.unlock(r.second);
            r.second = -1;
        }
    }

    public static void madeOffset(long at, Object field) {
        Handles.made(at, (java.lang.reflect.Field) field);
    }

    public static void madeHandle(Object handle, Class<?> owner, String name) {
        Handles.made(handle, owner, name);
    }

    public static void madeHandle(Object handle) {
        Handles.made(handle);
    }

    public static void compares(Object a, Object b, Recorder r) {
        if (a == null || b == null || a.getClass() != b.getClass()) {
            return;
        }
        if (ClassInfo.of(a.getClass()).isValue() && a.equals(b)) {
            r.compared(a == b);
        }
    }

    // Class loaders of the program.

    /** Whether the JVM asks a loader for a class of the runtime. */
    public static boolean isOwn(String name) {
        return name != null && name.startsWith("reprise.runtime.");
    }

    /** The same at an inside loader, of which others are asked for as well. */
    public static boolean asked(String name, int site) {
        if (isOwn(name)) {
            return true;
        }
        Recorders.current().loading.asked(site);
        return false;
    }

    public static void answered() {
        Recorders.current().loading.answered();
    }

    /** Inside code is about to ask what may be an inside loader. */
    public static void asks(Recorder r) {
        r.loading.announced = true;
    }

    public static void hasAsked(Recorder r) {
        r.loading.announced = false;
    }

    /** The class that it asks for. */
    public static Class<?> own(String name) throws ClassNotFoundException {
        return Class.forName(name, false, null);
    }

    // Other ways in. The outside calls these: nothing may come of what goes wrong.

    public static void fieldSet(Object field, Object object, int site) {
        try {
            Reflected.set(Recorders.current(), (java.lang.reflect.Field) field, object, site);
        } catch (RuntimeException | LinkageError unknown) {
            Native.left(String.valueOf(field), "it was set by reflection: " + unknown);
        }
    }

    public static void fieldGot(Object value, Object field, Object object, int site) {
        try {
            if (Found.isUnmentioned(value)) {
                Reflected.got(Recorders.current(), value, (java.lang.reflect.Field) field, object, site);
            }
        } catch (RuntimeException | LinkageError unknown) {
            Native.left(String.valueOf(field), "it was read by reflection: " + unknown);
        }
    }

    public static void reaches(Object owner, Object name) {
        if (owner != null && name != null) {
            Reflected.reaches((Class<?>) owner, (String) name);
        }
    }

    public static void reaches(Object field) {
        if (field != null) {
            java.lang.reflect.Field known = (java.lang.reflect.Field) field;
            Reflected.reaches(known.getDeclaringClass(), known.getName());
        }
    }

    /** The outside has made a handle for a field. */
    public static void reachesBy(Object handle, Object owner, Object name) {
        Handles.madeOutside(handle, (Class<?>) owner, (String) name);
    }

    /** The outside has used a handle, on an object if its field is not static. */
    public static void handleSet(Object handle, Object object, int site) {
        try {
            Handles.set(handle, object, site);
        } catch (RuntimeException | LinkageError unknown) {
            Native.left(String.valueOf(handle), "it has set a field: " + unknown);
        }
    }

    public static void handleSwapped(boolean done, Object handle, Object object, int site) {
        if (done) {
            handleSet(handle, object, site);
        }
    }

    public static void handleGot(Object value, Object handle, Object object, int site) {
        try {
            Handles.got(value, handle, object, site);
        } catch (RuntimeException | LinkageError unknown) {
            Native.left(String.valueOf(handle), "it has read a field: " + unknown);
        }
    }

    /** The outside has found an object in an inside field. */
    public static void inRead(Object receiver, Object v, int site) { if (!Fixed.leaves(site)) Found.inField(receiver, v, site); }
    public static void inReadStatic(Object v, int site) { if (!Fixed.leaves(site)) Found.inStatic(v, site); }
    public static void inReadElement(Object array, int index, Object v, int site) { Found.inArray(array, index, v, site); }

    /** `clone` was called on super: a copy is an object of its own, and has no number yet. */
    public static void copied(Object origin, Object copy) {
        if (copy == null || copy == origin || copy.getClass() != origin.getClass()) {
            return;
        }
        ClassInfo info = ClassInfo.of(copy.getClass());
        if (info.kind == ClassInfo.NUMBERED) {
            long number = Ring.U.getLong(copy, info.offset);
            if (number != 0 && number == Ring.U.getLong(origin, info.offset)) {
                Ring.U.putLong(copy, info.offset, 0);
            }
        }
    }

    // For values of each type: whether there is anything to do. What it is stands in Steps.

    public static void argument(boolean v, Recorder r) { if (r.at != 0) Steps.argument(v, r); }
    public static void argument(byte v, Recorder r) { if (r.at != 0) Steps.argument(v, r); }
    public static void argument(char v, Recorder r) { if (r.at != 0) Steps.argument(v, r); }
    public static void argument(short v, Recorder r) { if (r.at != 0) Steps.argument(v, r); }
    public static void argument(int v, Recorder r) { if (r.at != 0) Steps.argument(v, r); }
    public static void argument(long v, Recorder r) { if (r.at != 0) Steps.argument(v, r); }
    public static void argument(float v, Recorder r) { if (r.at != 0) Steps.argument(v, r); }
    public static void argument(double v, Recorder r) { if (r.at != 0) Steps.argument(v, r); }
    public static void argument(Object v, Recorder r) { if (r.at != 0) Steps.argument(v, r); }

    public static void last(boolean v, Recorder r) { if (r.at != 0) Steps.last(v, r); }
    public static void last(byte v, Recorder r) { if (r.at != 0) Steps.last(v, r); }
    public static void last(char v, Recorder r) { if (r.at != 0) Steps.last(v, r); }
    public static void last(short v, Recorder r) { if (r.at != 0) Steps.last(v, r); }
    public static void last(int v, Recorder r) { if (r.at != 0) Steps.last(v, r); }
    public static void last(long v, Recorder r) { if (r.at != 0) Steps.last(v, r); }
    public static void last(float v, Recorder r) { if (r.at != 0) Steps.last(v, r); }
    public static void last(double v, Recorder r) { if (r.at != 0) Steps.last(v, r); }
    public static void last(Object v, Recorder r) { if (r.at != 0) Steps.last(v, r); }

    /** A method has few returns: a short event of one is compiled into it. */
    public static void returns(boolean v, Recorder r, int token) {
        if ((token & 1) != 0 && !r.inCallRet(token, Type.BOOLEAN, v ? 1 : 0)) Steps.returns(v, r, token);
    }
    public static void returns(byte v, Recorder r, int token) { if ((token & 1) != 0) Steps.returns(v, r, token); }
    public static void returns(char v, Recorder r, int token) { if ((token & 1) != 0) Steps.returns(v, r, token); }
    public static void returns(short v, Recorder r, int token) { if ((token & 1) != 0) Steps.returns(v, r, token); }
    public static void returns(int v, Recorder r, int token) {
        if ((token & 1) != 0 && !r.inCallRet(token, Type.INT, Recorder.zigzag(v))) Steps.returns(v, r, token);
    }
    public static void returns(long v, Recorder r, int token) { if ((token & 1) != 0) Steps.returns(v, r, token); }
    public static void returns(float v, Recorder r, int token) { if ((token & 1) != 0) Steps.returns(v, r, token); }
    public static void returns(double v, Recorder r, int token) { if ((token & 1) != 0) Steps.returns(v, r, token); }
    public static void returns(Object v, Recorder r, int token) { if ((token & 1) != 0) Steps.returns(v, r, token); }

    public static void returned(boolean v, Recorder r) { if ((r.level & 1) == 0) Steps.returned(v, r); }
    public static void returned(byte v, Recorder r) { if ((r.level & 1) == 0) Steps.returned(v, r); }
    public static void returned(char v, Recorder r) { if ((r.level & 1) == 0) Steps.returned(v, r); }
    public static void returned(short v, Recorder r) { if ((r.level & 1) == 0) Steps.returned(v, r); }
    public static void returned(int v, Recorder r) { if ((r.level & 1) == 0) Steps.returned(v, r); }
    public static void returned(long v, Recorder r) { if ((r.level & 1) == 0) Steps.returned(v, r); }
    public static void returned(float v, Recorder r) { if ((r.level & 1) == 0) Steps.returned(v, r); }
    public static void returned(double v, Recorder r) { if ((r.level & 1) == 0) Steps.returned(v, r); }
    public static void returned(Object v, Recorder r) { if ((r.level & 1) == 0) Steps.returned(v, r); }

    public static void readStatic(boolean v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.readStatic(v, r, site); }
    public static void readStatic(byte v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.readStatic(v, r, site); }
    public static void readStatic(char v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.readStatic(v, r, site); }
    public static void readStatic(short v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.readStatic(v, r, site); }
    public static void readStatic(int v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.readStatic(v, r, site); }
    public static void readStatic(long v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.readStatic(v, r, site); }
    public static void readStatic(float v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.readStatic(v, r, site); }
    public static void readStatic(double v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.readStatic(v, r, site); }
    public static void readStatic(Object v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.readStatic(v, r, site); }

    public static void writeStatic(boolean v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.writeStatic(v, r, site); }
    public static void writeStatic(byte v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.writeStatic(v, r, site); }
    public static void writeStatic(char v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.writeStatic(v, r, site); }
    public static void writeStatic(short v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.writeStatic(v, r, site); }
    public static void writeStatic(int v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.writeStatic(v, r, site); }
    public static void writeStatic(long v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.writeStatic(v, r, site); }
    public static void writeStatic(float v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.writeStatic(v, r, site); }
    public static void writeStatic(double v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.writeStatic(v, r, site); }
    public static void writeStatic(Object v, Recorder r, int site) { if (!Fixed.stays(site)) Steps.writeStatic(v, r, site); }

    public static void inWrite(Object o, boolean v, int site) { if (!Fixed.leaves(site)) Steps.inWrite(o, v, site); }
    public static void inWrite(Object o, byte v, int site) { if (!Fixed.leaves(site)) Steps.inWrite(o, v, site); }
    public static void inWrite(Object o, char v, int site) { if (!Fixed.leaves(site)) Steps.inWrite(o, v, site); }
    public static void inWrite(Object o, short v, int site) { if (!Fixed.leaves(site)) Steps.inWrite(o, v, site); }
    public static void inWrite(Object o, int v, int site) { if (!Fixed.leaves(site)) Steps.inWrite(o, v, site); }
    public static void inWrite(Object o, long v, int site) { if (!Fixed.leaves(site)) Steps.inWrite(o, v, site); }
    public static void inWrite(Object o, float v, int site) { if (!Fixed.leaves(site)) Steps.inWrite(o, v, site); }
    public static void inWrite(Object o, double v, int site) { if (!Fixed.leaves(site)) Steps.inWrite(o, v, site); }
    public static void inWrite(Object o, Object v, int site) { if (!Fixed.leaves(site)) Steps.inWrite(o, v, site); }

    public static void inWriteStatic(boolean v, int site) { if (!Fixed.leaves(site)) Steps.inWriteStatic(v, site); }
    public static void inWriteStatic(byte v, int site) { if (!Fixed.leaves(site)) Steps.inWriteStatic(v, site); }
    public static void inWriteStatic(char v, int site) { if (!Fixed.leaves(site)) Steps.inWriteStatic(v, site); }
    public static void inWriteStatic(short v, int site) { if (!Fixed.leaves(site)) Steps.inWriteStatic(v, site); }
    public static void inWriteStatic(int v, int site) { if (!Fixed.leaves(site)) Steps.inWriteStatic(v, site); }
    public static void inWriteStatic(long v, int site) { if (!Fixed.leaves(site)) Steps.inWriteStatic(v, site); }
    public static void inWriteStatic(float v, int site) { if (!Fixed.leaves(site)) Steps.inWriteStatic(v, site); }
    public static void inWriteStatic(double v, int site) { if (!Fixed.leaves(site)) Steps.inWriteStatic(v, site); }
    public static void inWriteStatic(Object v, int site) { if (!Fixed.leaves(site)) Steps.inWriteStatic(v, site); }
}
