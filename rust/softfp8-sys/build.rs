// SPDX-License-Identifier: MIT
// build.rs -- finds the C library, or compiles it with the C compiler; no crate is needed for it
//
//     SOFTFP8_PREFIX=DIR   links the installed libsoftfp8.a below DIR
//     SOFTFP8_PKG_CONFIG=1 links what pkg-config finds
//     neither              compiles the sources: SOFTFP8_SOURCE, or the folder around rust/
//
// CC, AR and CFLAGS name the compiler, the archiver and more flags. For another processor use
// CC_<target> and AR_<target>, with the name of cargo's target and _ in place of -.
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::{env, fs, thread};

fn variable(name: &str) -> Option<String> {
    println!("cargo:rerun-if-env-changed={name}");
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// A tool for the target: CC_riscv64gc_unknown_linux_gnu, CC, or the default.
fn tool(name: &str, default: &str) -> String {
    let target = env::var("TARGET").unwrap().replace('-', "_");
    variable(&format!("{name}_{target}"))
        .or_else(|| variable(name))
        .unwrap_or_else(|| default.to_string())
}

fn run(command: &mut Command) -> String {
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => panic!("{command:?}: {error}"),
    };
    if !output.status.success() {
        panic!("{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    String::from_utf8(output.stdout).unwrap()
}

fn c_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(c_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "c") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn compile(source: &Path, out: &Path) -> Vec<PathBuf> {
    let lib = source.join("lib");
    let includes = ["include", "core", "src", ""].map(|folder| lib.join(folder));
    let files = c_files(&includes[2]);
    let level = match env::var("OPT_LEVEL").unwrap().as_str() {
        "0" => "-O0",
        "s" | "z" => "-Os",
        _ => "-O2",
    };
    let cc = tool("CC", "cc");
    let cflags = tool("CFLAGS", "");
    let object = |i: usize| out.join(format!("{i}.o"));
    let next = Mutex::new(0);
    let jobs = env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(1);
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| loop {
                let mut place = next.lock().unwrap();
                let i = *place;
                *place += 1;
                drop(place);
                let Some(file) = files.get(i) else { break };
                let mut command = Command::new(&cc);
                command.args(["-std=c11", level, "-fPIC", "-DNDEBUG", "-DSF8_CORE_CALLS"]);
                command.args(cflags.split_whitespace());
                command.args(includes.iter().map(|folder| format!("-I{}", folder.display())));
                run(command.arg("-c").arg(file).arg("-o").arg(object(i)));
            });
        }
    });
    let archive = out.join("libsoftfp8.a");
    let _ = fs::remove_file(&archive);
    let objects: Vec<PathBuf> = (0..files.len()).map(object).collect();
    run(Command::new(tool("AR", "ar")).arg("crs").arg(&archive).args(&objects));
    println!("cargo:rerun-if-changed={}", lib.display());
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=softfp8");
    includes[..2].to_vec()
}

fn pkg_config() -> Vec<PathBuf> {
    let mut includes = Vec::new();
    let program = variable("PKG_CONFIG").unwrap_or_else(|| "pkg-config".to_string());
    variable("PKG_CONFIG_PATH");
    for word in
        run(Command::new(program).args(["--cflags", "--libs", "softfp8 >= 0.2"])).split_whitespace()
    {
        if let Some(folder) = word.strip_prefix("-I") {
            includes.push(folder.into());
        } else if let Some(folder) = word.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={folder}");
        } else if let Some(name) = word.strip_prefix("-l") {
            println!("cargo:rustc-link-lib=dylib={name}");
        }
    }
    includes
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let includes = if let Some(prefix) = variable("SOFTFP8_PREFIX") {
        let prefix = PathBuf::from(prefix);
        for folder in ["lib", "lib64"] {
            println!("cargo:rustc-link-search=native={}", prefix.join(folder).display());
        }
        println!("cargo:rustc-link-lib=static=softfp8");
        println!("cargo:rerun-if-changed={}", prefix.join("lib/libsoftfp8.a").display());
        vec![prefix.join("include")]
    } else if variable("SOFTFP8_PKG_CONFIG").is_some() {
        pkg_config()
    } else {
        let crate_folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap());
        let source = variable("SOFTFP8_SOURCE")
            .map_or_else(|| crate_folder.join("../.."), |folder| crate_folder.join(folder));
        compile(&source, Path::new(&env::var("OUT_DIR").unwrap()))
    };
    // For the test that compares the bindings with the headers.
    println!("cargo:rustc-env=SOFTFP8_CC={}", tool("CC", "cc"));
    println!(
        "cargo:rustc-env=SOFTFP8_INCLUDES={}",
        env::join_paths(includes).unwrap().to_str().unwrap()
    );
}
