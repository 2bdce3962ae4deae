// Gives the listener a path as a search would: a lost update of two threads that each read a
// field, add one and write it. A line of the input is a transition, its words steps.

import gov.nasa.jpf.Config;
import gov.nasa.jpf.JPF;
import gov.nasa.jpf.search.Search;
import gov.nasa.jpf.vm.Instruction;
import gov.nasa.jpf.vm.MethodInfo;
import gov.nasa.jpf.vm.Path;
import gov.nasa.jpf.vm.Step;
import gov.nasa.jpf.vm.ThreadInfo;
import gov.nasa.jpf.vm.Transition;
import gov.nasa.jpf.vm.VM;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import reprise.jpf.ScheduleListener;

public class Found {
    public static void main(String[] arguments) throws Exception {
        Path path = new Path();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            int thread = Integer.parseInt(words[0]);
            Transition transition = new Transition(new ThreadInfo(thread, words[1].equals("dead")));
            for (int at = 2; at < words.length; at++) {
                String[] parts = words[at].split("[#@]");
                MethodInfo method = new MethodInfo(parts[0], parts[1]);
                int offset = Integer.parseInt(parts[2]);
                transition.put(new Step(new Instruction() {
                    @Override
                    public MethodInfo getMethodInfo() {
                        return method;
                    }

                    @Override
                    public int getPosition() {
                        return offset;
                    }
                }));
            }
            path.add(transition);
        }
        VM vm = new VM() {
            @Override
            public Path getPath() {
                return path;
            }
        };
        new ScheduleListener(new Config(), new JPF()).propertyViolated(new Search() {
            @Override
            public VM getVM() {
                return vm;
            }
        });
    }
}
