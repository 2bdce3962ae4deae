//! What `reprise doctor` asks a JVM: which JVM are you, and what would you let
//! a recorder do?
//!
//! The answer is one JSON object, either
//!
//! ```text
//! { "agent": "0.1.0", "jvmti": "17.0.0",
//!   "vm_name": "OpenJDK 64-Bit Server VM", "vm_version": "17.0.1+12",
//!   "potential": ["can_retransform_classes", …],
//!   "refused": null }
//! ```
//!
//! or `{ "agent": "0.1.0", "error": "…" }`. The capabilities a recording needs
//! are really taken, not only asked about; `refused` says why that failed.

use serde::Serialize;

use jvmti_bindings::sys::jvmti::jvmtiCapabilities;

use crate::environment::{Environment, EnvironmentError};

#[derive(Serialize)]
struct Answer {
    agent: &'static str,
    jvmti: String,
    vm_name: String,
    vm_version: String,
    potential: Vec<&'static str>,
    refused: Option<String>,
}

#[derive(Serialize)]
struct Refusal {
    agent: &'static str,
    error: String,
}

/// The answer, as JSON text.
pub(crate) fn answer(environment: Result<Environment, EnvironmentError>) -> String {
    let agent = env!("CARGO_PKG_VERSION");
    let json = match environment.and_then(|environment| ask(&environment)) {
        Ok(answer) => serde_json::to_string(&answer),
        Err(error) => {
            let error = error.to_string();
            serde_json::to_string(&Refusal { agent, error })
        }
    };
    // Strings, and lists of strings, cannot fail to serialise.
    json.unwrap_or_default()
}

fn ask(environment: &Environment) -> Result<Answer, EnvironmentError> {
    let potential = environment.potential()?;
    let refused = environment.take(&needed()).err();
    Ok(Answer {
        agent: env!("CARGO_PKG_VERSION"),
        jvmti: environment.version()?,
        vm_name: environment.property(c"java.vm.name")?,
        vm_version: environment.property(c"java.vm.version")?,
        potential: names(&potential),
        refused: refused.map(|error| error.to_string()),
    })
}

/// What recording a JVM program cannot do without: to see every class as it is
/// loaded, those of the JVM's start included, and to change the ones that were
/// loaded before.
fn needed() -> jvmtiCapabilities {
    let mut needed = jvmtiCapabilities::default();
    needed.set_can_generate_all_class_hook_events(true);
    needed.set_can_generate_early_class_hook_events(true);
    needed.set_can_retransform_classes(true);
    needed
}

/// The names of the capabilities that are set, as the specification spells them.
fn names(capabilities: &jvmtiCapabilities) -> Vec<&'static str> {
    macro_rules! named {
        ($($name:ident)*) => {
            [$((stringify!($name), capabilities.$name())),*]
        };
    }
    let all = named! {
        can_tag_objects
        can_generate_field_modification_events
        can_generate_field_access_events
        can_generate_vm_object_alloc_events
        can_generate_garbage_collection_events
        can_generate_object_free_events
        can_generate_sampled_object_alloc_events
        can_get_bytecodes
        can_get_synthetic_attribute
        can_get_owned_monitor_info
        can_get_current_contended_monitor
        can_get_monitor_info
        can_pop_frame
        can_access_local_variables
        can_generate_frame_pop_events
        can_redefine_classes
        can_redefine_any_class
        can_generate_all_class_hook_events
        can_retransform_classes
        can_retransform_any_class
        can_generate_early_class_hook_events
        can_signal_thread
        can_get_source_file_name
        can_get_line_numbers
        can_get_source_debug_extension
        can_maintain_original_method_order
        can_generate_single_step_events
        can_generate_exception_events
        can_generate_breakpoint_events
        can_suspend
        can_generate_compiled_method_load_events
        can_generate_monitor_events
        can_generate_native_method_bind_events
        can_force_early_return
        can_get_owned_monitor_stack_depth_info
        can_get_constant_pool
        can_set_native_method_prefix
        can_get_current_thread_cpu_time
        can_get_thread_cpu_time
        can_generate_method_entry_events
        can_generate_method_exit_events
        can_generate_resource_exhaustion_heap_events
        can_generate_resource_exhaustion_threads_events
        can_generate_early_vmstart
        can_support_virtual_threads
        can_support_value_objects
    };
    let set = all.into_iter().filter(|(_, set)| *set);
    set.map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_needed_capabilities_have_the_names_of_the_specification() {
        assert_eq!(
            names(&needed()),
            [
                "can_generate_all_class_hook_events",
                "can_retransform_classes",
                "can_generate_early_class_hook_events",
            ]
        );
    }

    #[test]
    fn a_jvm_that_refuses_is_answered_with_its_reason() {
        let answer = answer(Err(EnvironmentError::TooOld { code: -3 }));
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(
            answer["error"],
            "this JVM has no JVM TI of version 11 or later (GetEnv returned -3)"
        );
    }
}
