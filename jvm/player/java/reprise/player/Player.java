package reprise.player;

import java.util.ArrayDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * One recorded thread: the driver that makes the calls from outside, and the
 * stub that answers those from inside.
 */
final class Player extends Thread {
    final Replay replay;
    final int id;
    private final Mentions mentions;
    private final Calls calls;
    final Turns turns;
    /** Objects whose constructors are open, the innermost first. */
    private final ArrayDeque<Object> unborn = new ArrayDeque<>();
    private final CountDownLatch done = new CountDownLatch(1);
    /** The event that was played last. */
    private Event last;
    /** Where the inside is. */
    private Site at;
    private int ended;
    /**
     * Whether inside code runs, not the player's own. Where what goes out was not
     * kept, it does until what it mentions has its numbers: others wait for that.
     */
    volatile boolean runsInside;
    /** The class that another thread initialises before this one goes on; 0 for none. */
    volatile int waitsForClass;
    /** The monitor that the inside enters; null when it has it. */
    volatile Object enters;

    Player(Replay replay, int id, String name, long stack) {
        super(null, null, name, stack);
        this.replay = replay;
        this.id = id;
        mentions = new Mentions(this);
        calls = new Calls(this, mentions);
        turns = new Turns(this);
        setDaemon(true);
        replay.order.expect(id, this);
    }

    @Override
    public void run() {
        try {
            Event event = outside(null);
            replay.unplayable(id, event.number, Event.name(event.what) + " answers nothing");
        } catch (End end) {
            // As it should be.
        } catch (Unplayable wrong) {
            cannot(wrong.getMessage());
        } catch (Throwable failed) {
            cannot("the player failed: " + failed + at(failed));
        } finally {
            replay.order.leave(id);
            done.countDown();
        }
    }

    /** Says that the event which was taken last cannot be played. */
    void cannot(String why) {
        replay.unplayable(id, last == null ? 0 : last.number, why);
    }

    private static String at(Throwable failed) {
        StackTraceElement[] trace = failed.getStackTrace();
        return trace.length == 0 ? "" : " at " + trace[0];
    }

    /** Waits until the thread has played everything it had. */
    void await() throws InterruptedException {
        done.await();
    }

    /**
     * There is nothing more to play. Inside code may catch what is thrown here;
     * it is not asked a third time.
     */
    private End end() {
        if (++ended > 3) {
            replay.order.leave(id);
            done.countDown();
            while (true) {
                LockSupport.park();
            }
        }
        return new End();
    }

    Event peek() {
        Event event = next();
        if (event == null) {
            throw end();
        }
        return event;
    }

    /**
     * The next event of the inside: a class loader that the JVM had asked comes first, once the
     * thread has done all that it had done by then.
     */
    private Event next() {
        return next(false);
    }

    /** The same; perhaps no loader that was asked when the thread had mentioned more objects. */
    private Event next(boolean mentioned) {
        Event event = replay.order.peek(id);
        while (event != null && (turns.isPast(event)
                || isAsked(event) && (!mentioned || event.values[0].bits <= mentions.count()))) {
            boolean inside = runsInside;
            runsInside = false;
            take(null);
            if (event.what == Event.ORDER) {
                replay.order.done(id);
            } else {
                asked();
            }
            runsInside = inside;
            event = replay.order.peek(id);
        }
        return event;
    }

    private boolean isAsked(Event event) {
        return event.what == Event.TOUCH && replay.recorded(event.id).isAsked();
    }

    /** Plays what the JVM asks an inside loader. Nothing here waits for the answer. */
    private void asked() {
        Site before = at;
        Event answer = outside(null);
        if (answer.what != Event.TOUCHED) {
            throw new Unplayable(Event.name(answer.what) + " ends what a loader was asked");
        }
        fillAll(answer);
        replay.order.done(id);
        at = before;
    }

    /** The next event, if there is one; without one, the thread goes on while others do. */
    Event ahead() {
        Event event = next(true);
        if (event == null && !replay.order.isNeeded(id)) {
            throw end();
        }
        return event;
    }

    Event take(Object monitor) {
        Event event = replay.order.take(id, monitor);
        if (event == null) {
            throw end();
        }
        last = event;
        turns.took(event);
        replay.played.incrementAndGet();
        return event;
    }

    void diverged(Fact expected, Fact actual) {
        replay.diverged(id, last == null ? 0 : last.number, where(), line(), expected, actual);
    }

    /** The class and method that the inside is in; nothing when it has returned. */
    String where() {
        return at == null ? "" : at.where;
    }

    int line() {
        return at == null ? 0 : at.line;
    }

    /** An object gets its number here, although nothing mentions it. */
    void expose(Object o) {
        if (o != null && replay.objects.keyOf(o) == 0) {
            boolean inside = runsInside;
            runsInside = false;
            next(true);
            runsInside = inside;
            mentions.expose(o);
        }
    }

    /** The inside makes an object that has its number at once; one that the outside makes is mentioned later. */
    void made(Object o) {
        for (Object candidate : unborn) {
            if (candidate == o) {
                return;
            }
        }
        expose(o);
    }

    /** The object under construction that is mentioned for the first time. */
    Object unborn(Value value) {
        for (Object candidate : unborn) {
            if (mentions.fits(candidate, value)) {
                return candidate;
            }
        }
        return null;
    }

    // The part of the outside.

    /** Plays what the outside does until it answers. */
    private Event outside(Object monitor) {
        while (true) {
            Event event = take(monitor);
            switch (event.what) {
                case Event.INCALL:
                    inCall(event);
                    break;
                case Event.INWRITE:
                    inWrite(event);
                    break;
                case Event.ARRAY: case Event.ADOPT:
                    fillIn(event);
                    break;
                case Event.ORDER:
                    turns.follow(event, monitor);
                    break;
                default:
                    if (isAsked(event)) {
                        asked();
                        break;
                    }
                    if (event.isAnswer()) {
                        return event;
                    }
                    unexpected(event);
                    break;
            }
        }
    }

    /** It is the outside's turn, and the inside was to do something. */
    private void unexpected(Event event) {
        at = null;
        diverged(calls.fact(event), Fact.of(Fact.OTHER, "nothing"));
    }

    private void inCall(Event event) {
        Method method = replay.methods.get(event.id);
        if (method == null) {
            throw new Unplayable("there is no method " + event.id);
        }
        Object[] arguments = new Object[event.values.length];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = mentions.resolve(event.values[i], null);
        }
        fillAll(event);
        Object result = null;
        Throwable thrown = null;
        try {
            runsInside = true;
            replay.order.done(id);
            if (method.isConstructor()) {
                int type = event.type != 0 ? event.type : method.type;
                result = begun(replay.types.get(type).find(replay), event.type != 0);
                unborn.push(result);
                try {
                    method.invoke(replay, result, arguments);
                } finally {
                    unborn.pop();
                }
            } else if (method.isInitialiser()) {
                Memory.initialise(replay.types.get(method.type).find(replay));
            } else {
                result = method.invoke(replay, null, arguments);
            }
        } catch (End | Unplayable own) {
            throw own;
        } catch (ExceptionInInitializerError wrapped) {
            boolean own = method.isInitialiser() && wrapped.getCause() != null;
            thrown = own ? wrapped.getCause() : wrapped;
        } catch (Throwable any) {
            thrown = any;
        } finally {
            runsInside = !replay.oracle;
        }
        if (thrown instanceof ExceptionInInitializerError && thrown.getCause() instanceof End) {
            throw (End) thrown.getCause();
        }
        at = null;
        calls.returns(method, event, result, thrown);
        runsInside = false;
    }

    /**
     * The object that a constructor is called for: a new one, or the one that the
     * inside has begun, when its outside class calls an inside superclass.
     */
    private Object begun(Class<?> c, boolean bySubclass) {
        Object innermost = bySubclass ? unborn.peek() : null;
        boolean isIt = innermost != null && innermost.getClass() == c
            && replay.objects.keyOf(innermost) == 0;
        return isIt ? innermost : Memory.allocate(c);
    }

    /** The outside writes to a field, or has found an object in it that had no number yet. */
    private void inWrite(Event event) {
        Site site = replay.recorded(event.id);
        boolean isStatic = event.values.length == 1;
        Object receiver = isStatic ? null : mentions.resolve(event.values[0], null);
        if (receiver != null && receiver.getClass().isArray()) {
            found(event, site, receiver);
            return;
        }
        java.lang.reflect.Field field = field(site, isStatic
            ? replay.types.classFor(site.in, site.owner)
            : site.above(replay.types, receiver.getClass()));
        if (field == null) {
            throw new Unplayable("there is no field " + site.title);
        }
        Object content = Memory.get(receiver, field);
        Object value = mentions.resolve(event.values[event.values.length - 1], content);
        fillAll(event);
        if (content == null || content != value) {
            set(field, receiver, value);
        }
    }

    /** The outside has found an object in an array; the name of the site is its index. */
    private void found(Event event, Site site, Object array) {
        try {
            int index = Integer.parseInt(site.name.replaceAll("\\D", ""));
            Object content = java.lang.reflect.Array.get(array, index);
            mentions.resolve(event.values[event.values.length - 1], content);
        } catch (RuntimeException wrong) {
            throw new Unplayable("there is no element " + site.title);
        }
    }

    /** The field that a site names, as the JVM looks for it. */
    private static java.lang.reflect.Field field(Site site, Class<?> c) {
        if (c == null) {
            return null;
        }
        for (java.lang.reflect.Field field : c.getDeclaredFields()) {
            if (field.getName().equals(site.name)
                && Memory.descriptor(field.getType()).equals(site.descriptor)) {
                return field;
            }
        }
        for (Class<?> above : c.getInterfaces()) {
            java.lang.reflect.Field field = field(site, above);
            if (field != null) {
                return field;
            }
        }
        return field(site, c.getSuperclass());
    }

    Event last() {
        return last;
    }

    void fillAll(Event event) {
        for (Event other : event.arrays) {
            fillIn(other);
        }
        boolean inside = runsInside;
        Event part = event;
        while (part.more > 0) {
            runsInside = false;
            part = replay.order.take(id, null);
            if (part == null) {
                throw end();
            }
            if (!part.isPart()) {
                throw new Unplayable(Event.name(part.what) + " comes before what an object holds");
            }
            last = part;
            turns.took(part);
            fillIn(part);
        }
        runsInside = inside;
    }

    private void fillIn(Event part) {
        if (part.what == Event.ADOPT) {
            adopt(part);
        } else {
            fill(part);
        }
        for (Event other : part.arrays) {
            fillIn(other);
        }
    }

    /** What is in an object that came from nowhere. */
    private void adopt(Event event) {
        Object object = mentions.resolve(event.values[0], null);
        boolean isNew = mentions.adopted.remove(object);
        for (int i = 1; i + 2 < event.values.length; i += 3) {
            Type type = replay.types.get((int) event.values[i].bits);
            Object name = mentions.resolve(event.values[i + 1], null);
            java.lang.reflect.Field field = field(type.find(replay), name);
            Value value = event.values[i + 2];
            Object hint = isNew || !value.isObject() ? null : Memory.get(object, field);
            set(field, object, mentions.resolve(value, hint));
        }
    }

    private static java.lang.reflect.Field field(Class<?> c, Object name) {
        for (java.lang.reflect.Field field : c.getDeclaredFields()) {
            if (field.getName().equals(name)) {
                return field;
            }
        }
        throw new Unplayable("there is no field " + name + " in " + c.getName());
    }

    private static void set(java.lang.reflect.Field field, Object object, Object value) {
        try {
            field.setAccessible(true);
            field.set(object, value);
        } catch (ReflectiveOperationException | RuntimeException wrong) {
            throw new Unplayable("the field " + field + " cannot be written: " + wrong);
        }
    }

    /** What the outside has put into an array. */
    private void fill(Event event) {
        Object array = mentions.resolve(event.values[0], null);
        try {
            for (int i = 1; i < event.values.length; i++) {
                int index = event.id + i - 1;
                Value value = event.values[i];
                if (value.kind == Value.PACKED) {
                    System.arraycopy(value.packed, 0, array, index, (int) value.bits);
                    continue;
                }
                Object hint = value.isObject() && value.isFirst()
                    ? java.lang.reflect.Array.get(array, index) : null;
                java.lang.reflect.Array.set(array, index, mentions.resolve(value, hint));
            }
        } catch (RuntimeException wrong) {
            throw new Unplayable("an array cannot be filled: " + wrong);
        }
    }

    // The part of the stub.

    /** The inside goes on; at no moment does it look as if nothing were to come of it. */
    private void goesOn() {
        runsInside = true;
        replay.order.done(id);
    }

    Object call(Site site, Object[] all) {
        at = site;
        if (site.usesMemory() && replay.offsets.isInside(all[1], (Long) all[2])) {
            turns.shares();
            Object result = replay.offsets.use(site, all);
            turns.shared();
            return result;
        }
        if (!calls.goesOut(Event.OUTCALL, site, all, 0)) {
            return calls.nothing(site);
        }
        boolean waits = site.name.equals("wait") && all.length > 0
            && site.owner.equals("java/lang/Object");
        Event answer = outside(waits ? all[0] : null);
        at = site;
        if (waits) {
            turns.shared();
        }
        expect(answer, Event.OUTCALLRET);
        Object hint = replay.handles.made(site, all);
        if (site.name.equals("clone") && all.length == 1 && answer.values.length == 1
                && answer.values[0].isObject() && answer.values[0].isFirst()
                && answer.values[0].kind != Value.ARRAY && !all[0].getClass().isArray()) {
            hint = Memory.allocate(all[0].getClass());
            Memory.copy(all[0], hint);
        }
        if (site.name.equals("getClass") && all.length == 1 && answer.values.length == 1
                && answer.values[0].kind == Value.CONSTANT) {
            replay.constants.isClassOf((int) answer.values[0].bits, all[0]);
        }
        Object result = answer.values.length == 0 ? null : mentions.resolve(answer.values[0], hint);
        fillAll(answer);
        goesOn();
        return replay.offsets.here(site, all, result);
    }

    void construct(Site site, Object[] all) {
        at = site;
        if (!calls.goesOut(Event.OUTCALL, site, all, 1)) {
            return;
        }
        unborn.push(all[0]);
        Event answer;
        try {
            answer = outside(null);
        } finally {
            unborn.pop();
        }
        at = site;
        expect(answer, Event.OUTCALLRET);
        if (answer.values.length == 1) {
            Value value = answer.values[0];
            Object made = mentions.resolve(value, all[0]);
            if (made != all[0]) {
                if (value.isObject()) {
                    throw new Unplayable("a constructor of " + site.owner
                        + " was recorded with another object than its own");
                }
                Memory.copy(made, all[0]);
            }
        }
        fillAll(answer);
        goesOn();
    }

    Object read(Site site, Object[] all) {
        at = site;
        Event event = peek();
        if (event.what == Event.TOUCH && replay.recorded(event.id).isLike(site)) {
            take(null);
            event = outside(null);
            at = site;
            expect(event, Event.OUTREAD);
        } else if (calls.comes(Event.OUTREAD, site)) {
            event = take(null);
        } else {
            return calls.nothing(site);
        }
        int receivers = event.values.length - 1;
        if (receivers == 1 && all.length == 1) {
            calls.compare(site, Fact.READ, 0, event.values[0], all[0]);
        }
        Object value = mentions.resolve(event.values[receivers], null);
        fillAll(event);
        goesOn();
        return value;
    }

    /** Two values that are equal are compared by identity; whether they were the same. */
    boolean compared(Site site, boolean here) {
        at = site;
        if (!calls.comes(Event.SAME, site)) {
            return here;
        }
        Event event = take(null);
        fillAll(event);
        goesOn();
        return event.id != 0;
    }

    /** A class is resolved: outside code may run, or the class was not there. */
    void touches(Site site) {
        Event event = ahead();
        if (event != null && event.what == Event.TOUCH && replay.recorded(event.id).isLike(site)) {
            at = site;
            take(null);
            Event touched = outside(null);
            expect(touched, Event.TOUCHED);
            fillAll(touched);
            goesOn();
        }
    }

    void write(Site site, Object[] all) {
        at = site;
        if (calls.goesOut(Event.OUTWRITE, site, all, 0)) {
            if (replay.oracle) {
                // What the inside found in arrays afterwards.
                fillAll(last);
            }
            if (site.writesStatic()) {
                // Its class may have been initialised by that.
                touches(site);
            }
        }
    }

    Object allocate(Site site) {
        Type own = replay.types.get(site.in);
        Class<?> c = replay.types.used(own.loader, site.owner);
        Type type = replay.types.of(c);
        if (type != null && !type.inside) {
            touches(site);
            type.use();
        } else if (!site.isInitialised) {
            replay.initialisers.await(this, site);
        }
        return Memory.allocate(c);
    }

    /** An answer of another kind than asked for is an exception, or a broken recording. */
    private void expect(Event answer, int what) {
        if (answer.what == Event.EXCIN) {
            Object thrown = mentions.resolve(answer.values[0], null);
            fillAll(answer);
            goesOn();
            Player.<RuntimeException>raise(thrown == null ? new Unknown() : (Throwable) thrown);
        }
        if (answer.what != what) {
            throw new Unplayable(Event.name(answer.what) + " answers what "
                + Event.name(what) + " should");
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
