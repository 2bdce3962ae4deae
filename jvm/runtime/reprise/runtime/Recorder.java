package reprise.runtime;

import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * The events of one thread, as jvm/events/src/event.rs draws them.
 *
 * Most events are plain: nothing has to be said before or after them. These
 * take the quick way, which is compiled into the subject's methods and has to
 * be short; everything else is behind calls that are never inlined.
 */
public final class Recorder extends Ring {
    static final int INCALL = 1 << 4;
    static final int INCALLRET = 2 << 4;
    static final int OUTCALL = 3 << 4;
    static final int OUTCALLRET = 4 << 4;
    static final int OUTREAD = 5 << 4;
    static final int OUTWRITE = 6 << 4;
    static final int INWRITE = 7 << 4;
    static final int EXCIN = 8 << 4;
    static final int EXCOUT = 9 << 4;
    static final int TOUCH = 10 << 4;
    static final int TOUCHED = 11 << 4;
    static final int ARRAY = 12 << 4;
    static final int COUNT = 13 << 4;
    static final int ADOPT = 14 << 4;
    static final int DIFFERENT = 15 << 4 | 1;
    static final int SAME = 15 << 4 | 2;
    static final int AFTER = 15 << 4 | 3;
    static final int BEGIN = 15 << 4 | 4;

    /** Whether outgoing events are kept. */
    static boolean oracle = true;
    /** Whether threads that race for elements of arrays are kept in order. */
    static boolean races;
    /** The identifier of the Java thread. */
    final long tid;
    /** How often it was asked for while another was the favourite. */
    int asked;
    /** The number of this thread in the recording. */
    final int thread;
    /** Even outside, odd inside. */
    int level;
    /** The level to go to when the event that was begun is complete. */
    private int next;
    /** A site that may be initialising a class; 0 for none, or once it is said. */
    private int touching;
    /** How many objects this thread was the first to mention. */
    private long count;
    /** How many of them no event has mentioned. */
    private long silent;
    /** What has to be looked after before or after each event; 0 for nothing. */
    private int odd;
    private static final int SILENT = 1;
    private static final int CROSSING = 2;
    private static final int UNSETTLED = 4;
    private static final int SUPERS = 8;
    /** Whether the event that was begun is only counted. */
    private boolean unsaid;

    Recorder(long tid, int thread, String name) {
        super(thread, name);
        this.tid = tid;
        this.thread = thread;
        order = Order.count(thread);
    }

    /** What the event that is being written does with the arrays it mentions. */
    private int arrays;
    private static final int NAMES = 0;
    private static final int LEAVES = 4;
    private static final int GIVES = 1;
    private static final int BRINGS = 2;
    private static final int HOLDS = 3;
    private final Crossing crossing = new Crossing();
    /** Who asks inside class loaders. */
    final Loading loading = new Loading(this);
    /** The calls of outside super() that are open. */
    private final Supers supers = new Supers();

    /** The monitors that this thread has entered and the volatile fields it has used. */
    final Order.Count order;
    /** How many of them there were when this thread last had to follow another. */
    private long followed;
    private static final int INFOS = 512;
    /** What was known of the objects that were last at the same place. */
    private final ClassInfo[] infos = new ClassInfo[INFOS];
    /** And the objects themselves, as far as a map has their numbers. */
    private final Ids.Entry[] recent = new Ids.Entry[INFOS];
    private final Values.Text[] texts = new Values.Text[INFOS];
    /** The same for those that were mentioned last, by their hash. */
    private final Ids.Entry[] near = new Ids.Entry[INFOS];
    /** A number that stands for the site or method of the event. */
    private int place;
    /**
     * The token of the constructor that is about to call another of its object,
     * if what that throws leaves the inside; else 0.
     */
    private int chain;

    void chains(int token, int chained) {
        chain = (token & 1) != 0 ? token : chained;
    }

    int chained() {
        int chained = chain;
        chain = 0;
        return chained;
    }

    /** The stripe of volatile fields or of an array that this thread is using; -1 for none. */
    int stripe = -1;
    /** That of a second array. */
    int second = -1;
    /** Who was last at each of them. */
    int before;
    int beforeSecond;
    /** The stripe of the monitor that this thread waits at; 0 for none. */
    int waitsAt;

    /** Another thread was here before: what follows comes after all it did. */
    void follows(int other, long had) {
        stampAnew();
        next = level;
        incoming(AFTER);
        if (at != 0) {
            varint(order.had - followed);
            varint(other);
            varint(had);
            followed = order.had;
        }
        end();
    }

    /**
     * What follows has no place in the inside code, and a replay must not do it too soon: it comes
     * after as many uses of this very thread.
     */
    void pins() {
        if (order.had != followed) {
            follows(thread, order.had);
        }
    }

    /** The initialiser of a class begins: which thread does it is chance. */
    void initialises(int method) {
        next = level;
        incoming(BEGIN, method);
        end();
    }

    /** Waits for the turn at a stripe, and at another that is lower, if there is one. */
    boolean shares(int stripe, int second) {
        if (second >= 0) {
            // The lower one first, as everybody does.
            Order.lock(this, second);
            this.second = second;
        }
        Order.lock(this, stripe);
        this.stripe = stripe;
        boolean said = second >= 0 && Order.follow(this, second);
        return Order.follow(this, stripe) || said;
    }

    /** The use of a field or an element has failed. */
    void abandon() {
        if (second >= 0) {
            Order.abandon(second, beforeSecond);
            second = -1;
        }
        Order.abandon(stripe, before);
        stripe = -1;
    }

    /** Object.wait is over, and the monitor is held again. */
    void waited() {
        int stripe = waitsAt;
        if (stripe != 0) {
            waitsAt = 0;
            Order.entered(this, stripe);
        }
    }

    /** Two values that are equal were compared by identity. */
    void compared(boolean same) {
        next = level;
        incoming(same ? SAME : DIFFERENT);
        end();
    }

    /** Whether the next event is a plain one, as far as is known before it. */
    @ForceInline
    private boolean isPlain() {
        return (odd | touching) == 0;
    }

    /** What has to be looked after from here on. */
    private void look() {
        odd = (silent == 0 ? 0 : SILENT)
            | (crossing.isEmpty() ? 0 : CROSSING)
            | (crossing.unsettled == null ? 0 : UNSETTLED)
            | (supers.top() == 0 ? 0 : SUPERS);
    }

    /** Begins an INCALL and returns the token of the method. */
    @ForceInline
    int inCall(int method) {
        if (!isPlain() || !isLatest() || !begins(INCALL, method)) {
            return inCallOdd(method);
        }
        unsaid = false;
        arrays = BRINGS;
        place = method;
        int now = level + 1;
        next = now;
        return now << 1 | 1;
    }

    @DontInline
    private int inCallOdd(int method) {
        if (supers.top() == level && level != 0 && !supers.isActive()) {
            leaveSuper();
        }
        int now = level + 1;
        sayTouch();
        incoming(INCALL, method);
        if (crossing.unsettled != null) {
            crossing.unsettled.called(now, crossing);
        }
        next = now;
        if (at == 0) {
            level = now;
        }
        return now << 1 | 1;
    }

    @ForceInline
    void inCallRet(int token, int type) {
        next = (token >> 1) - 1;
        if (!isPlain() || !begins(INCALLRET | type)) {
            outgoing(INCALLRET | type);
            return;
        }
        unsaid = !oracle;
        arrays = LEAVES;
    }

    /**
     * A constructor of this class that the outside has called is done. The class of
     * the object may be another, and nothing else would say so: without the oracle,
     * or if no event was there when it got its number, that class stands in the object's
     * place.
     */
    void constructed(Object made, Class<?> by, int token) {
        boolean isUnsaid = !oracle || made.getClass() != by && wasExposed(made);
        if (!oracle) {
            expose(made);
        }
        outgoing(INCALLRET | Type.REFERENCE, true);
        next = (token >> 1) - 1;
        value(isUnsaid ? made.getClass() : made);
        end();
    }

    /** The numbers that were given without an event, the latest of them. */
    private final long[] exposed = new long[64];
    private int exposures;

    private void exposes() {
        count++;
        silent++;
        exposed[exposures++ & exposed.length - 1] = count;
        look();
    }

    /** Whether an object got its number without an event, or may have. */
    private boolean wasExposed(Object o) {
        ClassInfo info = ClassInfo.of(o.getClass());
        long id = info.kind == ClassInfo.NUMBERED ? U.getLong(o, info.offset) : Ids.number(o);
        long number = id & (1L << 40) - 1;
        if (id == 0 || id >>> 40 != thread) {
            return id != 0;
        }
        long oldest = exposed[exposures & exposed.length - 1];
        boolean found = number < oldest;
        for (int i = 0; !found && i < exposed.length; i++) {
            found = exposed[i] == number;
        }
        return found;
    }

    /** It has thrown. */
    void constructedNot(Throwable thrown) {
        outgoing(EXCOUT, true);
        finish(thrown);
    }

    @ForceInline
    void outCall(int site) {
        if (!isPlain() || !begins(OUTCALL, site)) {
            outCallOdd(site);
            return;
        }
        unsaid = !oracle;
        arrays = GIVES;
        place = site;
        next = level + 1;
    }

    @DontInline
    private void outCallOdd(int site) {
        int out = level + 1;
        outgoing(OUTCALL, site);
        arrays = GIVES;
        next = out;
        if (at == 0) {
            level = out;
        }
    }

    /** The outcall that was begun is super() in a constructor of this class. */
    void expectSuper(String type, boolean unnoticed) {
        supers.push(next, type, unnoticed);
        look();
    }

    void superReturned() {
        supers.pop();
        look();
    }

    /**
     * super() has thrown, and nothing could notice: its caller is outside, and
     * a constructor cannot catch what super() throws. What it was is not known.
     */
    private void leaveSuper() {
        int to = supers.top() - 2;
        supers.pop();
        look();
        // The method that is left is a constructor.
        unwind(null, to, true);
    }

    /** What the event that was begun mentions needs no words about what is in it. */
    void namesOnly() {
        arrays = NAMES;
    }

    @ForceInline
    void outCallRet(int type) {
        if (!isPlain() || !isLatest() || !begins(OUTCALLRET | type)) {
            outCallRetOdd(type);
            return;
        }
        unsaid = false;
        arrays = BRINGS;
        next = level - 1;
    }

    @DontInline
    private void outCallRetOdd(int type) {
        incoming(OUTCALLRET | type);
        next = level - 1;
        if (crossing.unsettled != null) {
            crossing.unsettled.returned(next, crossing);
        }
    }

    void excOut(Throwable thrown) {
        outgoing(EXCOUT);
        finish(thrown);
    }

    @ForceInline
    void access(int what, int site) {
        if (!isPlain() || !isLatest() || !begins(what, site)) {
            accessOdd(what, site);
            return;
        }
        boolean comesIn = what != OUTWRITE;
        unsaid = !comesIn && !oracle;
        arrays = comesIn ? BRINGS : LEAVES;
        place = site;
        next = level;
    }

    @DontInline
    private void accessOdd(int what, int site) {
        if (what == OUTWRITE) {
            outgoing(what, site);
        } else {
            incoming(what, site);
        }
        next = level;
    }

    void readsStatic(int site) {
        access(OUTREAD, site);
        if ((level & 1) == 0) {
            next = level - 1;
            touching = 0;
        }
    }

    /** Begins an INWRITE, unless the inside itself writes. */
    boolean inWrite(int site) {
        if ((level & 1) != 0 || site == 0) {
            return false;
        }
        sayTouch();
        incoming(INWRITE, site);
        next = level;
        return at != 0;
    }

    void touch(int site) {
        if ((level & 1) != 0) {
            level++;
            touching = site;
        }
    }

    void touched() {
        if ((level & 1) == 0) {
            next = level - 1;
            if (touching == 0) {
                incoming(TOUCHED);
                end();
            }
            touching = 0;
            level = next;
        }
    }

    /** An exception has arrived at a method that runs at this level. */
    void unwind(Throwable thrown, int to) {
        unwind(thrown, to, oracle);
    }

    private void unwind(Throwable thrown, int to, boolean said) {
        if (touching != 0 && isOwn(thrown)) {
            // The cast itself has failed, as it will again.
            touching = 0;
            level--;
        }
        waited();
        while (level > to) {
            sayTouch();
            if ((level & 1) == 0) {
                incoming(EXCIN);
            } else {
                outgoing(EXCOUT, said);
            }
            finish(thrown);
        }
        level = to;
        while (supers.top() > to) {
            supers.pop();
        }
        look();
    }

    /** Whether an instruction throws this on its own account. */
    private static boolean isOwn(Throwable thrown) {
        return thrown instanceof ClassCastException || thrown instanceof NegativeArraySizeException;
    }

    /** Outside code does run while a class is being initialised. */
    private void sayTouch() {
        if (touching != 0) {
            int site = touching;
            touching = 0;
            next = level;
            incoming(TOUCH, site);
            end();
        }
    }

    /** An exception ends a crossing. */
    private void finish(Object thrown) {
        next = level - 1;
        value(thrown);
        end();
    }

    private void incoming(int first) {
        order();
        unsaid = false;
        arrays = BRINGS;
        start();
        begin(first);
    }

    private void incoming(int first, int id) {
        order();
        unsaid = false;
        arrays = BRINGS;
        place = id;
        start();
        begin(first, id);
    }

    @DontInline
    private void outgoing(int first) {
        outgoing(first, oracle);
    }

    private void outgoing(int first, boolean said) {
        unsaid = !said;
        arrays = LEAVES;
        start();
        begin(first);
    }

    private void outgoing(int first, int id) {
        unsaid = !oracle;
        arrays = LEAVES;
        place = id;
        start();
        begin(first, id);
    }

    /** Objects that were only counted come first. */
    private void start() {
        if (silent != 0 && !unsaid) {
            begin(COUNT);
            if (at != 0) {
                varint(silent);
                publish();
            }
            silent = 0;
            look();
        }
    }

    /** An OUTCALLRET or, from a token, an INCALLRET, with a short number: the quick way. */
    @ForceInline
    boolean outCallRet(int type, long number) {
        if (!isPlain() || !isLatest() || !whole(OUTCALLRET | type, number)) {
            return false;
        }
        level--;
        return true;
    }

    @ForceInline
    boolean inCallRet(int token, int type, long number) {
        if (!isPlain() || !oracle || !whole(INCALLRET | type, number)) {
            return false;
        }
        level = (token >> 1) - 1;
        return true;
    }

    static long zigzag(int v) {
        return (v << 1 ^ v >> 31) & 0xffff_ffffL;
    }

    /**
     * The event that was begun is complete. The level changes last: a stack
     * that overflows before that leaves a crossing that has not happened.
     */
    @ForceInline
    void end() {
        if (odd != 0 || unsaid || at == 0) {
            endOdd();
            return;
        }
        publish();
        level = next;
    }

    @DontInline
    private void endOdd() {
        if (unsaid) {
            at = 0;
        } else if (at != 0) {
            publish();
        }
        if (!crossing.isEmpty()) {
            crossing.write(this, next);
        }
        look();
        level = next;
    }

    /** Whether an event can take one more element of an array. */
    boolean hasRoom() {
        return length() < 4096;
    }

    /** The outside has changed an array that the inside is about to read. */
    void changed(Object array, int type, int from, int to) {
        order();
        elements(array, type, from, to);
        // What is new there has come in.
        if (!crossing.isEmpty()) {
            crossing.write(this, level);
        }
        look();
        at = 0;
    }

    /** What an array holds from one index to another. */
    @DontInline
    void elements(Object array, int type, int from, int to) {
        ClassInfo info = ClassInfo.of(array.getClass());
        unsaid = false;
        do {
            start();
            begin(ARRAY | type);
            if (at == 0) {
                return;
            }
            arrays = NAMES;
            plain(array, info);
            varint(from);
            arrays = HOLDS;
            from = Elements.write(this, array, type, from, to);
            publish();
        } while (from < to);
    }

    /** An inside object came in that nothing had mentioned before: what is in it. */
    @DontInline
    void adopt(Object o, Adopted.Field[] fields) {
        unsaid = false;
        start();
        begin(ADOPT);
        if (at == 0) {
            return;
        }
        arrays = NAMES;
        value(o);
        arrays = HOLDS;
        for (Adopted.Field field : fields) {
            if (!hasRoom()) {
                break;
            }
            varint(field.type);
            varint(Values.string(field.name).number);
            U.putByte(at++, (byte) field.kind);
            field.write(this, o);
        }
        publish();
    }

    void value(boolean v) { U.putByte(at++, v ? (byte) 1 : 0); }
    void value(byte v) { U.putByte(at++, v); }
    void value(char v) { U.putCharUnaligned(null, at, v); at += 2; }
    void value(short v) { U.putShortUnaligned(null, at, v); at += 2; }
    void value(int v) { varint(zigzag(v)); }
    void value(long v) { varint(v << 1 ^ v >> 63); }
    void value(float v) { U.putIntUnaligned(null, at, Float.floatToRawIntBits(v)); at += 4; }
    void value(double v) { U.putLongUnaligned(null, at, Double.doubleToRawLongBits(v)); at += 8; }

    @ForceInline
    void value(Object o) {
        if (at == 0) {
            return;
        }
        if (o == null) {
            U.putByte(at++, (byte) 0);
            return;
        }
        ClassInfo info = infos[slot()];
        if (info != null && info.isOf(o.getClass())) {
            object(o, info);
        } else {
            another(o);
        }
    }

    /** Of another class than the last time. */
    @DontInline
    private void another(Object o) {
        if (o instanceof String) {
            constant(string((String) o));
        } else {
            ClassInfo info = ClassInfo.of(o.getClass());
            infos[slot()] = info;
            object(o, info);
        }
    }

    private int string(String s) {
        int slot = slot();
        Values.Text text = texts[slot];
        if (text == null || !text.isOf(s)) {
            text = Values.string(s);
            texts[slot] = text;
        }
        return text.number;
    }

    /** Where it is remembered what was at the same place of such an event the last time. */
    @ForceInline
    private int slot() {
        return (int) (at - start) + place * 5 & INFOS - 1;
    }

    /** An object, not null, whose class was looked up already. */
    @ForceInline
    void object(Object o, ClassInfo info) {
        if (at == 0) {
            return;
        }
        if (info.kind == ClassInfo.NUMBERED) {
            long id = U.getLong(o, info.offset);
            if (id >>> 40 == thread) {
                mine(id, info.space);
                return;
            }
        } else if (info.kind == ClassInfo.PLAIN && info.space == ClassInfo.OUTSIDE) {
            Ids.Entry last = recent[slot()];
            if (last != null && last.get() == o && last.id >>> 40 == thread) {
                mine(last.id, ClassInfo.OUTSIDE);
                return;
            }
        }
        other(o, info);
    }

    /** An object that this thread was the first to mention. */
    @ForceInline
    private void mine(long id, int space) {
        longVarint(1 + ((id & (1L << 40) - 1) << 3 | space));
    }

    @DontInline
    private void other(Object o, ClassInfo info) {
        switch (info.kind) {
            case ClassInfo.NUMBERED: numbered(o, info); break;
            case ClassInfo.PLAIN: plain(o, info); break;
            case ClassInfo.BOX: box(o, info.type); break;
            case ClassInfo.ENUM: constant(o, info); break;
            default: constant(Values.number(o, info)); break;
        }
    }

    /**
     * An object that the outside can reach from now on although no event
     * mentions it gets its number, and so do the elements of an array.
     */
    @DontInline
    void expose(Object o) {
        if (o == null || ended()) {
            return;
        }
        ClassInfo info = ClassInfo.of(o.getClass());
        if (info.kind == ClassInfo.NUMBERED) {
            if (U.getLong(o, info.offset) == 0 && U.compareAndSetLong(o, info.offset, 0, nextId())) {
                exposes();
            }
        } else if (info.kind == ClassInfo.PLAIN) {
            long mine = nextId();
            if (Ids.get(o, Ids.hash(o), mine).id == mine) {
                exposes();
                if (o instanceof Object[]) {
                    exposeElements((Object[]) o, 0, ((Object[]) o).length);
                }
            }
        }
    }

    /**
     * Most elements of an array are of one class and have their number. What the inside has
     * never seen has none, and is none of what it gives away: the outside has put it there.
     */
    @DontInline
    void exposeElements(Object[] array, int from, int to) {
        ClassInfo info = null;
        for (int i = from; i < to; i++) {
            Object o = array[i];
            if (o == null) {
                continue;
            }
            if (info == null || !info.isOf(o.getClass())) {
                info = ClassInfo.of(o.getClass());
            }
            boolean isNew = info.kind == ClassInfo.PLAIN
                || info.kind == ClassInfo.NUMBERED && U.getLong(o, info.offset) == 0;
            if (isNew && (info.space != ClassInfo.OUTSIDE || Found.isMadeUnseen(o))) {
                expose(o);
            }
        }
    }

    private void constant(int number) {
        varint(1 + ((long) number << 2 | 2));
    }

    /** A constant of an enum; one that no constructor has made has no name, and is none. */
    @DontInline
    private void constant(Object o, ClassInfo info) {
        if (((Enum<?>) o).name() != null) {
            constant(Values.number(o, info));
        } else if (info.offset != 0) {
            numbered(o, info);
        } else {
            plain(o, info);
        }
    }

    /** An object with a number of its own in a field. */
    @DontInline
    private void numbered(Object o, ClassInfo info) {
        long id = U.getLong(o, info.offset);
        if (id == 0) {
            id = nextId();
            if (U.compareAndSetLong(o, info.offset, 0, id)) {
                first(o, info);
                if (info.space == ClassInfo.INSIDE && (arrays == BRINGS || arrays == HOLDS)) {
                    crossing.adopts(o);
                    odd |= CROSSING;
                }
                return;
            }
            id = U.getLong(o, info.offset);
        }
        again(id, info.space);
    }

    /** Any other object: its number is in a map. */
    @DontInline
    private void plain(Object o, ClassInfo info) {
        long mine = nextId();
        int hash = Ids.hash(o);
        Ids.Entry entry = near[hash & INFOS - 1];
        if (entry == null || entry.get() != o) {
            entry = Ids.get(o, hash, mine);
            near[hash & INFOS - 1] = entry;
        }
        recent[slot()] = entry;
        long id = entry.id;
        boolean isFirst = id == mine;
        if (isFirst) {
            first(o, info);
            if (info.copies && (arrays == BRINGS || arrays == HOLDS)) {
                crossing.adopts(o);
                odd |= CROSSING;
            }
        } else {
            again(id, info.space);
        }
        if (info.space == ClassInfo.ARRAY) {
            if (arrays == GIVES || arrays == LEAVES) {
                goesOut(o);
            } else if (arrays == BRINGS || arrays == HOLDS && isFirst) {
                crossing.comesIn(o, isFirst);
            }
            odd |= crossing.isEmpty() ? 0 : CROSSING;
        }
    }

    /** An array goes out; what an outcall writes to it comes in when that returns, or when it is read. */
    private void goesOut(Object array) {
        if (races) {
            Watched.racedFor(array);
        }
        Watched.One one = Watched.of(array);
        if (array instanceof Object[] && (one == null || one.from < one.to)) {
            crossing.leaves((Object[]) array);
        }
        if (arrays == GIVES && one == null) {
            crossing.isGiven(array, next);
        }
    }

    /** Thread and number; the number is taken once {@link #first} says so. */
    private long nextId() {
        return (long) thread << 40 | count + 1;
    }

    private void first(Object o, ClassInfo info) {
        count++;
        if (unsaid) {
            silent++;
            odd |= SILENT;
        }
        varint(1 + info.space);
        varint(info.number);
        if (info.space == ClassInfo.ARRAY) {
            varint(java.lang.reflect.Array.getLength(o));
        }
    }

    private void again(long id, int space) {
        long number = id & (1L << 40) - 1;
        int owner = (int) (id >>> 40);
        if (owner == thread) {
            varint(1 + (number << 3 | space));
        } else {
            orderBegun();
            varint(1 + (number << 3 | 4 | space));
            varint(owner);
        }
    }

    @DontInline
    private void box(Object o, int type) {
        varint(1 + 2);
        U.putByte(at++, (byte) type);
        switch (type) {
            case Type.BOOLEAN: value(((Boolean) o).booleanValue()); break;
            case Type.BYTE: value(((Byte) o).byteValue()); break;
            case Type.CHAR: value(((Character) o).charValue()); break;
            case Type.SHORT: value(((Short) o).shortValue()); break;
            case Type.INT: value(((Integer) o).intValue()); break;
            case Type.LONG: value(((Long) o).longValue()); break;
            case Type.FLOAT: value(((Float) o).floatValue()); break;
            default: value(((Double) o).doubleValue()); break;
        }
    }
}
