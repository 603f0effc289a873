// SPDX-License-Identifier: MIT
//! headers.rs -- the bindings are what the headers declare, as the C compiler reads them
//!
//! The test writes a C file with every function declared once more from the Rust types, which C
//! allows only if it is the same declaration, and with an assertion for every size, offset, type of
//! a field, and constant. It has to compile.
use softfp8_sys::*;
use std::ffi::{CStr, CString};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// The C type of a Rust type.
fn c_type(rust: &str) -> String {
    if let Some(pointee) = rust.strip_prefix("*const ") {
        return format!("const {} *", c_type(pointee));
    }
    if let Some(pointee) = rust.strip_prefix("*mut ") {
        return format!("{} *", c_type(pointee));
    }
    let name = match rust {
        "u8" => "uint8_t",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "i16" => "int16_t",
        "i32" => "int32_t",
        "i64" => "int64_t",
        "usize" => "size_t",
        "f32" => "float",
        "c_char" => "char",
        "c_void" | "()" => "void",
        name if name.starts_with("sf8_") => name,
        other => panic!("no C type for {other}"),
    };
    name.to_string()
}

fn program() -> String {
    let mut c = String::from("#include <softfp8.h>\n#include <softfp8_blocks.h>\n");
    for f in FUNCTIONS {
        let arguments: Vec<String> = f.arguments.iter().map(|t| c_type(t)).collect();
        let list = if arguments.is_empty() { "void".to_string() } else { arguments.join(", ") };
        writeln!(c, "extern {} {}({list});", c_type(f.result), f.name).unwrap();
    }
    for s in STRUCTURES {
        let name = s.name;
        writeln!(c, "_Static_assert(sizeof({name}) == {}, \"size of {name}\");", s.size).unwrap();
        writeln!(c, "_Static_assert(_Alignof({name}) == {}, \"{name}\");", s.align).unwrap();
        for (field, offset, rust) in s.fields {
            let what = format!("{name}.{field}");
            writeln!(
                c,
                "_Static_assert(offsetof({name}, {field}) == {offset}, \"offset of {what}\");"
            )
            .unwrap();
            if !rust.starts_with('[') {
                writeln!(
                    c,
                    "_Static_assert(_Generic((({name} *)0)->{field}, {}: 1, default: 0), \"type of {what}\");",
                    c_type(rust)
                )
                .unwrap();
            }
        }
    }
    for (name, value) in CONSTANTS {
        writeln!(c, "_Static_assert({name} == {value}, \"{name}\");").unwrap();
    }
    let size = std::mem::size_of::<sf8_policy>();
    let align = std::mem::align_of::<sf8_policy>();
    writeln!(c, "_Static_assert(sizeof(sf8_policy) == {size}, \"size of sf8_policy\");").unwrap();
    writeln!(c, "_Static_assert(_Alignof(sf8_policy) == {align}, \"sf8_policy\");").unwrap();
    for (name, size) in [("sf8_status", size_of_status()), ("sf8_text_style", size_of_style())] {
        writeln!(c, "_Static_assert(sizeof({name}) == {size}, \"size of {name}\");").unwrap();
        writeln!(c, "_Static_assert(({name})-1 > 0, \"{name} is unsigned\");").unwrap();
    }
    c
}

fn size_of_status() -> usize {
    std::mem::size_of::<sf8_status>()
}

fn size_of_style() -> usize {
    std::mem::size_of::<sf8_text_style>()
}

/// Whether the C compiler accepts a file, and what it prints.
fn compiles(name: &str, text: &str) -> (bool, String) {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new(env!("SOFTFP8_CC"));
    command.args(["-std=c11", "-fsyntax-only"]);
    for folder in std::env::split_paths(env!("SOFTFP8_INCLUDES")) {
        command.arg("-I").arg(folder);
    }
    let output = command.arg(&file).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn the_headers_declare_the_same() {
    let text = program();
    let (right, said) = compiles("headers.c", &text);
    assert!(right, "{said}");
    // Each kind of line is one that the compiler checks.
    for (from, to) in [
        (
            "sf8_convert(sf8_format, sf8_format, uint64_t,",
            "sf8_convert(sf8_format, sf8_format, uint32_t,",
        ),
        ("sizeof(sf8_recipe) == ", "sizeof(sf8_recipe) == 1"),
        ("offsetof(sf8_format, bias) == 6", "offsetof(sf8_format, bias) == 7"),
        ("->code, uint64_t", "->code, int64_t"),
        ("(SF8_BAD_CALL == 5", "(SF8_BAD_CALL == 6"),
    ] {
        let wrong = text.replacen(from, to, 1);
        assert_ne!(wrong, text, "{from}");
        assert!(!compiles("wrong.c", &wrong).0, "{to} is accepted");
    }
}

#[test]
fn the_library_has_the_sizes() {
    for s in STRUCTURES.iter().filter(|s| s.name != "sf8_term" && s.name != "sf8_program") {
        let name = CString::new(s.name).unwrap();
        assert_eq!(unsafe { sf8_structure_size(name.as_ptr()) }, s.size, "{}", s.name);
    }
    let version = unsafe { CStr::from_ptr(sf8_version()) };
    assert_eq!(version.to_str().unwrap(), env!("CARGO_PKG_VERSION"));
}

#[test]
fn values_are_passed_and_returned_by_their_bytes() {
    unsafe {
        let mut status = 99;
        let format = |name: &CStr| sf8_format_named(name.as_ptr(), &mut 0);
        let (e4m3, e5m2, f32) = (format(c"e4m3"), format(c"e5m2"), format(c"f32"));
        let ocp = sf8_policy_named(c"ocp".as_ptr(), &mut status);
        assert_eq!(status, SF8_OK);
        assert_eq!(sf8_policy_pack(ocp), 0x200);
        let toward_zero = sf8_policy_named(c"ocp-nosat round=rz".as_ptr(), &mut status);
        assert_eq!(status, SF8_OK);
        // 500 and 1.1 as f32.
        assert_eq!(sf8_convert(e4m3, f32, 0x43fa0000, ocp), 0x7e);
        let r = sf8_convert_flags(e4m3, f32, 0x47fa0000, toward_zero);
        assert_eq!(r, sf8_result { code: 0x7e, flags: SF8_OVERFLOW | SF8_INEXACT });
        assert_eq!(sf8_convert(e5m2, f32, 0x3f8ccccd, toward_zero), 0x3c);
        assert_eq!(sf8_fma(e4m3, 0x38, 0x40, 0x48, ocp).code, 0x4c);
        assert_eq!(sf8_format_named(c"e9m9".as_ptr(), &mut status), e4m3);
        assert_eq!(status, SF8_UNKNOWN_NAME);
    }
}
