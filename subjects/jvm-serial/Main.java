import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectInputStream;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/** Objects that are written and read back, on either side: no recorded constructor makes the copies. */
public class Main {
    public static void main(String[] args) throws Exception {
        Account account = new Account("ada", 100);
        account.add(new Account("bob", 5));
        Account copy = (Account) read(write(account));
        System.out.println(copy.total() + copy.friend().name() + (copy == account) + copy.opened());
        copy.add(new Account("eve", 7));
        System.out.println(copy.total() + account.total());
        System.out.println(Ledger.roundTrip(account).total());
        System.out.println(Ledger.same());
        Token token = (Token) read(write(Token.of(3)));
        System.out.println(token == Token.of(3));
        Packed packed = (Packed) read(write(new Packed(8, "eight")));
        System.out.println(packed.shows());
        Coin coin = (Coin) read(write(new Coin(25, Mode.FAST)));
        System.out.println(coin.doubled() + " " + coin);
        List<Account> list = new ArrayList<>(List.of(account, copy, account));
        @SuppressWarnings("unchecked")
        List<Account> again = (List<Account>) read(write(list));
        System.out.println(again.get(0).total() + again.get(1).total() + " " + (again.get(0) == again.get(2)) + Ledger.sum(again));
        Account[] array = (Account[]) read(write(new Account[] {account, null, copy}));
        System.out.println(Ledger.first(array).name() + Ledger.first(array).total());
    }

    static byte[] write(Object o) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(o);
        }
        return bytes.toByteArray();
    }

    static Object read(byte[] bytes) throws IOException, ClassNotFoundException {
        return new ObjectInputStream(new ByteArrayInputStream(bytes)).readObject();
    }
}

enum Mode { SLOW, FAST }

record Coin(int cents, Mode mode) implements Serializable {
    Coin {
        if (cents < 0) {
            throw new IllegalArgumentException();
        }
    }

    int doubled() {
        return cents * 2 + mode.ordinal();
    }
}

class Account implements Serializable {
    private static final long serialVersionUID = 1;
    private final String name;
    private long balance;
    private Account friend;
    private final int[] history = {1, 2, 3};
    private final List<Account> friends = new ArrayList<>();
    private transient int opened = 1;
    private Account self;

    Account(String name, long balance) {
        this.name = name;
        this.balance = balance;
        this.self = this;
    }

    void add(Account other) {
        friend = other;
        friends.add(other);
        history[0]++;
    }

    long total() {
        long sum = self.balance + history[0] + history.length;
        for (Account one : friends) {
            sum += one.balance;
        }
        return sum;
    }

    Account friend() {
        return friend;
    }

    String name() {
        return name;
    }

    int opened() {
        return opened;
    }

    private void writeObject(ObjectOutputStream out) throws IOException {
        out.defaultWriteObject();
        out.writeInt(77);
    }

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
        in.defaultReadObject();
        opened = in.readInt();
        balance += 1000;
    }
}

class Token implements Serializable {
    private static final Token[] ALL = {new Token(0), new Token(1), new Token(2), new Token(3)};
    private final int number;

    private Token(int number) {
        this.number = number;
    }

    static Token of(int number) {
        return ALL[number];
    }

    private Object readResolve() {
        return ALL[number];
    }
}

class Packed implements Externalizable {
    private int number;
    private String text;

    public Packed() {}

    Packed(int number, String text) {
        this.number = number;
        this.text = text;
    }

    @Override
    public void writeExternal(ObjectOutput out) throws IOException {
        out.writeInt(number);
        out.writeUTF(text);
    }

    @Override
    public void readExternal(ObjectInput in) throws IOException {
        number = in.readInt() + 1;
        text = in.readUTF();
    }

    String shows() {
        return number + text;
    }
}

class Ledger {
    static Account roundTrip(Account account) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ObjectOutputStream out = new ObjectOutputStream(bytes);
        out.writeObject(account);
        out.flush();
        ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()));
        Account copy = (Account) in.readObject();
        copy.add(account);
        return copy;
    }

    static boolean same() throws Exception {
        Coin coin = new Coin(5, Mode.SLOW);
        return Main.read(Main.write(coin)).equals(coin) && Main.read(Main.write(Mode.FAST)) == Mode.FAST;
    }

    static long sum(List<Account> all) {
        long sum = 0;
        for (Account one : all) {
            sum += one.total();
        }
        return sum;
    }

    static Account first(Account[] all) {
        return all[0];
    }
}
