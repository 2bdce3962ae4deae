/**
 * Objects that the inside makes and keeps to itself come in for the first time when they are finalized. They
 * are the ones it made, and what they hold is what it still uses.
 */
public class Main {
    private static Object seen;
    private static int times;

    public static void main(String[] args) throws Exception {
        Keeper keeper = new Keeper();
        keeper.makes(100);
        for (int i = 0; i < 500 && times() == 0; i++) {
            System.gc();
            System.runFinalization();
            Thread.sleep(10);
        }
        System.out.println(times() > 0 && seen == keeper.state());
        System.out.println(keeper.weighs(new Loud(keeper.state())) + " " + keeper.weighs(new Trigger(keeper.state(), 1)));
        System.out.println(keeper.made());
    }

    static synchronized void sees(Object state) {
        seen = state;
        times++;
    }

    private static synchronized int times() {
        return times;
    }
}

/** Outside, and finalized as the inside class says. */
class Loud extends Trigger {
    Loud(State state) {
        super(state, 2);
    }

    @Override
    int weight() {
        return 1000;
    }
}

class Keeper {
    private final State state = new State();

    void makes(int count) {
        for (int i = 0; i < count; i++) {
            try {
                new Trigger(state, i);
            } catch (IllegalStateException e) {
                state.refused++;
            }
        }
    }

    int made() {
        return 10 * state.refused;
    }

    int weighs(Trigger trigger) {
        return trigger.weight();
    }

    State state() {
        return state;
    }
}

class State {
    int refused;
    volatile int finalized;
}

class Trigger {
    private final State state;
    private final int number;

    Trigger(State state, int number) {
        this.state = state;
        this.number = number;
        if (number % 10 == 9) {
            throw new IllegalStateException();
        }
    }

    int weight() {
        return number;
    }

    @Override
    protected void finalize() {
        state.finalized += number;
        Main.sees(state);
    }
}
