import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Objects to JSON and back, with some that is not JSON: reflection, caches, callbacks. */
public class Main {
    public static class Point {
        public int x;
        public String name;
        public List<Double> values = new ArrayList<>();
        public Map<String, Integer> counts = new TreeMap<>();
    }

    public static void main(String[] args) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            Point point = new Point();
            point.x = i;
            point.name = "p" + i;
            point.values.add(i / 3.0);
            point.counts.put("a" + i, i);
            String text = mapper.writeValueAsString(point);
            Point back = mapper.readValue(text, Point.class);
            JsonNode tree = mapper.readTree(text);
            System.out.println(text + back.x + tree.get("name").asText());
            try {
                mapper.readValue("{\"x\": tru}", Point.class);
            } catch (Exception e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
