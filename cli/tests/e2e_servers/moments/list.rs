//! The programs of the study, and what is asked of them.

use crate::server::HTTPD;

/// What is measured while a program runs.
#[derive(Clone, Copy)]
pub(super) enum Asked {
    /// The time from its start to its end; its input comes from a file.
    Computing,
    /// Commands for a shell that ask it: one for LENGTH seconds at a rate that it can keep,
    /// which says how many milliseconds an answer takes, and one for as much as it can give,
    /// which says how many answers there are in a second.
    Answering {
        calmly: &'static str,
        fully: &'static str,
    },
    /// Nothing: it waits for its user.
    Waiting,
}

/// A program. In all texts ROOT is a folder of its own, PORT a free port and ORIGIN another.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) needs: &'static [&'static str],
    /// What a file `conf` in its folder holds.
    pub(super) configuration: &'static str,
    /// What a shell does before, in its folder; a failure means that it cannot be studied here.
    pub(super) before: &'static str,
    /// What a shell does before each run and behind the last.
    pub(super) clean: &'static str,
    /// What runs beside it and is not recorded.
    pub(super) beside: &'static str,
    /// Its words.
    pub(super) command: &'static str,
    pub(super) asked: Asked,
}

/// As often as the paper asked its servers.
const CALMLY: &str = "httperf --server 127.0.0.1 --port PORT --uri /text --rate 200 \
                      --num-conns $((200 * LENGTH)) --timeout 10 2>/dev/null | sed -n \
                      's/^Reply time .ms.: response \\([0-9.]*\\) .*/\\1/p'";

const FULLY: &str = "wrk -t1 -c4 -d3s --timeout 60s http://127.0.0.1:PORT/text | \
                     sed -n 's/Requests.sec: *//p'";

const HTTP: Asked = Asked::Answering {
    calmly: CALMLY,
    fully: FULLY,
};

const HTTPD_SETTINGS: &str = "ServerRoot ROOT\nServerName here\nListen 127.0.0.1:PORT\nPidFile \
                              ROOT/pid\nErrorLog ROOT/log\nDocumentRoot ROOT\n\
                              DefaultRuntimeDir ROOT\nMutex file:ROOT\nLoadModule \
                              authz_core_module /usr/lib/apache2/modules/mod_authz_core.so\n\
                              LoadModule mpm_MPM_module \
                              /usr/lib/apache2/modules/mod_mpm_MPM.so\n";

const NONE: Program = Program {
    name: "",
    needs: &[],
    configuration: "",
    before: "true",
    clean: "true",
    beside: "",
    command: "",
    asked: Asked::Computing,
};

pub(super) const ALL: &[Program] = &[
    Program {
        name: "httpd, prefork",
        needs: &[HTTPD, "wrk", "httperf"],
        configuration: HTTPD_SETTINGS,
        before: "sed -i s/MPM/prefork/g conf",
        command: "/usr/sbin/apache2 -X -f ROOT/conf",
        asked: HTTP,
        ..NONE
    },
    Program {
        name: "httpd, event",
        needs: &[HTTPD, "wrk", "httperf"],
        configuration: HTTPD_SETTINGS,
        before: "sed -i s/MPM/event/g conf",
        command: "/usr/sbin/apache2 -X -f ROOT/conf",
        asked: HTTP,
        ..NONE
    },
    Program {
        name: "squid",
        needs: &["squid", "wrk", "httperf", "python3"],
        configuration: "http_port 127.0.0.1:PORT accel defaultsite=here\n\
                        cache_peer 127.0.0.1 parent ORIGIN 0 no-query originserver\n\
                        pid_filename ROOT/pid\naccess_log none\ncache_log ROOT/log\n\
                        cache_mem 8 MB\nshutdown_lifetime 1 second\nhttp_access allow all\npinger_enable off\n\
                        unique_hostname here\n",
        beside: "python3 -m http.server ORIGIN --bind 127.0.0.1",
        // What it shares has the name that it is given, and stays when it fails.
        clean: "rm -f /dev/shm/sqPORT-*",
        command: "squid -N -n sqPORT -f ROOT/conf",
        asked: HTTP,
        ..NONE
    },
    Program {
        name: "nginx",
        needs: &["nginx", "wrk", "httperf"],
        configuration: "worker_processes 1; daemon off; master_process off; pid ROOT/pid; \
                        error_log ROOT/log; events { } http { access_log off; \
                        client_body_temp_path ROOT/t; proxy_temp_path ROOT/t; \
                        fastcgi_temp_path ROOT/t; uwsgi_temp_path ROOT/t; scgi_temp_path ROOT/t; \
                        server { listen 127.0.0.1:PORT; root ROOT; } }",
        command: "nginx -c ROOT/conf",
        asked: HTTP,
        ..NONE
    },
    Program {
        name: "redis",
        needs: &["redis-server", "redis-benchmark"],
        configuration: "bind 127.0.0.1\nport PORT\nsave \"\"\ndir ROOT\n",
        command: "redis-server ROOT/conf",
        asked: Asked::Answering {
            // A question every ten milliseconds; the third number is the mean.
            calmly: "timeout LENGTH redis-cli -p PORT --latency --raw | awk '{print $3}'",
            fully: "timeout 60 redis-benchmark -p PORT -c 4 -n 6000 -t set,get -q | tr '\\r' '\\n' \
                    | sed -n 's/^GET: \\([0-9.]*\\) req.*/\\1/p' | tail -1",
        },
        ..NONE
    },
    Program {
        name: "gv",
        needs: &["gv", "Xvfb", "gs"],
        configuration: "%!\n100 100 moveto 300 300 lineto stroke showpage\n",
        command: "gv -display :77 ROOT/conf",
        asked: Asked::Waiting,
        ..NONE
    },
    Program {
        name: "gzip",
        needs: &["gzip"],
        // Text that is neither all the same nor all different.
        before: "awk 'BEGIN { for (n = 0; n < 7000000; n++) \
                 printf \"line %d of %d\\n\", n * n % 9973, n }' > stdin",
        command: "gzip -c",
        ..NONE
    },
    Program {
        name: "bc",
        needs: &["bc"],
        before: "echo 'scale=3000; 4*a(1)' > stdin",
        command: "bc -l",
        ..NONE
    },
    Program {
        name: "sqlite3",
        needs: &["sqlite3"],
        before: "cat > stdin <<END\ncreate table t(a, b);\nwith recursive c(x) as (select 1 union \
                 all select x+1 from c where x<9000000) insert into t select x, x*7919%10007 from \
                 c;\nselect b, count(*), sum(a) from t group by b order by 2 desc limit 3;\nEND",
        command: "sqlite3 :memory:",
        ..NONE
    },
    Program {
        name: "python3, four threads",
        needs: &["/usr/bin/python3"],
        before: "cat > made.py <<END\nimport threading, random\n\
                 def f(): return sum(i * i % 7 for i in range(30000000))\n\
                 ts = [threading.Thread(target=f) for _ in range(4)]\n\
                 [t.start() for t in ts]; [t.join() for t in ts]; print(random.random())\nEND",
        command: "/usr/bin/python3 ROOT/made.py",
        ..NONE
    },
    Program {
        name: "Go, four goroutines",
        needs: &["go"],
        before: "cat > made.go <<END\npackage main\nimport (\"fmt\"; \"math/rand\")\n\
                 func main() { c := make(chan int); for i := 0; i < 4; i++ { go func(i int) { \
                 s := 0; for j := 0; j < 2400000000; j++ { s += j * i % 7 }; c <- s + \
                 rand.Intn(9) }(i) }\nt := 0; for i := 0; i < 4; i++ { t += <-c }; \
                 fmt.Println(t) }\nEND\nGOCACHE=ROOT/cache go build -o made made.go",
        command: "ROOT/made",
        ..NONE
    },
    Program {
        name: "Rust, four threads",
        needs: &["rustc"],
        before: "cat > made.rs <<END\nuse std::collections::HashMap;\nfn main() { let ts: Vec<_> = \
                 (0..4u64).map(|i| std::thread::spawn(move || { let mut m = HashMap::new(); \
                 for n in 0..250_000_000u64 { *m.entry(n * i % 1009).or_insert(0u64) += n; } \
                 m.len() })).collect(); for t in ts { println!(\"{:?}\", t.join()); } }\nEND\n\
                 rustc -O -o made made.rs",
        command: "ROOT/made",
        ..NONE
    },
];
