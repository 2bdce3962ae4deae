//! Clients from Debian's sources, over the loopback interface.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;

use super::debian;
use super::measure::{Case, with};
use super::stage::reprise;

/// Serves `body` to everybody who asks, until the test ends.
fn serve(body: Vec<u8>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut asked = Vec::new();
            let mut bytes = [0; 4096];
            while !asked.ends_with(b"\r\n\r\n") {
                match stream.read(&mut bytes) {
                    Ok(len @ 1..) => asked.extend_from_slice(&bytes[..len]),
                    _ => break,
                }
            }
            let head = format!(
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.write_all(&body);
        }
    });
    port
}

/// A URL on the loopback interface with so many bytes of content.
fn url(len: usize) -> String {
    let body: Vec<u8> = (0..len).map(|at| (at * 7 % 251) as u8).collect();
    format!("http://127.0.0.1:{}/", serve(body))
}

/// wget: what it takes to replay its part for HTTP, which hardly looks at what it
/// loads.
#[test]
fn debian_wget() {
    const LEN: usize = 8 << 20;
    let Some(stage) = debian::stage("wget") else {
        return;
    };
    let options = "--without-ssl --without-zlib --disable-nls --without-libpsl --disable-iri \
                   --disable-ntlm --without-metalink --without-cares --without-libuuid";
    let (small, large) = (url(20_000), url(LEN));
    let (small, large) = (["-q", "-O", "-", &small], ["-q", "-O", "-", &large]);
    let wget = Case {
        program: &stage.built("wget", "src/wget", options),
        small: with(&small),
        large: with(&large),
        reads: LEN as u64,
    };
    for target in [
        &["--target", "http.c:*"][..],
        &["--target", "url.c:*"],
        &["--whole-program"],
    ] {
        stage.compare(wget, target);
    }
}

/// neon, a library that speaks HTTP, with a client that ignores what it loads: in the
/// paper that is the case where nothing of the content has to be in the log.
#[test]
fn debian_neon() {
    const LEN: usize = 400 << 10;
    let Some(stage) = debian::stage("neon") else {
        return;
    };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e_cut/neon.c");
    let cc = reprise().display();
    stage.source(
        "neon27",
        &format!(
            "CC='{cc} cc' ./configure -q --disable-shared --disable-nls --disable-webdav \
             --without-ssl --without-zlib --without-gssapi --without-libproxy \
             && make -s -C src && {cc} cc -O1 -DHAVE_CONFIG_H -Isrc -o get {} src/.libs/libneon.a",
            source.display()
        ),
    );
    let (small, large) = (url(20_000), url(LEN));
    let (small, large) = ([small.as_str(), "2"], [large.as_str(), "40"]);
    let neon = Case {
        program: "./neon27.src/tree/get",
        small: with(&small),
        large: with(&large),
        reads: 40 * LEN as u64,
    };
    for target in [&["--target", "ne_request.c:*"][..], &["--whole-program"]] {
        stage.compare(neon, target);
    }
}
