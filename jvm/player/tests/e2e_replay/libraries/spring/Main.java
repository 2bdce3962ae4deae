import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.event.EventListener;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** A context with beans, events and expressions. */
public class Main {
    public static void main(String[] arguments) {
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Beans.class)) {
                System.out.println(context.getBean(Greeter.class).greet("you"));
                System.out.println(context.getBean("parts", Part.class).id + " " + context.getBean("parts", Part.class).id);
                context.publishEvent("event " + i);
            }
            System.out.println(new SpelExpressionParser().parseExpression("{1, 2, 3}.![#this * 2].toString() + 'x'").getValue());
        }
    }

    @Configuration
    static class Beans {
        private int made;

        @Bean
        Greeter greeter(@Value("#{'Hel' + 'lo'}") String word) {
            return new Greeter(word);
        }

        @Bean
        @Scope("prototype")
        Part parts() {
            return new Part(++made);
        }

        @EventListener
        void heard(String event) {
            System.out.println("heard " + event);
        }
    }

    static class Greeter {
        private final String word;

        Greeter(String word) {
            this.word = word;
        }

        String greet(String whom) {
            return word + ", " + whom;
        }
    }

    static class Part {
        final int id;

        Part(int id) {
            this.id = id;
        }
    }
}
