package shop;

/** Inside. */
public class Cart implements Runnable {
    private int total;
    private String late = "";

    @Override
    public void run() {
        total += Price.of(new Item("book"));
        try {
            late += Late.name();
        } catch (LinkageError | SecurityException e) {
            late += e.getClass().getSimpleName() + " ";
        }
    }

    @Override
    public String toString() {
        return total + " " + late + Price.of(new Item("pen")) + getClass().getPackage().getName();
    }
}
