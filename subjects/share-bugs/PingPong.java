// Players hit a ball that one of them has put away.

public class PingPong {
    static final class Ball {
        int hits;
    }

    private static Ball ball = new Ball();
    private static int games;

    private static void play() {
        if (ball != null) {
            Noise.make();
            ball.hits++;
        }
        synchronized (PingPong.class) {
            games++;
        }
    }

    private static void putAway() {
        Noise.make();
        ball = null;
    }

    public static void main(String[] arguments) throws InterruptedException {
        Noise.run(PingPong::play, PingPong::play, PingPong::putAway);
    }
}
