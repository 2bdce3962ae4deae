import java.sql.*;

/** The same by another one, which generates code. */
public class Main {
    public static void main(String[] args) throws Exception {
        int rows = Integer.parseInt(args[0]);
        String url = "jdbc:derby:memory:test;create=true";
        try (Connection c = DriverManager.getConnection(url); Statement s = c.createStatement()) {
            s.execute("create table item (id int primary key, name varchar(40), price decimal(10,2))");
            Thread[] threads = new Thread[3];
            for (int t = 0; t < threads.length; t++) {
                int part = t;
                threads[t] = new Thread(() -> fill(url, part, rows), "filler-" + t);
                threads[t].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            try (ResultSet r = s.executeQuery("select count(*), sum(price), max(name) from item where price > 5")) {
                r.next();
                System.out.println(r.getInt(1) + " " + r.getBigDecimal(2) + " " + r.getString(3));
            }
            try (ResultSet r = s.executeQuery("select a.name, b.name from item a join item b on a.id = b.id + 1 order by a.id")) {
                int n = 0;
                while (r.next()) {
                    n += r.getString(1).length() + r.getString(2).length();
                }
                System.out.println(n);
            }
            
        }
    }

    private static void fill(String url, int part, int rows) {
        try (Connection c = DriverManager.getConnection(url);
                PreparedStatement p = c.prepareStatement("insert into item values (?, ?, ?)")) {
            for (int i = 0; i < rows; i++) {
                p.setInt(1, part * 1000 + i);
                p.setString(2, "item " + i + " of " + part);
                p.setBigDecimal(3, java.math.BigDecimal.valueOf(i * 25, 2));
                p.executeUpdate();
            }
        } catch (SQLException e) {
            System.out.println(e);
        }
    }
}
