import com.hazelcast.config.Config;
import com.hazelcast.core.*;
import com.hazelcast.map.IMap;

/** A member of a cluster of one. */
public class Main {
    public static void main(String[] args) {
        System.setProperty("hazelcast.logging.type", "none");
        System.setProperty("hazelcast.phone.home.enabled", "false");
        Config config = new Config();
        config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
        config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
        config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        HazelcastInstance member = Hazelcast.newHazelcastInstance(config);
        IMap<String, Integer> map = member.getMap("counts");
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            map.merge("k" + i % 10, i, Integer::sum);
        }
        System.out.println(new java.util.TreeMap<>(map));
        member.getQueue("q").add("x");
        System.out.println(member.getQueue("q").poll());
        member.shutdown();
    }
}
