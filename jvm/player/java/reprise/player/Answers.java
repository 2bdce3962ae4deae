package reprise.player;

/** The part of the stub in one thread: it answers what the inside asks. */
final class Answers {
    private final Player player;
    private final Replay replay;
    private final Mentions mentions;
    private final Calls calls;
    private final Contents contents;

    Answers(Player player) {
        this.player = player;
        this.replay = player.replay;
        this.mentions = player.mentions;
        this.calls = player.calls;
        this.contents = player.contents;
    }

    Object call(Site site, Object[] all) {
        player.at = site;
        if (site.usesMemory() && replay.offsets.isInside(all[1], (Long) all[2])) {
            player.turns.shares();
            Object result = replay.offsets.use(site, all);
            player.turns.shared();
            return result;
        }
        if (!calls.goesOut(Event.OUTCALL, site, all, 0)) {
            return calls.nothing(site);
        }
        boolean waits = site.name.equals("wait") && all.length > 0
            && site.owner.equals("java/lang/Object");
        Event answer = player.driver.plays(waits ? all[0] : null);
        player.at = site;
        if (waits) {
            player.turns.shared();
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
        contents.fillAll(answer);
        player.goesOn();
        return replay.offsets.here(site, all, result);
    }

    void construct(Site site, Object[] all) {
        player.at = site;
        if (!calls.goesOut(Event.OUTCALL, site, all, 1)) {
            return;
        }
        player.unborn.push(all[0]);
        Event answer;
        try {
            answer = player.driver.plays(null);
        } finally {
            player.unborn.pop();
        }
        player.at = site;
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
        contents.fillAll(answer);
        player.goesOn();
    }

    Object read(Site site, Object[] all) {
        player.at = site;
        Event event = player.peek();
        if (event.what == Event.TOUCH && replay.recorded(event.id).isLike(site)) {
            player.take(null);
            event = player.driver.plays(null);
            player.at = site;
            expect(event, Event.OUTREAD);
        } else if (calls.comes(Event.OUTREAD, site)) {
            event = player.take(null);
        } else {
            return calls.nothing(site);
        }
        int receivers = event.values.length - 1;
        if (receivers == 1 && all.length == 1) {
            calls.compare(site, Fact.READ, 0, event.values[0], all[0]);
        }
        Object value = mentions.resolve(event.values[receivers], null);
        contents.fillAll(event);
        player.goesOn();
        return value;
    }

    /** Two values that are equal are compared by identity; whether they were the same. */
    boolean compared(Site site, boolean here) {
        player.at = site;
        if (!calls.comes(Event.SAME, site)) {
            return here;
        }
        Event event = player.take(null);
        contents.fillAll(event);
        player.goesOn();
        return event.id != 0;
    }

    /** A class is resolved: outside code may run, or the class was not there. */
    void touches(Site site) {
        touches(player.ahead(), site);
    }

    private void touches(Event event, Site site) {
        if (event != null && event.what == Event.TOUCH && replay.recorded(event.id).isLike(site)) {
            player.at = site;
            player.take(null);
            Event touched = player.driver.plays(null);
            expect(touched, Event.TOUCHED);
            contents.fillAll(touched);
            player.goesOn();
        }
    }

    /**
     * An inside class is about to be initialised, and before it what is above: if that ran because of
     * the inside, this is what it did. The player itself may need the class as well, and then it did
     * nothing.
     */
    void initialises(Site site) {
        Site before = player.at;
        try {
            if (player.driver.isEarly()) {
                player.driver.playsEarly();
            } else if (player.runsInside) {
                player.runsInside = false;
                touches(player.next(true), site);
                player.runsInside = true;
            }
        } finally {
            player.at = before;
            replay.initialisers.ended(site.in);
        }
    }

    void write(Site site, Object[] all) {
        player.at = site;
        if (calls.goesOut(Event.OUTWRITE, site, all, 0)) {
            if (replay.oracle) {
                // What the inside found in arrays afterwards.
                contents.fillAll(player.last());
            }
            if (site.writesStatic()) {
                // Its class may have been initialised by that.
                touches(site);
            }
        }
    }

    Object allocate(Site site) {
        int loader = replay.types.get(site.in).loader;
        Type seen = replay.types.seen(loader, site.owner);
        if (seen != null && seen.missing) {
            touches(site);
        }
        Class<?> c = replay.types.used(loader, site.owner);
        Type type = replay.types.of(c);
        if (type != null && !type.inside) {
            touches(site);
        } else if (!site.isInitialised) {
            replay.initialisers.await(player, site);
            // The initialisers run now.
            player.runsInside = true;
        }
        return Memory.allocate(c);
    }

    /** An answer of another kind than asked for is an exception, or a broken recording. */
    private void expect(Event answer, int what) {
        if (answer.what == Event.EXCIN) {
            Object thrown = mentions.resolve(answer.values[0], null);
            contents.fillAll(answer);
            player.goesOn();
            Answers.<RuntimeException>raise(thrown == null ? new Unknown() : (Throwable) thrown);
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
