import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** Random documents and objects to JSON and back: streams, trees, beans, generics, subtypes; and what is not JSON. */
public class Main {
    public enum Unit { METRE, SECOND }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({@JsonSubTypes.Type(value = Circle.class, name = "circle"),
        @JsonSubTypes.Type(value = Box.class, name = "box")})
    public interface Shape {
        double area();
    }

    public static class Circle implements Shape {
        public double radius;

        @Override
        public double area() {
            return 3 * radius * radius;
        }
    }

    public static class Box implements Shape {
        private final int width;
        private final int height;

        public Box(@JsonProperty("width") int width, @JsonProperty("height") int height) {
            this.width = width;
            this.height = height;
        }

        public int getWidth() { return width; }
        public int getHeight() { return height; }

        @Override
        public double area() {
            return width * height;
        }
    }

    public static class Point {
        public int x;
        public String name;
        public List<Double> values = new ArrayList<>();
        public Map<String, Integer> counts = new TreeMap<>();
        public EnumMap<Unit, BigDecimal> units = new EnumMap<>(Unit.class);
        public byte[] bytes = {};
        public long[] longs = {};
        public List<Shape> shapes = new ArrayList<>();
        public Point next;
        @JsonIgnore
        public String secret = "hidden";
        private char letter = 'c';

        public char getLetter() { return letter; }
        public void setLetter(char letter) { this.letter = letter; }
    }

    static class Temperature {
        final double kelvin;

        Temperature(double kelvin) {
            this.kelvin = kelvin;
        }
    }

    static class TemperatureSerializer extends StdSerializer<Temperature> {
        TemperatureSerializer() {
            super(Temperature.class);
        }

        @Override
        public void serialize(Temperature t, JsonGenerator out, SerializerProvider provider)
                throws IOException {
            out.writeStartObject();
            out.writeNumberField("kelvin", t.kelvin);
            out.writeEndObject();
        }
    }

    private static final String[] WORDS = {"alpha", "", "\"q\"", "\\", "\u00e9\u4e2d", "\ud83d\ude00", "a/b",
        "line\nbreak", "\u0001", "long ".repeat(40)};
    private static final String[] BROKEN = {"{\"x\": tru}", "[1, 2", "{\"x\" 1}", "[01]", "{\"x\": \"a",
        "nul", "{\"unknown\": 1}", "{\"x\": \"text\"}", "[\"\\q\"]", "{\"shapes\": [{\"kind\": \"line\"}]}"};

    private static JsonNode random(ObjectMapper mapper, Random random, int depth) {
        switch (random.nextInt(depth > 3 ? 6 : 8)) {
            case 0: return mapper.getNodeFactory().numberNode(random.nextInt());
            case 1: return mapper.getNodeFactory().numberNode(random.nextDouble());
            case 2: return mapper.getNodeFactory().textNode(WORDS[random.nextInt(WORDS.length)]);
            case 3: return mapper.getNodeFactory().booleanNode(random.nextBoolean());
            case 4: return mapper.getNodeFactory().nullNode();
            case 5: return mapper.getNodeFactory().numberNode(new BigDecimal(random.nextInt()).movePointLeft(30));
            case 6: {
                ArrayNode array = mapper.createArrayNode();
                for (int i = random.nextInt(5); i > 0; i--) {
                    array.add(random(mapper, random, depth + 1));
                }
                return array;
            }
            default: {
                ObjectNode object = mapper.createObjectNode();
                for (int i = random.nextInt(5); i > 0; i--) {
                    object.set(WORDS[random.nextInt(WORDS.length)] + i, random(mapper, random, depth + 1));
                }
                return object;
            }
        }
    }

    private static Point point(Random random, int depth) {
        Point point = new Point();
        point.x = random.nextInt();
        point.name = WORDS[random.nextInt(WORDS.length)];
        for (int i = random.nextInt(4); i > 0; i--) {
            point.values.add(random.nextInt(1000) / 8.0);
            point.counts.put("k" + random.nextInt(10), i);
        }
        point.units.put(Unit.values()[random.nextInt(2)], new BigDecimal("1.50"));
        point.bytes = new byte[random.nextInt(9)];
        random.nextBytes(point.bytes);
        point.longs = random.longs(random.nextInt(3)).toArray();
        Circle circle = new Circle();
        circle.radius = random.nextInt(5);
        point.shapes.add(circle);
        point.shapes.add(new Box(random.nextInt(5), 2));
        point.setLetter((char) ('a' + random.nextInt(26)));
        point.next = depth > 1 ? null : point(random, depth + 1);
        return point;
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        Random random = new Random(7);
        ObjectMapper mapper = new ObjectMapper();
        mapper.enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);
        mapper.registerModule(new SimpleModule().addSerializer(new TemperatureSerializer()));
        JsonFactory factory = new JsonFactory();
        for (int i = 0; i < count; i++) {
            Point point = point(random, 0);
            String text = mapper.writerWithDefaultPrettyPrinter().writeValueAsString(point);
            Point back = mapper.readValue(mapper.writeValueAsBytes(point), Point.class);
            System.out.println(text + back.x + back.letter + back.shapes.get(0).area()
                + back.shapes.get(1).area() + back.units + back.longs.length);
            JsonNode tree = random(mapper, random, 0);
            String written = mapper.writeValueAsString(tree);
            System.out.println(written + mapper.readTree(written).equals(tree) + tree.size());
            StringWriter sink = new StringWriter();
            try (JsonGenerator out = factory.createGenerator(sink);
                    JsonParser in = factory.createParser(text)) {
                int digest = 0;
                for (JsonToken token = in.nextToken(); token != null; token = in.nextToken()) {
                    digest = digest * 31 + token.ordinal();
                    out.copyCurrentEvent(in);
                }
                System.out.println(digest);
            }
            System.out.println(sink.toString().length());
            Map<String, List<Integer>> map = new LinkedHashMap<>();
            map.put("a" + i, List.of(i, i + 1));
            String generic = mapper.writeValueAsString(map);
            Map<String, List<Integer>> again =
                mapper.readValue(generic, new TypeReference<Map<String, List<Integer>>>() {});
            System.out.println(generic + again);
            System.out.println(mapper.writeValueAsString(List.of(new Temperature(i), new Temperature(0.5))));
            System.out.println(mapper.convertValue(point.shapes.get(1), Map.class).size());
            System.out.println(mapper.readerForUpdating(back).readValue("{\"x\": 5, \"name\": null}").hashCode() == 0);
            System.out.println(Optional.ofNullable(back.name).orElse("none") + back.x);
            try {
                Point wrong = mapper.readValue(BROKEN[i % BROKEN.length], Point.class);
                System.out.println(wrong.x);
            } catch (JsonProcessingException e) {
                System.out.println(e.getOriginalMessage() + e.getLocation().getColumnNr());
            }
        }
    }
}
