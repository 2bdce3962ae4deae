import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.TriggerBuilder;
import org.quartz.CronExpression;
import org.quartz.impl.StdSchedulerFactory;

/** Jobs by a schedule. */
public class Main {
    static CountDownLatch left;

    public static class Work implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            left.countDown();
        }
    }

    public static void main(String[] arguments) throws Exception {
        left = new CountDownLatch(Integer.parseInt(arguments[0]));
        Properties properties = new Properties();
        properties.setProperty("org.quartz.threadPool.threadCount", "2");
        properties.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
        Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
        scheduler.scheduleJob(JobBuilder.newJob(Work.class).withIdentity("work").build(),
            TriggerBuilder.newTrigger().startNow()
                .withSchedule(SimpleScheduleBuilder.repeatSecondlyForever().withIntervalInMilliseconds(20)).build());
        scheduler.start();
        left.await();
        scheduler.shutdown(true);
        System.out.println(new CronExpression("0 0/5 14,18 ? * MON-FRI").getExpressionSummary().length());
        System.out.println("done");
    }
}
