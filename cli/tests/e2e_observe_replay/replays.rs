//! As recorded, changed, in a folder, damaged.

use std::fs;

use crate::stage::{CART, Stage, compile, pack, said};

#[test]
fn a_recording_is_played_without_its_classes() {
    let stage = Stage::record(CART, "Cart");
    let line = "reprise: replayed 14 events of 1 thread; everything is as recorded";
    assert_eq!(said(&stage.replay(&[])), (Some(0), vec![line.to_owned()]));
}

#[test]
fn another_version_diverges_with_status_3() {
    let stage = Stage::record(CART, "Cart");
    let new = stage.folder.path().join("new");
    compile(&CART.replace("total - discount", "total + discount"), &new);
    let (status, lines) = said(&stage.replay(&["--classes", "new", "x.reprise"]));
    assert_eq!(status, Some(3));
    assert_eq!(
        lines[0],
        "reprise: diverged at event 13 of thread main, in Cart.total: expected a return of 4, got a \
         return of 6"
    );
    let (status, lines) = said(&stage.replay(&["--classes", "none.jar", "x.reprise"]));
    assert_eq!(status, Some(2), "{lines:?}");
}

#[test]
fn keep_going_plays_to_the_end() {
    let stage = Stage::record(CART, "Cart");
    let new = stage.folder.path().join("new");
    compile(&CART.replace("names.add(name);", ""), &new);
    let arguments = ["--keep-going", "--classes", "new", "x.reprise"];
    let (status, lines) = said(&stage.replay(&arguments));
    assert_eq!(status, Some(3));
    assert_eq!(
        lines[2], "reprise: replayed 14 events of 1 thread; 2 divergences",
        "{lines:?}"
    );
}

#[test]
fn a_folder_of_recordings_is_summed_up() {
    let stage = Stage::record(CART, "Cart");
    let folder = stage.folder.path().join("recordings");
    fs::create_dir(&folder).unwrap();
    for name in ["a.reprise", "b.reprise"] {
        fs::copy(&stage.file, folder.join(name)).unwrap();
    }
    let (status, lines) = said(&stage.replay(&["recordings"]));
    let expected = "reprise: 2 recordings: 2 as recorded, 0 diverged, 0 could not be played";
    assert_eq!((status, &lines[..]), (Some(0), &[expected.to_owned()][..]));
    fs::write(folder.join("c.reprise"), "nothing").unwrap();
    let new = stage.folder.path().join("new");
    compile(&CART.replace("total - discount", "total + discount"), &new);
    pack(&new, &stage.folder.path().join("new.jar"));
    let arguments = ["--classes", "new.jar", "recordings"];
    let (status, lines) = said(&stage.replay(&arguments));
    assert_eq!(status, Some(3));
    let diverged = "diverged at event 13 of thread main, in Cart.total: expected a return of 4, got \
                    a return of 6";
    assert_eq!(
        lines[0],
        format!("reprise: recordings/a.reprise: {diverged}")
    );
    assert!(
        lines[2].starts_with("reprise: recordings/c.reprise: "),
        "{lines:?}"
    );
    let place = "reprise: 2 recordings diverged first in Cart.total";
    let last = "reprise: 3 recordings: 0 as recorded, 2 diverged, 1 could not be played";
    assert_eq!(lines[3..], [place, last]);
}

/// A class that only the new version has is played with the others, and what
/// stands first counts.
#[test]
fn several_paths_are_a_class_path() {
    let stage = Stage::record(CART, "Cart:Price");
    let (new, other) = (
        stage.folder.path().join("new"),
        stage.folder.path().join("other"),
    );
    let changed = CART.replace("total += price;", "total = Price.add(total, price);");
    let helper = "class Price { static int add(int a, int b) { return a + b; } }";
    compile(&format!("{changed}\n{helper}"), &new);
    compile(&CART.replace("total - discount", "7"), &other);
    for path in [&new, &other] {
        fs::remove_file(path.join("Main.class")).unwrap();
        pack(path, &path.with_extension("jar"));
    }
    let same = "reprise: replayed 14 events of 1 thread; everything is as recorded".to_owned();
    let arguments = [
        "--classes",
        "new.jar",
        "--classes",
        "other.jar",
        "x.reprise",
    ];
    assert_eq!(said(&stage.replay(&arguments)), (Some(0), vec![same]));
    let arguments = ["--classes", "other.jar", "--classes", "new", "x.reprise"];
    assert_eq!(said(&stage.replay(&arguments)).0, Some(3));
    fs::remove_file(other.join("Cart.class")).unwrap();
    let (status, lines) = said(&stage.replay(&["--classes", "other", "x.reprise"]));
    assert_eq!(status, Some(2), "{lines:?}");
    assert!(
        lines[0].contains("none of the recorded classes"),
        "{lines:?}"
    );
}

/// Two released versions of a library that nobody here wrote.
#[test]
fn released_versions_of_a_library() {
    let coordinates = [
        "org.apache.commons:commons-text:1.9",
        "org.apache.commons:commons-text:1.10.0",
        "org.apache.commons:commons-lang3:3.12.0",
    ];
    let jars = reprise_jvm_testing::maven::jars(env!("CARGO_TARGET_TMPDIR"), &coordinates);
    let Some(jars) = jars else { return };
    let [old, new, lang] = &jars[..] else {
        panic!("{jars:?}")
    };
    let stage = Stage::empty();
    let (old, lang) = (old.display(), lang.display());
    stage.compile_with(LIBRARY, &old.to_string());
    for name in ["words", "distance", "escape"] {
        let class_path = format!("classes:{old}:{lang}");
        stage.record_run("org.apache.commons.text.**", &class_path, name);
    }
    let new = new.to_str().unwrap();
    let (status, lines) = said(&stage.replay(&["--classes", new, "."]));
    assert_eq!(status, Some(3), "{lines:?}");
    let diverged = "at org.apache.commons.text.translate.EntityArrays.invert:447";
    assert!(
        lines[0].starts_with("reprise: ./escape.reprise: "),
        "{lines:?}"
    );
    assert_eq!(
        lines[1],
        format!("reprise: 1 recording diverged first {diverged}")
    );
    let last = "reprise: 3 recordings: 2 as recorded, 1 diverged, 0 could not be played";
    assert_eq!(lines[2], last);
    let (status, lines) = said(&stage.replay(&["--classes", &old.to_string(), "."]));
    assert_eq!(status, Some(0), "{lines:?}");
}

const LIBRARY: &str = r#"
import org.apache.commons.text.StringEscapeUtils;
import org.apache.commons.text.WordUtils;
import org.apache.commons.text.similarity.LevenshteinDistance;

public class Main {
    public static void main(String[] args) {
        switch (args[0]) {
            case "words":
                System.out.println(WordUtils.capitalizeFully("hello wide WORLD"));
                break;
            case "distance":
                System.out.println(new LevenshteinDistance().apply("kitten", "sitting"));
                break;
            default:
                System.out.println(StringEscapeUtils.escapeHtml4("<b>salt & pepper</b>"));
        }
    }
}
"#;

/// What the outside did unseen is named where it shows.
#[test]
fn a_divergence_names_what_was_not_recorded() {
    const HANDLED: &str = r#"
        import java.lang.invoke.MethodHandles;

        public class Main {
            public static void main(String[] args) throws Throwable {
                Cart cart = new Cart();
                MethodHandles.lookup().findSetter(Cart.class, "items", int.class).invoke(cart, 3);
                cart.tell();
            }
            static void told(int items) {}
        }
        class Cart {
            volatile int items = 1;
            void tell() {
                Main.told(items);
            }
        }
    "#;
    let stage = Stage::record(HANDLED, "Cart");
    let (status, lines) = said(&stage.replay(&[]));
    assert_eq!(status, Some(3), "{lines:?}");
    assert!(
        lines[0].contains("expected a call of Main.told with argument 1 3, got"),
        "{lines:?}"
    );
    let named =
        "  this was not recorded: Cart.items, the outside has a handle that can write to it unseen";
    assert!(lines.iter().any(|line| line.ends_with(named)), "{lines:?}");
}
