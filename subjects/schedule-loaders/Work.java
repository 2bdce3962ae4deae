/** Comes to classes that nobody has needed before, together with others. */
public class Work implements Runnable {
    @Override
    public void run() {
        for (int i = 0; i < 8; i++) {
            try {
                Main.TOGETHER.await();
            } catch (Exception broken) {
                throw new IllegalStateException(broken);
            }
            Main.says(part(i));
        }
    }

    private static int part(int number) {
        switch (number) {
            case 0:
                return new Part0().number();
            case 1:
                return new Part1().number();
            case 2:
                return new Part2().number();
            case 3:
                return new Part3().number();
            case 4:
                return new Part4().number();
            case 5:
                return new Part5().number();
            case 6:
                return new Part6().number();
            default:
                return new Part7().number();
        }
    }
}
