//! What the machine's administrator, or a container, may have forbidden.
//!
//! The kernel only says "not permitted". These settings are why; a probe that
//! failed looks at them to name the fix.

use std::collections::BTreeMap;
use std::fs;

const NAMES: [&str; 4] = [
    "kernel.apparmor_restrict_unprivileged_userns",
    "kernel.unprivileged_userns_clone",
    "kernel.yama.ptrace_scope",
    "user.max_user_namespaces",
];

/// The settings of a machine.
pub(super) struct Settings {
    /// Whether this process runs under somebody's system-call filter, as it
    /// does in a container.
    pub(super) filtered: bool,
    values: BTreeMap<&'static str, String>,
}

impl Settings {
    /// Those of this machine that exist and can be read.
    pub(super) fn read() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let filtered = status
            .lines()
            .any(|line| line.starts_with("Seccomp:") && line.ends_with('2'));
        let values = NAMES
            .into_iter()
            .filter_map(|name| Some((name, sysctl(name)?)))
            .collect();
        Self { filtered, values }
    }

    /// The value of a setting.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        debug_assert!(NAMES.contains(&name), "{name} is never read");
        self.values.get(name).map(String::as_str)
    }

    /// Made-up settings.
    #[cfg(test)]
    pub(super) fn of(filtered: bool, values: &[(&'static str, &str)]) -> Self {
        let values = values.iter();
        let values = values.map(|(name, value)| (*name, (*value).to_string()));
        Self {
            filtered,
            values: values.collect(),
        }
    }
}

/// A kernel setting, when it exists and can be read.
pub(super) fn sysctl(name: &str) -> Option<String> {
    let path = format!("/proc/sys/{}", name.replace('.', "/"));
    let value = fs::read_to_string(path).ok()?;
    Some(value.trim().to_string())
}
