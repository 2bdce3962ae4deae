/** What it loads; each turn needs a class that was not needed before. */
public class Work implements Runnable {
    private volatile int turn;
    private volatile int sum;

    @Override
    public void run() {
        turn++;
        sum += turn;
        sum += part();
        synchronized (this) {
            sum++;
        }
    }

    private int part() {
        switch (turn) {
            case 1: return new One().value;
            case 2: return new Two().value;
            case 3: return new Three().value;
            case 4: return new Four().value;
            case 5: return new Five().value;
            default: return new Six().value;
        }
    }

    @Override
    public String toString() {
        return turn + " turns: " + sum;
    }
}

class One {
    volatile int value = 1;
}

class Two {
    volatile int value = 2;
}

class Three {
    volatile int value = 3;
}

class Four {
    volatile int value = 4;
}

class Five {
    volatile int value = 5;
}

class Six {
    volatile int value = 6;
}
