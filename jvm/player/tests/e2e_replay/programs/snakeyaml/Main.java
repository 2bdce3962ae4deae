import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.TypeDescription;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.AbstractConstruct;
import org.yaml.snakeyaml.constructor.Constructor;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;

/** Random documents to YAML and back, in every style; beans, tags, events, nodes; and what is not YAML. */
public class Main {
    public enum Colour { RED, GREEN, BLUE }

    public static class Person {
        private String name;
        private int age;
        private Colour colour;
        private List<Person> friends = new ArrayList<>();
        public double[] weights = {};

        public String getName() { return name; }
        public void setName(String name) { this.name = name; }
        public int getAge() { return age; }
        public void setAge(int age) { this.age = age; }
        public Colour getColour() { return colour; }
        public void setColour(Colour colour) { this.colour = colour; }
        public List<Person> getFriends() { return friends; }
        public void setFriends(List<Person> friends) { this.friends = friends; }
    }

    /** A tag of the program's own, both ways. */
    static class Range {
        final int from;
        final int to;

        Range(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public String toString() {
            return from + ".." + to;
        }
    }

    static class Ranges extends SafeConstructor {
        Ranges() {
            super(new LoaderOptions());
            yamlConstructors.put(new Tag("!range"), new AbstractConstruct() {
                @Override
                public Object construct(Node node) {
                    String[] ends = ((ScalarNode) node).getValue().split("-");
                    return new Range(Integer.parseInt(ends[0]), Integer.parseInt(ends[1]));
                }
            });
        }
    }

    static class RangeRepresenter extends Representer {
        RangeRepresenter() {
            super(new DumperOptions());
            representers.put(Range.class, range -> representScalar(new Tag("!range"),
                ((Range) range).from + "-" + ((Range) range).to));
        }
    }

    private static final String[] WORDS = {"alpha", "yes", "~", "12", "0x1F", "1e3", "a: b", "- c",
        "multi\nline", "trailing ", "\u00e9t\u00e9", "#no", "'quoted'", "\"double\"", "", "null", "@at",
        "\ud83d\ude00", "tab\there", "[x]"};
    private static final String[] BROKEN = {"a: [1, 2\nb: }", "a: b: c", "\t- x", "*missing", "&a [*a",
        "? !!set {a", "- 'open", "%YAML 3.0\n---\na", "!!binary x\u0001", "{a: 1, a: 2", "key: |9\n x"};

    private static Object random(Random random, int depth) {
        int kind = random.nextInt(depth > 3 ? 9 : 13);
        switch (kind) {
            case 0: return random.nextInt();
            case 1: return random.nextLong();
            case 2: return random.nextDouble() * 1e6;
            case 3: return random.nextBoolean();
            case 4: return null;
            case 5: return WORDS[random.nextInt(WORDS.length)];
            case 6: return new java.math.BigInteger(80, random);
            case 7: return new Date(random.nextInt() * 1000L);
            case 8: {
                byte[] bytes = new byte[random.nextInt(20)];
                random.nextBytes(bytes);
                return bytes;
            }
            case 9: case 10: {
                List<Object> list = new ArrayList<>();
                for (int i = random.nextInt(4); i > 0; i--) {
                    list.add(random(random, depth + 1));
                }
                if (!list.isEmpty() && random.nextInt(3) == 0) {
                    list.add(list.get(0));
                }
                return list;
            }
            case 11: {
                LinkedHashSet<Object> set = new LinkedHashSet<>();
                for (int i = random.nextInt(4); i > 0; i--) {
                    set.add(WORDS[random.nextInt(WORDS.length)]);
                }
                return set;
            }
            default: {
                Map<Object, Object> map = new LinkedHashMap<>();
                for (int i = random.nextInt(5); i > 0; i--) {
                    Object key = random.nextInt(4) == 0 ? (Object) random.nextInt(100)
                        : WORDS[random.nextInt(WORDS.length)];
                    map.put(key, random(random, depth + 1));
                }
                return map;
            }
        }
    }

    private static String text(Object o) {
        if (o instanceof byte[]) {
            return "bytes" + java.util.Arrays.toString((byte[]) o);
        }
        if (o instanceof Map) {
            StringBuilder out = new StringBuilder("{");
            ((Map<?, ?>) o).forEach((k, v) -> out.append(text(k)).append('=').append(text(v)).append(';'));
            return out.append('}').toString();
        }
        if (o instanceof Iterable) {
            StringBuilder out = new StringBuilder("[");
            for (Object element : (Iterable<?>) o) {
                out.append(text(element)).append(';');
            }
            return out.append(']').toString();
        }
        return o instanceof Date ? "date" + ((Date) o).getTime() : String.valueOf(o);
    }

    private static int nodes(Node node) {
        int count = 1;
        if (node instanceof SequenceNode) {
            for (Node child : ((SequenceNode) node).getValue()) {
                count += nodes(child);
            }
        } else if (node instanceof MappingNode) {
            for (NodeTuple tuple : ((MappingNode) node).getValue()) {
                count += nodes(tuple.getKeyNode()) + nodes(tuple.getValueNode());
            }
        }
        return count;
    }

    private static Person person(Random random, int depth) {
        Person person = new Person();
        person.setName(WORDS[random.nextInt(WORDS.length)]);
        person.setAge(random.nextInt(100));
        person.setColour(Colour.values()[random.nextInt(3)]);
        person.weights = new double[] {random.nextInt(8) / 4.0, random.nextInt(3)};
        for (int i = depth > 1 ? 0 : random.nextInt(3); i > 0; i--) {
            person.getFriends().add(person(random, depth + 1));
        }
        return person;
    }

    public static void main(String[] args) {
        int count = Integer.parseInt(args[0]);
        Random random = new Random(42);
        DumperOptions.FlowStyle[] flows = DumperOptions.FlowStyle.values();
        DumperOptions.ScalarStyle[] scalars = {DumperOptions.ScalarStyle.PLAIN,
            DumperOptions.ScalarStyle.SINGLE_QUOTED, DumperOptions.ScalarStyle.DOUBLE_QUOTED};
        for (int i = 0; i < count; i++) {
            DumperOptions options = new DumperOptions();
            options.setDefaultFlowStyle(flows[i % flows.length]);
            options.setDefaultScalarStyle(scalars[random.nextInt(scalars.length)]);
            options.setIndent(2 + random.nextInt(4));
            options.setWidth(20 + random.nextInt(80));
            options.setExplicitStart(random.nextBoolean());
            options.setPrettyFlow(random.nextBoolean());
            Yaml yaml = new Yaml(options);
            Object document = List.of("top", i, String.valueOf(random.nextInt()));
            List<Object> all = new ArrayList<>((List<?>) document);
            all.add(random(random, 0));
            String written = yaml.dump(all);
            System.out.print(written);
            System.out.println(text(yaml.load(written)));
            System.out.println(nodes(yaml.compose(new java.io.StringReader(written))));
            int events = 0;
            for (Event event : yaml.parse(new java.io.StringReader(written))) {
                events = events * 31 + event.getEventId().name().length();
            }
            System.out.println(events);

            Yaml beans = new Yaml(new Constructor(Person.class, new LoaderOptions()));
            Person person = person(random, 0);
            String bean = beans.dumpAs(person, Tag.MAP, DumperOptions.FlowStyle.BLOCK);
            Person back = beans.load(bean);
            System.out.print(bean + back.getName() + back.getFriends().size() + back.getColour());
            Representer representer = new Representer(options);
            representer.addClassTag(Person.class, new Tag("!person"));
            TypeDescription description = new TypeDescription(Person.class, "!person");
            description.addPropertyParameters("friends", Person.class);
            representer.addTypeDescription(description);
            System.out.print(new Yaml(representer, options).dump(person));

            Yaml ranges = new Yaml(new Ranges(), new RangeRepresenter());
            String range = ranges.dump(List.of(new Range(i, i + 7), "x"));
            System.out.println(range + ranges.load(range));
            try {
                System.out.println(text(yaml.load(BROKEN[i % BROKEN.length])));
            } catch (MarkedYAMLException e) {
                System.out.println(e.getMessage() + e.getProblemMark().getLine());
            } catch (YAMLException e) {
                System.out.println(e.getMessage());
            }
            int documents = 0;
            for (Object one : yaml.loadAll("--- 1\n--- {a: &x [1, 2], b: *x, <<: {c: 3}}\n--- 2001-12-14\n...\n")) {
                System.out.println(++documents + text(one));
            }
        }
    }
}
