//! Whether a class would verify with its probes.

use reprise_classfile::flow::{verify, walk};
use reprise_classfile::read::ClassFile;

/// The first version whose frames tell the types.
const FRAMES: u16 = 50;
/// The first that must verify by them: the one before may try without.
const STRICT: u16 = 51;

/// The verifier has its say when a class is linked, and then it is too late to
/// load it as it was. So the types of every method that has changed are followed
/// first, as far as frames tell them; what is wrong is said for people.
pub fn plausible(original: &ClassFile<'_>, bytes: &[u8]) -> Result<(), String> {
    let class = ClassFile::parse(bytes).map_err(|error| error.to_string())?;
    if class.major < FRAMES {
        return Ok(());
    }
    for (at, method) in class.methods.iter().enumerate() {
        let before = original.methods.get(at);
        if before.is_some_and(|before| before.attributes == method.attributes) {
            continue;
        }
        let code = class.code(method).map_err(|error| error.to_string())?;
        let Some(code) = code else { continue };
        let followed = match class.major {
            STRICT.. => verify(&class, method, &code),
            _ => walk(&class, method, &code, |_, _| {}),
        };
        if let Err(error) = followed {
            let name = class.pool.utf8(method.name);
            let name = name.map_err(|error| error.to_string())?.to_str_lossy();
            return Err(format!(
                "with its probes it would not verify: in {name}, {error}"
            ));
        }
    }
    Ok(())
}
