//! A program that goes on after its recording has ended meets every kind of event
//! with no room to write it to.

use std::path::Path;

use crate::support;

/// The rounds together make far more events than a ring has room for: it is full soon
/// after nobody drains it any more.
const PROGRAM: &str = r#"
import java.util.ArrayList;
import java.util.List;

public class Main {
    static String text = "text";

    public static void main(String[] args) {
        long sum = 0;
        for (int i = 0; i < 60_000; i++) {
            try {
                new Inside(1);
            } catch (IllegalStateException e) {
                sum++;
            }
            Inside inside = new Inside(0);
            sum += inside.all(i, 2L * i, 1.5, (i & 1) == 0, "s" + i % 10, new int[] {i, 2}, null);
            inside.field = i;
            try {
                inside.fails(i);
            } catch (IllegalArgumentException e) {
                sum++;
            }
        }
        System.out.println(sum);
    }

    static Object echo(Object o, int i, String s) {
        if (i % 7 == 0) throw new IllegalArgumentException();
        return o;
    }
}
class Above {
    protected int above;
    Above(int i) { if (i > 0) throw new IllegalStateException(); }
}
class Inside extends Above {
    int field;
    private int[] kept;
    Inside(int i) { super(i); }
    synchronized long all(int i, long l, double d, boolean b, String s, int[] kept, Object none) {
        this.kept = kept;
        List<Object> list = new ArrayList<>();
        list.add(s);
        list.add(none);
        list.add(kept);
        above = i;
        Main.text = s;
        return list.size() + kept[0] + (b ? 1 : 0) + Main.text.length() + above + (long) d + l;
    }
    int fails(int i) {
        Main.echo(this, i, "s");
        Main.echo(null, i, null);
        if (i % 3 == 0) throw new IllegalArgumentException("inside");
        return kept.length;
    }
}
"#;

#[test]
fn what_follows_the_end_of_a_recording_harms_nobody() {
    for java in support::jdks() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("Main.java"), PROGRAM).unwrap();
        support::compile(dir.path(), dir.path(), Path::new("."));
        let plain = support::java(&java, dir.path(), &["-cp", ".", "Main"]);
        for option in ["", ",no-oracle", ",races"] {
            let options = format!("observe=Inside,out=x.reprise,max-events=10{option}");
            let agent = support::agent(&options);
            let recorded = support::java(&java, dir.path(), &[&agent, "-cp", ".", "Main"]);
            let (said, _, status) = support::said(&recorded);
            assert_eq!(
                (said, status),
                (support::said(&plain).0, Some(0)),
                "{options}"
            );
            std::fs::remove_file(dir.path().join("x.reprise")).unwrap();
        }
    }
}
