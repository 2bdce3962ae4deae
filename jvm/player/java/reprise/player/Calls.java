package reprise.player;

/** What the inside does, held against the recording. */
final class Calls {
    private final Replay replay;
    private final Player player;
    private final Mentions mentions;

    Calls(Player player, Mentions mentions) {
        this.replay = player.replay;
        this.player = player;
        this.mentions = mentions;
    }

    /**
     * The inside calls or writes something. False when the recording has no
     * answer to it and the replay goes on all the same.
     */
    boolean goesOut(int what, Site site, Object[] all, int from) {
        if (replay.oracle) {
            player.runsInside = false;
            if (!comes(what, site)) {
                return false;
            }
            Event event = player.take(null);
            int kind = what == Event.OUTCALL ? Fact.ARGUMENT : Fact.WRITE;
            // Arguments are counted from 1, behind the receiver.
            int first = event.values.length == site.parameters.length ? 1 : 0;
            for (int i = 0; i < event.values.length && from + i < all.length; i++) {
                compare(site, kind, first + i, event.values[i], all[from + i]);
            }
        } else {
            player.ahead();
            for (int i = from; i < all.length; i++) {
                mentions.mention(all[i]);
            }
        }
        for (int i = from; i < all.length; i++) {
            if (all[i] instanceof Object[]) {
                mentions.exposeElements((Object[]) all[i]);
            }
        }
        player.runsInside = false;
        replay.order.done(player.id);
        return true;
    }

    /** Whether the next event is the expected one, now or after what is skipped. */
    boolean comes(int what, Site site) {
        Event event = player.peek();
        if (isIt(event, what, site)) {
            return true;
        }
        if (event.what == Event.EXCOUT && isExhaustion(event)) {
            // There was no room left for the call.
            throw new StackOverflowError();
        }
        diverges(event, what == Event.SAME ? Fact.of(Fact.OTHER, "== on values")
            : new Fact(kind(what), site.title, 0, ""));
        return skipTo(what, site, event.depth);
    }

    private boolean isIt(Event event, int what, Site site) {
        return event.what == what
            && (what == Event.SAME || replay.recorded(event.id).isLike(site));
    }

    private boolean isExhaustion(Event event) {
        Value thrown = event.values.length == 0 ? null : event.values[0];
        return thrown != null && thrown.isObject() && thrown.isFirst()
            && replay.types.get(thrown.type).name.equals("java/lang/StackOverflowError");
    }

    /** Looks for the same at the same depth; what is open is not left. */
    private boolean skipTo(int what, Site site, int depth) {
        while (true) {
            Event event = player.peek();
            if (event.depth == depth) {
                if (isIt(event, what, site)) {
                    return true;
                }
                if (event.what == Event.INCALLRET || event.what == Event.EXCOUT) {
                    return false;
                }
            } else if (event.depth < depth) {
                return false;
            }
            skip();
        }
    }

    /** An event is left out; what it mentions may come again. */
    private void skip() {
        Event event = player.take(null);
        for (Value value : event.values) {
            if (value.isObject() && value.isFirst() && value.kind != Value.INSIDE) {
                mentions.resolve(value, null);
            }
        }
        for (Event array : event.arrays) {
            for (Value value : array.values) {
                if (value.isObject() && value.isFirst() && value.kind != Value.INSIDE) {
                    mentions.resolve(value, null);
                }
            }
        }
    }

    private void diverges(Event event, Fact actual) {
        replay.diverged(player.id, event.number, player.where(), player.line(), fact(event),
            actual);
    }

    /** One value of an event that goes out. */
    void compare(Site site, int kind, int index, Value expected, Object actual) {
        if (!mentions.same(expected, actual)) {
            player.diverged(new Fact(kind, site.title, index, mentions.text(expected)),
                new Fact(kind, site.title, index, mentions.text(actual)));
        }
    }

    /** The inside returns to the outside, or throws. */
    void returns(Method method, Event call, Object result, Throwable thrown) {
        Object out = thrown != null ? thrown : result;
        if (replay.oracle || method.isConstructor()) {
            int what = thrown != null ? Event.EXCOUT : Event.INCALLRET;
            Event event = player.peek();
            String title = method.title(replay);
            if (event.what != what) {
                Fact actual = thrown != null
                    ? new Fact(Fact.THROW, title, 0, mentions.text(thrown))
                    : new Fact(Fact.RETURN, title, 0, "");
                diverges(event, actual);
                skipReturn(call.depth + 1);
            } else {
                event = player.take(null);
                if (thrown == null && method.isConstructor() && event.values.length == 1
                        && event.values[0].kind == Value.CONSTANT) {
                    // It is the class.
                    mentions.mention(out);
                } else if (event.values.length == 1 && !mentions.same(event.values[0], out)) {
                    int kind = thrown != null ? Fact.THROW : Fact.RETURN;
                    player.diverged(new Fact(kind, title, 0, mentions.text(event.values[0])),
                        new Fact(kind, title, 0, mentions.text(out)));
                }
            }
        } else {
            mentions.mention(out);
        }
        if (out instanceof Object[]) {
            mentions.exposeElements((Object[]) out);
        }
    }

    /** Leaves out what the inside did not do before it returned. */
    private void skipReturn(int depth) {
        while (true) {
            Event event = player.peek();
            boolean closes = event.what == Event.INCALLRET || event.what == Event.EXCOUT;
            if (event.depth < depth) {
                return;
            }
            boolean last = closes && event.depth == depth;
            skip();
            if (last) {
                return;
            }
        }
    }

    private static int kind(int what) {
        return what == Event.OUTREAD ? Fact.READ : what == Event.OUTWRITE ? Fact.WRITE : Fact.CALL;
    }

    /** What was recorded, for people. */
    Fact fact(Event event) {
        switch (event.what) {
            case Event.OUTCALL: case Event.OUTREAD: case Event.OUTWRITE: case Event.TOUCH:
                return Fact.of(kind(event.what), replay.recorded(event.id).title);
            case Event.INCALLRET: case Event.EXCOUT: {
                int kind = event.what == Event.EXCOUT ? Fact.THROW : Fact.RETURN;
                String value = event.values.length == 0 ? "" : mentions.text(event.values[0]);
                return new Fact(kind, "", 0, value);
            }
            default:
                return Fact.of(Fact.OTHER, Event.name(event.what));
        }
    }

    /** Where there is no recorded result: the nothing of its type. */
    Object nothing(Site site) {
        String type = site.descriptor.substring(site.descriptor.indexOf(')') + 1);
        switch (type.charAt(0)) {
            case 'Z': return false;
            case 'B': return (byte) 0;
            case 'C': return (char) 0;
            case 'S': return (short) 0;
            case 'I': return 0;
            case 'J': return 0L;
            case 'F': return 0f;
            case 'D': return 0d;
            default: return null;
        }
    }
}
