//! Libraries that nobody here wrote, from Maven Central, each with a short driver
//! and as a whole inside, or a part of it. Studies: `cargo xtask study
//! observe-libraries` and `observe-parts`.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use reprise_jvm_testing::{limited, maven};

use crate::{sets, support};

struct Library {
    /// The folder of its driver.
    name: &'static str,
    jars: &'static str,
    observe: &'static str,
    /// The driver's arguments.
    work: &'static str,
}

const LIBRARIES: &[Library] = &[
    Library {
        name: "jsoup",
        jars: "org.jsoup:jsoup:1.18.1",
        observe: "org.jsoup.**",
        work: "3",
    },
    Library {
        name: "protobuf",
        jars: "com.google.protobuf:protobuf-java:3.25.5",
        observe: "com.google.protobuf.**",
        work: "5",
    },
    Library {
        name: "caffeine",
        jars: "com.github.ben-manes.caffeine:caffeine:3.1.8",
        observe: "com.github.benmanes.caffeine.**",
        work: "300",
    },
    Library {
        name: "jetty",
        jars: "org.eclipse.jetty:jetty-server:11.0.24 org.eclipse.jetty:jetty-http:11.0.24 \
               org.eclipse.jetty:jetty-util:11.0.24 org.eclipse.jetty:jetty-io:11.0.24 \
               org.eclipse.jetty.toolchain:jetty-jakarta-servlet-api:5.0.2 org.slf4j:slf4j-api:2.0.9",
        observe: "org.eclipse.jetty.**",
        work: "20",
    },
    Library {
        name: "compress",
        jars: "org.apache.commons:commons-compress:1.27.1 commons-codec:commons-codec:1.17.1 \
               commons-io:commons-io:2.16.1 org.apache.commons:commons-lang3:3.16.0",
        observe: "org.apache.commons.compress.**",
        work: "4000",
    },
    Library {
        name: "lucene",
        jars: "org.apache.lucene:lucene-core:9.11.1 org.apache.lucene:lucene-queryparser:9.11.1 \
               org.apache.lucene:lucene-queries:9.11.1 org.apache.lucene:lucene-sandbox:9.11.1 \
               org.apache.lucene:lucene-analysis-common:9.11.1",
        observe: "org.apache.lucene.**",
        work: "100",
    },
    Library {
        name: "groovy",
        jars: "org.apache.groovy:groovy:4.0.23",
        observe: "groovy.**:org.codehaus.groovy.**:org.apache.groovy.**",
        work: "1",
    },
    Library {
        name: "log4j",
        jars: "org.apache.logging.log4j:log4j-core:2.24.1 org.apache.logging.log4j:log4j-api:2.24.1",
        observe: "org.apache.logging.**",
        work: "40",
    },
    Library {
        name: "guava",
        jars: "com.google.guava:guava:33.3.1-jre com.google.guava:failureaccess:1.0.2",
        observe: "com.google.common.**",
        work: "40",
    },
    Library {
        name: "netty",
        jars: "io.netty:netty-codec-http:4.1.114.Final io.netty:netty-common:4.1.114.Final \
               io.netty:netty-buffer:4.1.114.Final io.netty:netty-transport:4.1.114.Final \
               io.netty:netty-resolver:4.1.114.Final io.netty:netty-codec:4.1.114.Final \
               io.netty:netty-handler:4.1.114.Final \
               io.netty:netty-transport-native-unix-common:4.1.114.Final",
        observe: "io.netty.**",
        work: "20",
    },
    Library {
        name: "tomcat",
        jars: "org.apache.tomcat.embed:tomcat-embed-core:10.1.30 \
               org.apache.tomcat:tomcat-annotations-api:10.1.30",
        observe: "org.apache.**",
        work: "20",
    },
    Library {
        name: "clojure",
        jars: "org.clojure:clojure:1.11.4 org.clojure:spec.alpha:0.3.218 \
               org.clojure:core.specs.alpha:0.2.62",
        observe: "clojure.**",
        work: "1",
    },
    Library {
        name: "h2",
        jars: "com.h2database:h2:2.2.224",
        observe: "org.h2.**",
        work: "100 4",
    },
    Library {
        name: "rhino",
        jars: "org.mozilla:rhino:1.7.15",
        observe: "org.mozilla.**",
        work: "4",
    },
    Library {
        name: "antlr",
        jars: "org.antlr:antlr4:4.13.2 org.antlr:antlr4-runtime:4.13.2 \
               org.antlr:antlr-runtime:3.5.3 org.antlr:ST4:4.3.4 \
               org.abego.treelayout:org.abego.treelayout.core:1.0.3 com.ibm.icu:icu4j:72.1",
        observe: "org.antlr.**",
        work: "1",
    },
    Library {
        name: "spring",
        jars: "org.springframework:spring-context:6.1.14 org.springframework:spring-aop:6.1.14 \
               org.springframework:spring-beans:6.1.14 org.springframework:spring-core:6.1.14 \
               org.springframework:spring-jcl:6.1.14 \
               org.springframework:spring-expression:6.1.14 \
               io.micrometer:micrometer-observation:1.12.11 \
               io.micrometer:micrometer-commons:1.12.11",
        observe: "org.springframework.**",
        work: "1",
    },
    Library {
        name: "disruptor",
        jars: "com.lmax:disruptor:4.0.0",
        // It hands over by plain fields and fences.
        observe: "com.lmax.disruptor.**,races",
        work: "200",
    },
    Library {
        name: "quartz",
        jars: "org.quartz-scheduler:quartz:2.3.2 com.mchange:mchange-commons-java:0.2.15 \
               org.slf4j:slf4j-api:2.0.9",
        observe: "org.quartz.**",
        work: "10",
    },
    Library {
        name: "undertow",
        jars: "io.undertow:undertow-core:2.3.18.Final org.jboss.logging:jboss-logging:3.4.3.Final \
               org.jboss.xnio:xnio-api:3.8.16.Final org.jboss.xnio:xnio-nio:3.8.16.Final \
               org.wildfly.common:wildfly-common:1.5.4.Final \
               org.wildfly.client:wildfly-client-config:1.0.1.Final \
               org.jboss.threads:jboss-threads:3.5.0.Final",
        observe: "io.undertow.**:org.xnio.**",
        work: "20",
    },
    Library {
        name: "validator",
        jars: "org.hibernate.validator:hibernate-validator:8.0.1.Final \
               jakarta.validation:jakarta.validation-api:3.0.2 com.fasterxml:classmate:1.5.1 \
               org.jboss.logging:jboss-logging:3.4.3.Final \
               org.glassfish.expressly:expressly:5.0.0 jakarta.el:jakarta.el-api:5.0.0",
        observe: "org.hibernate.validator.**",
        work: "3",
    },
    Library {
        name: "jython",
        jars: "org.python:jython-standalone:2.7.4",
        observe: "org.python.**",
        work: "1",
    },
    Library {
        name: "hsqldb",
        jars: "org.hsqldb:hsqldb:2.7.3",
        observe: "org.hsqldb.**",
        work: "40",
    },
    Library {
        name: "derby",
        jars: "org.apache.derby:derby:10.14.2.0",
        observe: "org.apache.derby.**",
        work: "20",
    },
    Library {
        name: "xerces",
        jars: "xerces:xercesImpl:2.12.2 xml-apis:xml-apis:1.4.01",
        observe: "org.apache.xerces.**",
        work: "40",
    },
    Library {
        name: "jetty9",
        jars: "org.eclipse.jetty:jetty-server:9.4.56.v20240826 \
               org.eclipse.jetty:jetty-http:9.4.56.v20240826 \
               org.eclipse.jetty:jetty-util:9.4.56.v20240826 \
               org.eclipse.jetty:jetty-io:9.4.56.v20240826 \
               org.eclipse.jetty:jetty-servlet:9.4.56.v20240826 \
               org.eclipse.jetty:jetty-security:9.4.56.v20240826 \
               javax.servlet:javax.servlet-api:3.1.0",
        observe: "org.eclipse.jetty.**",
        work: "20",
    },
    Library {
        name: "reactor",
        jars: "io.projectreactor:reactor-core:3.6.10 org.reactivestreams:reactive-streams:1.0.4",
        observe: "reactor.**",
        work: "100",
    },
    Library {
        name: "scala",
        jars: "org.scala-lang:scala-library:2.13.14",
        observe: "scala.**",
        work: "500",
    },
    Library {
        name: "logback",
        jars: "ch.qos.logback:logback-classic:1.5.8 ch.qos.logback:logback-core:1.5.8 \
               org.slf4j:slf4j-api:2.0.16",
        observe: "ch.qos.logback.**:org.slf4j.**",
        work: "20",
    },
    Library {
        name: "janino",
        jars: "org.codehaus.janino:janino:3.1.12 org.codehaus.janino:commons-compiler:3.1.12",
        observe: "org.codehaus.**",
        work: "3",
    },
    Library {
        name: "hazelcast",
        jars: "com.hazelcast:hazelcast:5.3.8",
        observe: "com.hazelcast.**",
        work: "50",
    },
    Library {
        name: "pdfbox",
        jars: "org.apache.pdfbox:pdfbox:2.0.31 org.apache.pdfbox:fontbox:2.0.31 \
               commons-logging:commons-logging:1.3.4",
        observe: "org.apache.pdfbox.**:org.apache.fontbox.**",
        work: "3",
    },
    Library {
        name: "kotlin",
        jars: "org.jetbrains.kotlin:kotlin-compiler-embeddable:1.9.24 \
               org.jetbrains.kotlin:kotlin-stdlib:1.9.24 \
               org.jetbrains.kotlin:kotlin-script-runtime:1.9.24 \
               org.jetbrains.kotlin:kotlin-daemon-embeddable:1.9.24 \
               org.jetbrains.kotlin:kotlin-reflect:1.6.10 \
               org.jetbrains.intellij.deps:trove4j:1.0.20200330 org.jetbrains:annotations:13.0",
        observe: "org.jetbrains.kotlin.parsing.**:org.jetbrains.kotlin.resolve.**",
        work: "",
    },
    Library {
        name: "jruby",
        jars: "org.jruby:jruby-complete:9.4.7.0",
        observe: "org.jruby.**",
        work: "",
    },
];

/// How long each may take to play; what takes longer is told as that.
const SECONDS: u64 = 120;

/// Everything of each library. With `REPRISE_RACES`, the order of threads at plain fields and
/// elements is kept for all of them, here and in parts.
#[test]
fn as_a_whole() {
    each(|ready| {
        let outcome = ready.play(&ready.options(ready.patterns()));
        vec![(String::new(), outcome)]
    });
}

/// Sets of classes drawn from those that each driver makes a library use. With
/// `REPRISE_SEED` they are others.
#[test]
fn in_parts() {
    let seed = std::env::var("REPRISE_SEED").map_or(1, |seed| seed.parse().unwrap());
    each(|ready| {
        let used = sets::used(&ready.linked(), |class| ready.is_of_library(class));
        let mut drawn = Vec::new();
        sets::draw(&mut drawn, &used, &[1, 1, 1, 2, 3, 5], 9, seed);
        drawn
            .iter()
            .map(|set| {
                let set = set.join(":");
                let outcome = ready.play(&ready.options(&set));
                (format!(" {set}"), outcome)
            })
            .collect()
    });
}

/// What became of a library or of a part of it, by what the part is called.
type Outcomes = Vec<(String, Result<String, String>)>;

fn each(play: impl Fn(&Ready) -> Outcomes) {
    if std::env::var_os("REPRISE_STUDY").is_none() {
        return;
    }
    let chosen = std::env::var("REPRISE_LIBRARY").unwrap_or_default();
    let mut good = 0;
    let mut tried = 0;
    for library in LIBRARIES {
        if !library.name.contains(&chosen) {
            continue;
        }
        let outcomes = match Ready::of(library) {
            Ok(ready) => play(&ready),
            Err(why) => vec![(String::new(), Err(why))],
        };
        for (part, outcome) in outcomes {
            tried += 1;
            match outcome {
                Ok(said) => {
                    println!("{}{part}: {said}", library.name);
                    good += 1;
                }
                Err(why) => println!("{}{part}: NOT PLAYED: {why}", library.name),
            }
        }
    }
    println!("{good} of {tried} played as recorded and with the same output");
}

/// A library with its compiled driver, and what that says by itself.
struct Ready {
    library: &'static Library,
    folder: tempfile::TempDir,
    class_path: String,
    plain: Vec<u8>,
}

impl Ready {
    fn of(library: &'static Library) -> Result<Self, String> {
        let coordinates: Vec<&str> = library.jars.split_whitespace().collect();
        let Some(jars) = maven::jars(env!("CARGO_TARGET_TMPDIR"), &coordinates) else {
            return Err("its jars cannot be had".to_owned());
        };
        let folder = tempfile::tempdir().unwrap();
        let jars: Vec<String> = jars.iter().map(|jar| jar.display().to_string()).collect();
        let class_path = format!(".:{}", jars.join(":"));
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e_replay/libraries");
        let source = sources.join(library.name).join("Main.java");
        support::compile(&[source], folder.path(), &class_path);
        let mut ready = Self {
            library,
            folder,
            class_path,
            plain: Vec::new(),
        };
        ready.plain = ready.run(&[])?;
        Ok(ready)
    }

    fn arguments(&self) -> Vec<&str> {
        let mut arguments = vec!["-cp", &self.class_path, "Main"];
        arguments.extend(self.library.work.split_whitespace());
        arguments
    }

    fn run(&self, options: &[&str]) -> Result<Vec<u8>, String> {
        let output = limited::output(
            Command::new(&support::jdks()[0])
                .args(options)
                .args(self.arguments())
                .env_remove("JAVA_TOOL_OPTIONS")
                .current_dir(self.folder.path()),
        );
        if output.status.success() {
            return Ok(output.stdout);
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(format!("it fails by itself: {said}"))
    }

    /// What the JVM says of the classes that the driver makes it use.
    fn linked(&self) -> String {
        self.run(&["-Xlog:class+init=info:file=linked"]).unwrap();
        fs::read_to_string(self.folder.path().join("linked")).unwrap()
    }

    fn is_of_library(&self, class: &str) -> bool {
        let packages = self.patterns().split(':');
        let mut packages = packages.map(|p| p.trim_end_matches("**"));
        packages.any(|package| class.starts_with(package))
    }

    fn patterns(&self) -> &'static str {
        self.library.observe.split(',').next().unwrap_or_default()
    }

    /// To observe a set of classes.
    fn options(&self, set: &str) -> String {
        let races =
            self.library.observe.contains(",races") || std::env::var_os("REPRISE_RACES").is_some();
        format!("observe={set}{}", if races { ",races" } else { "" })
    }

    fn play(&self, options: &str) -> Result<String, String> {
        let java = &support::jdks()[0];
        let folder = self.folder.path();
        let (file, output) = support::record(java, folder, options, &self.arguments());
        if output != self.plain {
            return Err("it says something else".to_owned());
        }
        let bytes = fs::metadata(&file).unwrap().len();
        let mut jvm = support::jvm_for(java, SECONDS);
        let start = Instant::now();
        let played = support::play(&mut jvm, &file).map_err(|error| error.to_string())?;
        match played.divergences.first() {
            Some(divergence) => Err(divergence.to_string()),
            None => Ok(format!(
                "{} events of {} threads in {bytes} bytes, as recorded, in {:.1} s",
                played.events,
                played.threads,
                start.elapsed().as_secs_f64()
            )),
        }
    }
}
