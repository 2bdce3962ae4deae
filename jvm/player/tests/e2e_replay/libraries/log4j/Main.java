import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.builder.api.ComponentBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.config.builder.impl.BuiltConfiguration;

/** Logs to the console and to a file that rolls over, from two threads. */
public class Main {
    public static void main(String[] arguments) throws Exception {
        Path file = Files.createTempFile("it", ".log");
        ConfigurationBuilder<BuiltConfiguration> builder = ConfigurationBuilderFactory.newConfigurationBuilder();
        builder.add(builder.newAppender("console", "Console")
            .add(builder.newLayout("PatternLayout").addAttribute("pattern", "%p %c{1} %X{who} %m%n")));
        ComponentBuilder<?> policies = builder.newComponent("Policies")
            .addComponent(builder.newComponent("SizeBasedTriggeringPolicy").addAttribute("size", "2KB"));
        builder.add(builder.newAppender("file", "RollingFile").addAttribute("fileName", file.toString())
            .addAttribute("filePattern", file + ".%i").addComponent(policies)
            .add(builder.newLayout("PatternLayout").addAttribute("pattern", "%d %t %m%n")));
        builder.add(builder.newRootLogger(Level.INFO).add(builder.newAppenderRef("console"))
            .add(builder.newAppenderRef("file")));
        Configurator.initialize(builder.build());
        Logger logger = LogManager.getLogger(Main.class);
        ThreadContext.put("who", "me");
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            logger.info("number {} of {}", i, arguments[0]);
            logger.debug("not {}", i);
        }
        Thread other = new Thread(() -> logger.warn("from another", new IllegalStateException("text").getMessage()));
        other.start();
        other.join();
        LogManager.shutdown();
    }
}
