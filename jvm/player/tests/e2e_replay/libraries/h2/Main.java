import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** SQL in memory, from several threads. */
public class Main {
    private static final String URL = "jdbc:h2:mem:it;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000";

    public static void main(String[] arguments) throws Exception {
        int rows = Integer.parseInt(arguments[0]);
        try (Connection c = DriverManager.getConnection(URL); Statement s = c.createStatement()) {
            s.execute("CREATE TABLE part(id INT PRIMARY KEY, name VARCHAR(40), price DECIMAL(10, 2), kind INT)");
            s.execute("CREATE INDEX by_kind ON part(kind)");
            s.execute("CREATE TABLE sale(id IDENTITY, part INT REFERENCES part(id), amount INT)");
        }
        Thread[] threads = new Thread[Integer.parseInt(arguments[1])];
        for (int t = 0; t < threads.length; t++) {
            int first = t * rows;
            threads[t] = new Thread(() -> fill(first, rows));
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        try (Connection c = DriverManager.getConnection(URL); Statement s = c.createStatement()) {
            print(s, "SELECT kind, COUNT(*), SUM(price) FROM part GROUP BY kind ORDER BY kind");
            print(s, "SELECT p.name, SUM(x.amount) FROM part p JOIN sale x ON x.part = p.id"
                + " WHERE p.kind = 3 GROUP BY p.name ORDER BY p.name LIMIT 5");
            print(s, "SELECT MAX(name), MIN(id) FROM part WHERE price > (SELECT AVG(price) FROM part)");
            c.setAutoCommit(false);
            s.executeUpdate("UPDATE part SET price = price * 2 WHERE kind = 1");
            c.rollback();
            print(s, "SELECT SUM(price) FROM part");
            try {
                s.execute("SELEKT 1");
            } catch (SQLException wrong) {
                System.out.println(wrong.getErrorCode());
            }
            s.execute("SHUTDOWN");
        }
    }

    private static void fill(int first, int rows) {
        try (Connection c = DriverManager.getConnection(URL);
                PreparedStatement part = c.prepareStatement("INSERT INTO part VALUES(?, ?, ?, ?)");
                PreparedStatement sale = c.prepareStatement("INSERT INTO sale(part, amount) VALUES(?, ?)")) {
            for (int i = first; i < first + rows; i++) {
                part.setInt(1, i);
                part.setString(2, "part " + i);
                part.setBigDecimal(3, java.math.BigDecimal.valueOf(i * 7 % 1000, 2));
                part.setInt(4, i % 5);
                part.executeUpdate();
                sale.setInt(1, i);
                sale.setInt(2, i % 11);
                sale.executeUpdate();
            }
        } catch (SQLException wrong) {
            System.out.println(wrong);
        }
    }

    private static void print(Statement s, String query) throws SQLException {
        try (ResultSet r = s.executeQuery(query)) {
            while (r.next()) {
                StringBuilder line = new StringBuilder();
                for (int i = 1; i <= r.getMetaData().getColumnCount(); i++) {
                    line.append(r.getString(i)).append(' ');
                }
                System.out.println(line.toString().trim());
            }
        }
    }
}
