import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.Yaml;

/** Maps and lists to YAML and back, with some that is not YAML. */
public class Main {
    public static void main(String[] args) {
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            Yaml yaml = new Yaml();
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("a", List.of(1, 2, i));
            map.put("b", Map.of("c", "d" + i));
            map.put("t", "x: y\n- z");
            String text = yaml.dump(map);
            Object back = yaml.load(text);
            System.out.println(text + back);
            try {
                yaml.load("a: [1, 2\nb: }");
            } catch (RuntimeException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
