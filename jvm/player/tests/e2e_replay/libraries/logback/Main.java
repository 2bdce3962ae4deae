import ch.qos.logback.classic.*;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import org.slf4j.*;

/** Logs from several threads, one line each at a time. */
public class Main {
    public static void main(String[] args) throws Exception {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%-5level %logger{8} %X{user} - %msg%n%ex{1}");
        encoder.start();
        ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
        console.setContext(context);
        console.setEncoder(encoder);
        console.start();
        ch.qos.logback.classic.Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.addAppender(console);
        root.setLevel(Level.INFO);
        for (int t = 0; t < 3; t++) {
            int me = t;
            Thread thread = new Thread(() -> log(me, Integer.parseInt(args[0])), "worker-" + t);
            thread.start();
            thread.join();
        }
        context.stop();
    }

    private static void log(int me, int lines) {
        org.slf4j.Logger logger = LoggerFactory.getLogger("com.acme.Worker" + me);
        MDC.put("user", "u" + me);
        for (int i = 0; i < lines; i++) {
            logger.info("line {} of {}", i, me);
            logger.debug("not seen {}", i);
        }
        logger.error("failed", new IllegalStateException("state " + me));
        MDC.clear();
    }
}
