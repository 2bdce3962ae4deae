//! A class of the program under a schedule: only the places that the schedule
//! names are instrumented, and the calls that block.

use reprise_classfile::flow::parse_for_edit;
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, Invoke, PoolEditor, Snippet};

use crate::TurnError;
use crate::calls::redirect;
use crate::plan::{Moment, Place};
use crate::values::watch;

const AT: &str = "java/reprise/scheduler/At";

/// The class with its probes; none where nothing changes. `places` are those of
/// this class, with their numbers; with `values`, what is another value in every run can
/// be given.
pub fn instrument(
    bytes: &[u8],
    places: &[(u32, &Place)],
    is_thread: &dyn Fn(&str) -> bool,
    values: bool,
) -> Result<Option<Vec<u8>>, TurnError> {
    let class = parse_for_edit(bytes)?;
    // What is counted in a call comes behind what is counted before it.
    let mut places = places.to_vec();
    places.sort_by_key(|(number, _)| *number);
    let mut edited = ClassEditor::new(&class);
    let mut any = false;
    let mut found = 0;
    for (index, method) in class.methods.iter().enumerate() {
        let Some(mut editor) = Editor::new(&class, method)? else {
            continue;
        };
        let name = class.pool.utf8(method.name)?.to_str_lossy();
        let descriptor = class.pool.utf8(method.descriptor)?.to_str_lossy();
        let mut changed = redirect(&class, &mut editor, &mut edited.pool, is_thread)?;
        if values {
            changed |= watch(&class, &mut editor, &mut edited.pool)?;
        }
        for (number, place) in &places {
            if place.method == name && place.descriptor == descriptor {
                put(*number, place, &mut editor, &mut edited.pool)?;
                found += 1;
                changed = true;
            }
        }
        if changed {
            let code = editor.finish(&mut edited.pool)?;
            edited.set_code(index, code)?;
            any = true;
        }
    }
    if found < places.len() {
        let there = |place: &Place| {
            class.methods.iter().any(|method| {
                let same = |index, text: &str| {
                    class
                        .pool
                        .utf8(index)
                        .is_ok_and(|name| name.to_str_lossy() == text)
                };
                same(method.name, &place.method) && same(method.descriptor, &place.descriptor)
            })
        };
        if let Some((_, place)) = places.iter().find(|(_, place)| !there(place)) {
            return Err(TurnError::NoMethod {
                class: place.class.replace('/', "."),
                method: format!("{}{}", place.method, place.descriptor),
            });
        }
    }
    Ok(if any { Some(edited.finish()?) } else { None })
}

fn put(
    number: u32,
    place: &Place,
    editor: &mut Editor<'_>,
    pool: &mut PoolEditor<'_>,
) -> Result<(), TurnError> {
    let there = |i: &reprise_classfile::read::Instruction<'_>| i.offset == place.offset;
    if !editor.instructions().iter().any(there) {
        return Err(TurnError::NoBytecode {
            class: place.class.replace('/', "."),
            method: format!("{}{}", place.method, place.descriptor),
            offset: place.offset,
        });
    }
    let mut code = Snippet::new();
    code.push_int(number.cast_signed(), pool)?;
    let name = match place.moment {
        Moment::Before => "before",
        Moment::In => "in",
    };
    code.invoke(Invoke::Static, AT, name, "(I)V", pool)?;
    editor.before(place.offset, code)?;
    Ok(())
}
