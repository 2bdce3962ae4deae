//! Which programs.

/// A program that ends by itself.
pub(super) struct Run {
    pub(super) name: &'static str,
    /// What has to be installed.
    pub(super) needs: &'static [&'static str],
    /// What is done before, unrecorded.
    pub(super) before: &'static str,
    pub(super) command: &'static str,
}

/// A program that serves others.
pub(super) struct Serves {
    pub(super) name: &'static str,
    pub(super) needs: &'static [&'static str],
    pub(super) before: &'static str,
    /// The content of a file `conf`; ROOT is its folder and PORT a free one.
    pub(super) configuration: &'static str,
    pub(super) command: &'static str,
    /// Succeeds when the server has answered.
    pub(super) asked: &'static str,
    /// The user who runs it, where it refuses root.
    pub(super) user: Option<&'static str>,
}

const fn run(
    name: &'static str,
    needs: &'static [&'static str],
    before: &'static str,
    command: &'static str,
) -> Run {
    Run {
        name,
        needs,
        before,
        command,
    }
}

pub(super) const RUNS: &[Run] = &[
    run("gzip", &["gzip"], "true", "exec gzip -c text"),
    run("bc", &["bc"], "true", "echo 'scale=300; 4*a(1)' | bc -l"),
    run(
        "sqlite3",
        &["sqlite3"],
        "true",
        "exec sqlite3 x.db 'create table t(a); insert into t values(random()); select * from t'",
    ),
    run(
        "git",
        &["git"],
        "true",
        "git init -q g && cp text g && cd g && git add . && \
         git -c user.name=a -c user.email=b@c commit -qm x && git log --stat && git gc -q",
    ),
    run(
        "python3, threads",
        &["/usr/bin/python3"],
        "true",
        "exec /usr/bin/python3 -c 'import threading, random\n\
         def f(): print(sum(i * i for i in range(300000)))\n\
         ts = [threading.Thread(target=f) for _ in range(4)]\n\
         [t.start() for t in ts]; [t.join() for t in ts]; print(random.random())'",
    ),
    run(
        "python3, a pool",
        &["/usr/bin/python3"],
        "true",
        "exec /usr/bin/python3 -c 'import multiprocessing as m\n\
         print(m.Pool(3).map(abs, range(-20, 20)))'",
    ),
    run(
        "perl",
        &["perl"],
        "true",
        "exec perl -e 'my %h; $h{$_ % 97}++ for 1..300000; print keys %h, `date`, rand()'",
    ),
    run(
        "node",
        &["node"],
        "true",
        "exec node -e 'let s = 0; for (let i = 0; i < 3e6; i++) s += i % 7; console.log(s, \
         require(\"crypto\").randomBytes(4)); setTimeout(() => console.log(1), 50)'",
    ),
    run(
        "java",
        &["java", "javac"],
        "echo 'public class T { public static void main(String[] a) { var m = new \
         java.util.HashMap<String, Integer>(); for (int i = 0; i < 200000; i++) m.merge(\"k\" + i \
         % 100, 1, Integer::sum); System.out.println(m.size() + Math.random()); } }' > T.java && \
         javac -encoding UTF-8 T.java",
        "exec java -cp . T",
    ),
    run(
        "java, ZGC",
        &["java", "javac"],
        "echo 'public class T { public static void main(String[] a) { var m = new \
         java.util.HashMap<String, byte[]>(); for (int i = 0; i < 20000; i++) m.put(\"k\" + i \
         % 100, new byte[i]); System.gc(); System.out.println(m.size() + Math.random()); } }' > \
         T.java && javac -encoding UTF-8 T.java",
        "exec java -XX:+UseZGC -Xmx64m -cp . T",
    ),
    run(
        "erlang",
        &["erl"],
        "true",
        "exec erl -noshell -eval 'Me = self(), Ws = [spawn(fun F() -> receive {N, To} -> To ! \
         {self(), lists:sum(lists:seq(1, N))}, F() end end) || _ <- lists:seq(1, 20)], io:format(\
         \"~p~n\", [lists:sum([begin [W ! {R * 50, Me} || W <- Ws], lists:sum([receive {W, V} -> \
         V end || W <- Ws]) end || R <- lists:seq(1, 200)]) + rand:uniform(9)]), init:stop().'",
    ),
    run(
        "go",
        &["go"],
        "printf 'package main\\nimport (\"fmt\"; \"time\"; \"math/rand\")\\nfunc main() { c := \
         make(chan int); for i := 0; i < 8; i++ { go func(i int) { s := 0; for j := 0; j < \
         3000000; j++ { s += j * i }; time.Sleep(time.Millisecond); c <- s + rand.Intn(9) }(i) }\\n\
         t := 0; for i := 0; i < 8; i++ { t += <-c }; fmt.Println(t) }\\n' > g.go && \
         HOME=$PWD GOCACHE=$PWD/.cache go build -o g g.go",
        "exec ./g",
    ),
    run(
        "rust",
        &["rustc"],
        "printf 'use std::collections::HashMap;\\nfn main() { let ts: Vec<_> = \
         (0..4u64).map(|i| std::thread::spawn(move || { let mut m = HashMap::new(); for n in \
         0..100000u64 { *m.entry(n * i %% 1009).or_insert(0u64) += n; } \
         m.into_iter().next() })).collect(); for t in ts { println!(\"{:?}\", t.join()); } }' \
         > r.rs && rustc -O r.rs",
        "exec ./r",
    ),
    run(
        "c++, random_device",
        &["g++"],
        "printf '#include <random>\\n#include <cstdio>\\nint main() { std::random_device r; for \
         (int i = 0; i < 9; i++) std::printf(\"%%u\\\\n\", r()); }' > r.cc && g++ -o r r.cc",
        "exec ./r",
    ),
    run(
        "gcc",
        &["gcc"],
        "printf '#include <stdio.h>\\nint main(void) { puts(\"x\"); }' > m.c",
        "exec gcc -O2 -o m m.c",
    ),
    run(
        "bash",
        &["bash"],
        "true",
        "exec bash -c 'for i in 1 2 3 4 5; do echo $i | tr 1-5 a-e; done; (sleep 0.1; echo bg) & \
         wait; ls / | sort | head -3'",
    ),
    run(
        "make -j2",
        &["make"],
        "printf 'all: a b\\na b:\\n\\techo $@ > $@\\n' > Makefile",
        "exec make -j2",
    ),
    run(
        "tar, xz -T2",
        &["tar", "xz"],
        "cat text text text > more",
        "exec tar -I 'xz -T2 -1' -cf o.txz more",
    ),
    run("pigz", &["pigz"], "true", "pigz -p 4 -c text | wc -c"),
    run(
        "zstd -T2",
        &["zstd"],
        "true",
        "exec zstd -T2 -q -o o.zst text",
    ),
    run(
        "busybox, static",
        &["busybox"],
        "true",
        "exec busybox sh -c 'busybox ls / | busybox wc -l'",
    ),
    run(
        "openssl speed",
        &["openssl"],
        "true",
        "exec openssl speed -seconds 1 -bytes 1024 sha256",
    ),
    run(
        "ruby",
        &["ruby"],
        "true",
        "exec ruby -e 'puts (1..90000).sum, rand; Thread.new { puts `echo x` }.join'",
    ),
    run(
        "php",
        &["php"],
        "true",
        "exec php -r 'echo array_sum(range(1, 90000)), mt_rand(), shell_exec(\"date\");'",
    ),
    run(
        "lua",
        &["lua5.4"],
        "true",
        "exec lua5.4 -e 'local s = 0 for i = 1, 1e6 do s = s + i end print(s, os.time())'",
    ),
    run(
        "gawk",
        &["gawk"],
        "true",
        "exec gawk 'BEGIN { srand(); print rand(); while ((\"ls /\" | getline x) > 0) n++; print n }'",
    ),
    run("jq", &["jq"], "true", "exec jq -n '[range(9000)] | add'"),
    run(
        "rsync",
        &["rsync"],
        "mkdir from && cp text from",
        "exec rsync -a from/ to/",
    ),
    run("curl", &["curl"], "true", "exec curl -s file://$PWD/text"),
    run(
        "vim in a terminal",
        &["vim", "script"],
        "true",
        "exec script -qec \"vim -u NONE -c ':put =range(5)' -c ':wq! x'\" /dev/null",
    ),
    run(
        "gs",
        &["gs"],
        "true",
        "echo '100 100 moveto 50 0 360 arc fill showpage' | gs -q -dBATCH -dNOPAUSE -sDEVICE=png16m -sOutputFile=o.png -",
    ),
    run(
        "gdb",
        &["gdb"],
        "true",
        "exec gdb -nx -batch -ex 'print 1 + 1'",
    ),
];

const CURL: &str = "curl -sf http://127.0.0.1:PORT/text | grep -q 19999";

/// Debian keeps it out of everybody's way.
const POSTGRES: &str = "/usr/lib/postgresql/15/bin/postgres";

pub(super) const SERVERS: &[Serves] = &[
    Serves {
        name: "nginx, 2 workers",
        needs: &["nginx", "curl"],
        before: "chmod 755 . && mkdir t",
        configuration: "worker_processes 2; daemon off; pid ROOT/pid; error_log ROOT/log; events \
                        { } http { access_log off; client_body_temp_path ROOT/t; proxy_temp_path \
                        ROOT/t; fastcgi_temp_path ROOT/t; uwsgi_temp_path ROOT/t; scgi_temp_path \
                        ROOT/t; server { listen 127.0.0.1:PORT; root ROOT; } }",
        command: "nginx -c ROOT/conf",
        asked: CURL,
        user: None,
    },
    Serves {
        name: "redis",
        needs: &["redis-server", "redis-cli"],
        before: "true",
        configuration: "bind 127.0.0.1\nport PORT\nsave \"\"\ndir ROOT\n",
        command: "redis-server ROOT/conf",
        asked: "redis-cli -p PORT incr x",
        user: None,
    },
    Serves {
        name: "memcached",
        needs: &["memcached"],
        before: "true",
        configuration: "",
        command: "memcached -u root -l 127.0.0.1 -p PORT",
        asked: "bash -c 'exec 3<>/dev/tcp/127.0.0.1/PORT; printf \"set a 0 0 3\\r\\nabc\\r\\nget \
                a\\r\\nquit\\r\\n\" >&3; grep -q END <&3'",
        user: None,
    },
    Serves {
        name: "squid",
        needs: &["squid", "curl"],
        before: "chmod 777 .",
        configuration: "http_port 127.0.0.1:PORT\npid_filename ROOT/pid\naccess_log none\n\
                        cache_log ROOT/log\ncache deny all\nhttp_access allow all\n\
                        pinger_enable off\nshutdown_lifetime 1 second\nunique_hostname here\n",
        command: "squid -N -f ROOT/conf",
        asked: "curl -s -x http://127.0.0.1:PORT http://127.0.0.1:9/ | grep -q squid",
        user: None,
    },
    Serves {
        name: "lighttpd",
        needs: &["lighttpd", "curl"],
        before: "true",
        configuration: "server.document-root = \"ROOT\"\nserver.port = PORT\nserver.bind = \"127.0.0.1\"\n",
        command: "lighttpd -D -f ROOT/conf",
        asked: CURL,
        user: None,
    },
    Serves {
        name: "socat, forking",
        needs: &["socat"],
        before: "true",
        configuration: "",
        command: "socat TCP-LISTEN:PORT,bind=127.0.0.1,reuseaddr,fork EXEC:cat",
        asked: "bash -c 'exec 3<>/dev/tcp/127.0.0.1/PORT; echo hi >&3; read -u 3 x; [ $x = hi ]'",
        user: None,
    },
    Serves {
        name: "openssl s_server",
        needs: &["openssl", "curl"],
        before: "openssl req -x509 -newkey rsa:2048 -nodes -keyout k -out c -days 2 -subj /CN=x",
        configuration: "",
        command: "openssl s_server -accept 127.0.0.1:PORT -cert ROOT/c -key ROOT/k -www -quiet",
        asked: "curl -skf https://127.0.0.1:PORT/ | grep -qi cipher",
        user: None,
    },
    Serves {
        name: "python3, http",
        needs: &["/usr/bin/python3", "curl"],
        before: "true",
        configuration: "",
        command: "/usr/bin/python3 -m http.server --bind 127.0.0.1 -d ROOT PORT",
        asked: CURL,
        user: None,
    },
    Serves {
        name: "node, http",
        needs: &["node", "curl"],
        before: "true",
        configuration: "require('http').createServer((q, r) => r.end('19999 ' + \
                        Math.random())).listen(PORT, '127.0.0.1')",
        command: "node ROOT/conf",
        asked: CURL,
        user: None,
    },
    Serves {
        name: "PostgreSQL",
        needs: &[POSTGRES, "psql", "setpriv"],
        before: "chmod 711 . && mkdir data && chown nobody data . && cd data && setpriv \
                 --reuid nobody --clear-groups /usr/lib/postgresql/15/bin/initdb -D . -A trust \
                 --no-sync",
        configuration: "",
        command: "/usr/lib/postgresql/15/bin/postgres -D ROOT/data -h 127.0.0.1 -p PORT -k ROOT",
        asked: "psql -h 127.0.0.1 -p PORT -U nobody postgres -c 'create table if not exists t(a \
                int); insert into t select generate_series(1, 100); select sum(a) from t' \
                -c 'delete from t where a % 2 = 0'",
        user: Some("nobody"),
    },
    Serves {
        name: "MariaDB",
        needs: &["mariadbd", "mariadb", "setpriv"],
        before: "chmod 711 . && mkdir data && chown nobody data . && mariadb-install-db \
                 --no-defaults --datadir=$PWD/data --user=nobody --auth-root-authentication-method=normal",
        configuration: "",
        command: "mariadbd --no-defaults --datadir=ROOT/data --bind-address=127.0.0.1 --port=PORT \
                  --socket=ROOT/socket --pid-file=ROOT/pid",
        asked: "mariadb --no-defaults -S ROOT/socket -u root test -e 'create table if not exists \
                t(a int); insert into t values (1), (2); select sum(a) from t'",
        user: Some("nobody"),
    },
    Serves {
        name: "haproxy",
        needs: &["haproxy", "curl"],
        before: "true",
        configuration: "defaults\n mode http\n timeout connect 5s\n timeout client 5s\n timeout \
                        server 5s\nfrontend f\n bind 127.0.0.1:PORT\n http-request return status \
                        200 content-type text/plain string 19999\n",
        command: "haproxy -f ROOT/conf",
        asked: CURL,
        user: None,
    },
    Serves {
        name: "php-fpm",
        needs: &["php-fpm8.2", "cgi-fcgi"],
        before: "chmod 755 . && echo '<?php echo array_sum(range(1, 1000)), \" 19999\";' > a.php",
        configuration: "[global]\nerror_log = ROOT/log\ndaemonize = no\n[www]\nuser = nobody\ngroup \
                        = nogroup\nlisten = 127.0.0.1:PORT\npm = static\npm.max_children = 2\n",
        command: "php-fpm8.2 -y ROOT/conf",
        asked: "env SCRIPT_FILENAME=ROOT/a.php REQUEST_METHOD=GET cgi-fcgi -bind -connect \
                127.0.0.1:PORT | grep -q 19999",
        user: None,
    },
];
