//! Empty namespaces: the second wall around the player of a process.

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};

use super::settings::Settings;
use crate::doctor::finding::Finding;

/// Moves into new namespaces, and does there what only their owner may: some
/// systems let the first succeed and forbid the second.
pub(super) fn probe() -> Finding {
    let all = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWIPC;
    if let Err(errno) = unshare(all) {
        return blame("new namespaces are refused", errno, &Settings::read());
    }
    let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    if let Err(errno) = mount(None::<&str>, "/", None::<&str>, private, None::<&str>) {
        return blame(
            "new namespaces can be made but not used",
            errno,
            &Settings::read(),
        );
    }
    Finding::works("moved into new user, mount, pid, net and ipc namespaces")
}

fn blame(what: &str, errno: Errno, settings: &Settings) -> Finding {
    let finding = Finding::fails(format!("{what} ({})", errno.desc()));
    let forbidding = [
        ("user.max_user_namespaces", "0", "10000"),
        ("kernel.unprivileged_userns_clone", "0", "1"),
        ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
    ];
    for (name, forbids, allows) in forbidding {
        if settings.get(name) == Some(forbids) {
            return finding.fix(format!("sudo sysctl -w {name}={allows}"));
        }
    }
    if settings.filtered {
        return finding.fix(
            "the filter of this container or sandbox forbids it: \
             docker run --security-opt seccomp=PROFILE.json … with \"unshare\" and \"mount\" allowed",
        );
    }
    finding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_that_forbids_is_the_one_to_change() {
        let fix = |filtered, settings: &[_]| {
            let settings = Settings::of(filtered, settings);
            blame("x", Errno::EPERM, &settings).fixes.concat()
        };
        let generous = ("user.max_user_namespaces", "10000");
        assert_eq!(
            fix(
                true,
                &[
                    generous,
                    ("kernel.apparmor_restrict_unprivileged_userns", "1")
                ]
            ),
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
        );
        assert_eq!(
            fix(false, &[("user.max_user_namespaces", "0")]),
            "sudo sysctl -w user.max_user_namespaces=10000"
        );
        assert!(fix(true, &[generous]).contains("docker"));
        assert_eq!(fix(false, &[generous]), "");
    }
}
