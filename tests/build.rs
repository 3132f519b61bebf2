//! Sets `cfg(has = "families/projects")` for the files of tests whose operations the pinned contract has, and `cfg(contract =
//! "sandbox")` if it is the contract that all of them are written for.

#[path = "needs.rs"]
mod needs;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let workspace = here.parent().map(Path::to_path_buf).unwrap_or_default();
    for path in [".", "../docs", "../generated-client/examples"] {
        println!("cargo::rerun-if-changed={path}");
    }
    for name in ["client.txt", "codegen.lock"] {
        println!("cargo::rerun-if-changed=../specs/{name}");
    }
    let (written, pinned) = (fs::read_to_string(here.join("client.txt"))?, needs::pinned(&workspace)?);
    println!("cargo::rustc-check-cfg=cfg(contract, values(\"sandbox\"))");
    // Tests of the sandbox's own client are always built: errors have to be fixed.
    let is_whole = written == pinned || needs::is_sandbox(&workspace);
    if is_whole {
        println!("cargo::rustc-cfg=contract=\"sandbox\"");
    }
    let (client, now) = (needs::Client::read(&written), needs::Client::read(&pinned));
    // The files that are built by their needs; the others are built for every contract.
    let mut lists = String::new();
    for list in ["main.rs", "families/mod.rs", "wire/mod.rs", "support/mod.rs", "src/lib.rs"] {
        lists.push_str(&fs::read_to_string(here.join(list))?);
    }
    for (name, source) in needs::gated(&workspace)? {
        println!("cargo::rustc-check-cfg=cfg(has, values(\"{name}\"))");
        if !lists.contains(&format!("has = \"{name}\"")) {
            continue;
        }
        let needs = client.named_by(&source);
        match now.missing(&needs).as_slice() {
            [first, ..] if !is_whole => {
                println!("cargo::warning=left out: tests of {name}; the pinned contract does not have {first:?}");
            }
            _ => println!("cargo::rustc-cfg=has=\"{name}\""),
        }
    }
    Ok(())
}
