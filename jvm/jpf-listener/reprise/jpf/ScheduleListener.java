package reprise.jpf;

import gov.nasa.jpf.Config;
import gov.nasa.jpf.JPF;
import gov.nasa.jpf.ListenerAdapter;
import gov.nasa.jpf.search.Search;
import gov.nasa.jpf.vm.Instruction;
import gov.nasa.jpf.vm.MethodInfo;
import gov.nasa.jpf.vm.Path;
import gov.nasa.jpf.vm.Step;
import gov.nasa.jpf.vm.ThreadInfo;
import gov.nasa.jpf.vm.Transition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;

/**
 * Writes the path to an error that Java PathFinder has found as a trace, of which
 * {@code reprise schedule from-trace} makes a schedule. Needs {@code vm.store_steps=true}.
 */
public class ScheduleListener extends ListenerAdapter {
    private final String file;

    public ScheduleListener(Config config, JPF jpf) {
        file = config.getString("reprise.trace", "error.trace");
    }

    @Override
    public void propertyViolated(Search search) {
        // In a second pass over the path: what is counted while searching would have to be
        // undone where the search goes back.
        Trace trace = new Trace();
        boolean any = false;
        Path path = search.getVM().getPath();
        for (Transition transition : path) {
            trace.stretch();
            ThreadInfo thread = transition.getThreadInfo();
            for (Step step : transition) {
                Instruction instruction = step.getInstruction();
                MethodInfo method = instruction.getMethodInfo();
                if (method != null && method.getClassName() != null) {
                    any = true;
                    trace.step(transition.getThreadIndex(), method.getClassName(),
                            method.getUniqueName(), instruction.getPosition());
                }
            }
            if (thread.isTerminated()) {
                trace.dead(transition.getThreadIndex());
            }
        }
        if (!any) {
            System.err.println("reprise: the path has no steps; run with +vm.store_steps=true");
            return;
        }
        try {
            Files.write(Paths.get(file), trace.text().getBytes(StandardCharsets.UTF_8));
            System.err.println("reprise: " + file
                    + "; make a schedule of it with: reprise schedule from-trace " + file);
        } catch (IOException wrong) {
            System.err.println("reprise: cannot write " + file + ": " + wrong.getMessage());
        }
    }
}
