// SPDX-License-Identifier: MIT
//! lib.rs -- bindings of softfp8.h and softfp8_blocks.h
//!
//! They are written by hand. The test `headers` compares every line with the headers, by the C
//! compiler: signatures, sizes, offsets, types of fields, constants. The headers say what a
//! function does. For a safe interface use the crate `softfp8`.
#![no_std]
#![allow(non_camel_case_types)]

use core::ffi::{c_char, c_uint, c_void};

/// A declaration as text, for the test.
pub struct Declared {
    pub name: &'static str,
    /// Types as Rust writes them: those of the arguments, and of the result, `()` if there is none.
    pub arguments: &'static [&'static str],
    pub result: &'static str,
}

/// A structure as it lies in memory, for the test.
pub struct Laid {
    pub name: &'static str,
    pub size: usize,
    pub align: usize,
    /// Name, offset and type of each field.
    pub fields: &'static [(&'static str, usize, &'static str)],
}

macro_rules! functions {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty;)*) => {
        extern "C" { $(pub fn $name($($argument: $type),*) -> $result;)* }
        /// All functions of this crate.
        pub const FUNCTIONS: &[Declared] = &[$(Declared {
            name: stringify!($name),
            arguments: &[$(stringify!($type)),*],
            result: stringify!($result),
        }),*];
    };
}

macro_rules! structures {
    ($($(#[$attribute:meta])* struct $name:ident { $($field:ident: $type:ty,)* })*) => {
        $(
            $(#[$attribute])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug)]
            pub struct $name { $(pub $field: $type),* }
        )*
        /// All structures of this crate.
        pub const STRUCTURES: &[Laid] = &[$(Laid {
            name: stringify!($name),
            size: core::mem::size_of::<$name>(),
            align: core::mem::align_of::<$name>(),
            fields: &[$((
                stringify!($field), core::mem::offset_of!($name, $field), stringify!($type),
            )),*],
        }),*];
    };
}

macro_rules! constants {
    ($($name:ident: $type:ty = $value:expr;)*) => {
        $(pub const $name: $type = $value;)*
        /// All constants of this crate that are numbers.
        pub const CONSTANTS: &[(&str, i64)] = &[$((stringify!($name), $value as i64)),*];
    };
}

pub type sf8_status = c_uint;
pub type sf8_text_style = c_uint;

constants! {
    SF8_OK: sf8_status = 0;
    SF8_UNKNOWN_NAME: sf8_status = 1;
    SF8_BAD_TEXT: sf8_status = 2;
    SF8_NO_ROOM: sf8_status = 3;
    SF8_BAD_FORMAT: sf8_status = 4;
    SF8_BAD_CALL: sf8_status = 5;

    SF8_INEXACT: u32 = 1;
    SF8_UNDERFLOW: u32 = 2;
    SF8_OVERFLOW: u32 = 4;
    SF8_DIVBYZERO: u32 = 8;
    SF8_INVALID: u32 = 16;
    SF8_UNSUPPORTED: u32 = 0x8000_0000;

    SF8_LESS: i32 = -1;
    SF8_EQUAL: i32 = 0;
    SF8_GREATER: i32 = 1;
    SF8_UNORDERED: i32 = 2;

    SF8_TEXT_SHORTEST: sf8_text_style = 0;
    SF8_TEXT_EXACT: sf8_text_style = 1;
    SF8_TEXT_HEX: sf8_text_style = 2;
    SF8_TEXT_SIZE: usize = 320;

    SF8_OFFSET_WORD: u32 = 1;
    SF8_PROGRAM_TERMS: usize = 20;
}

structures! {
    #[derive(PartialEq, Eq, Hash)]
    struct sf8_format {
        exp_bits: u8,
        man_bits: u8,
        is_signed: u8,
        nan: u8,
        has_inf: u8,
        has_zero: u8,
        bias: i16,
    }

    #[derive(PartialEq, Eq)]
    struct sf8_result {
        code: u64,
        flags: u32,
    }

    struct sf8_term {
        op: u32,
        word: u32,
    }

    struct sf8_program {
        count: i32,
        term: [sf8_term; SF8_PROGRAM_TERMS],
    }

    struct sf8_recipe {
        element: sf8_format,
        scale: sf8_format,
        offset: sf8_format,
        element_policy: sf8_policy,
        scale_policy: sf8_policy,
        integer: i32,
        is_signed: i32,
        block: i32,
        rows: i32,
        per: i32,
        has_g: i32,
        amax_nan: u32,
        offset_at: u32,
        scale_zero: u32,
        scale_of: sf8_program,
        offset_of: sf8_program,
        factor_of: sf8_program,
        element_of: sf8_program,
        value_of: sf8_program,
        g_of: sf8_program,
        second_of: sf8_program,
        error_of: sf8_program,
        errors: u32,
        tie_second: u32,
        nibbles: u32,
        image: i32,
    }

    struct sf8_recipe_row {
        name: *const c_char,
        element: *const c_char,
        element_policy: *const c_char,
        element_fields: *const c_char,
        block: i32,
        scale: *const c_char,
        scale_policy: *const c_char,
        scale_fields: *const c_char,
        scale_of: *const c_char,
        offset_of: *const c_char,
        factor_of: *const c_char,
        element_of: *const c_char,
        value_of: *const c_char,
        properties: *const c_char,
        product: *const c_char,
        versions: *const c_char,
        source: *const c_char,
        evidence: *const c_char,
        open: *const c_char,
        g_of: *const c_char,
        second_of: *const c_char,
        error_of: *const c_char,
    }
}

/// A policy. In C its fields are bit-fields of two words. Use `sf8_policy_named`, `sf8_policy_set`,
/// and `sf8_policy_pack` for a number that does not depend on the C compiler. A bit of the first
/// word has no meaning, so that policies are not compared word by word.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct sf8_policy {
    pub bit_fields: [c_uint; 2],
}

functions! {
    fn sf8_version() -> *const c_char;

    fn sf8_convert(to: sf8_format, from: sf8_format, bits: u64, policy: sf8_policy) -> u64;
    fn sf8_convert_flags(to: sf8_format, from: sf8_format, bits: u64, policy: sf8_policy)
        -> sf8_result;
    fn sf8_convert_sr(to: sf8_format, from: sf8_format, bits: u64, policy: sf8_policy, random: u32)
        -> sf8_result;
    fn sf8_from_i64(to: sf8_format, x: i64, policy: sf8_policy) -> sf8_result;
    fn sf8_from_u64(to: sf8_format, x: u64, policy: sf8_policy) -> sf8_result;
    fn sf8_to_integer(from: sf8_format, code: u64, width: i32, is_signed: i32, policy: sf8_policy,
                      exact: i32) -> sf8_result;

    fn sf8_add(f: sf8_format, a: u64, b: u64, policy: sf8_policy) -> sf8_result;
    fn sf8_sub(f: sf8_format, a: u64, b: u64, policy: sf8_policy) -> sf8_result;
    fn sf8_mul(f: sf8_format, a: u64, b: u64, policy: sf8_policy) -> sf8_result;
    fn sf8_div(f: sf8_format, a: u64, b: u64, policy: sf8_policy) -> sf8_result;
    fn sf8_rem(f: sf8_format, a: u64, b: u64, policy: sf8_policy) -> sf8_result;
    fn sf8_sqrt(f: sf8_format, a: u64, policy: sf8_policy) -> sf8_result;
    fn sf8_fma(f: sf8_format, a: u64, b: u64, c: u64, policy: sf8_policy) -> sf8_result;
    fn sf8_rint(f: sf8_format, a: u64, policy: sf8_policy, exact: i32) -> sf8_result;
    fn sf8_compare(f: sf8_format, a: u64, b: u64, policy: sf8_policy, flags: *mut u32) -> i32;

    fn sf8_convert_n(to: sf8_format, dst: *mut c_void, from: sf8_format, src: *const c_void,
                     n: usize, policy: sf8_policy) -> sf8_status;
    fn sf8_convert_sr_n(to: sf8_format, dst: *mut c_void, from: sf8_format, src: *const c_void,
                        n: usize, policy: sf8_policy, random: *const u32) -> sf8_status;
    fn sf8_add_n(f: sf8_format, dst: *mut c_void, a: *const c_void, b: *const c_void, n: usize,
                 policy: sf8_policy) -> sf8_status;
    fn sf8_sub_n(f: sf8_format, dst: *mut c_void, a: *const c_void, b: *const c_void, n: usize,
                 policy: sf8_policy) -> sf8_status;
    fn sf8_mul_n(f: sf8_format, dst: *mut c_void, a: *const c_void, b: *const c_void, n: usize,
                 policy: sf8_policy) -> sf8_status;
    fn sf8_div_n(f: sf8_format, dst: *mut c_void, a: *const c_void, b: *const c_void, n: usize,
                 policy: sf8_policy) -> sf8_status;
    fn sf8_packed_size(bits: i32, n: usize) -> usize;
    fn sf8_pack_n(bits: i32, dst: *mut u8, src: *const u8, n: usize) -> sf8_status;
    fn sf8_unpack_n(bits: i32, dst: *mut u8, src: *const u8, n: usize) -> sf8_status;

    fn sf8_format_named(name: *const c_char, status: *mut sf8_status) -> sf8_format;
    fn sf8_format_read(text: *const c_char, format: *mut sf8_format, at: *mut usize) -> sf8_status;
    fn sf8_format_at(i: usize, format: *mut sf8_format) -> *const c_char;
    fn sf8_policy_named(name: *const c_char, status: *mut sf8_status) -> sf8_policy;
    fn sf8_policy_for(name: *const c_char, to: sf8_format, from: sf8_format) -> *const c_char;
    fn sf8_policy_set(policy: *mut sf8_policy, field: *const c_char, value: *const c_char)
        -> sf8_status;
    fn sf8_policy_pack(policy: sf8_policy) -> u64;
    fn sf8_policy_unpack(word: u64, policy: *mut sf8_policy) -> sf8_status;
    fn sf8_structure_size(name: *const c_char) -> usize;
    fn sf8_to_text(f: sf8_format, code: u64, style: sf8_text_style, text: *mut c_char, size: usize,
                   length: *mut usize) -> sf8_status;
    fn sf8_from_text(f: sf8_format, text: *const c_char, policy: sf8_policy,
                     result: *mut sf8_result, error: *mut usize) -> sf8_status;

    fn sf8_recipe_at(i: usize) -> *const sf8_recipe_row;
    fn sf8_recipe_named(recipe: *mut sf8_recipe, name: *const c_char) -> sf8_status;
    fn sf8_recipe_g(recipe: *const sf8_recipe, tensor: sf8_format, amax: f32, g: *mut f32)
        -> sf8_status;
    fn sf8_recipe_blocks(recipe: *const sf8_recipe, columns: usize) -> usize;
    fn sf8_recipe_scale_rows(recipe: *const sf8_recipe, rows: usize) -> usize;
    fn sf8_quantize_n(recipe: *const sf8_recipe, codes: *mut u8, scales: *mut u32,
                      offsets: *mut u32, from: sf8_format, src: *const c_void, rows: usize,
                      columns: usize, g: f32) -> sf8_status;
    fn sf8_dequantize_n(recipe: *const sf8_recipe, to: sf8_format, dst: *mut c_void,
                        codes: *const u8, scales: *const u32, offsets: *const u32, rows: usize,
                        columns: usize, g: f32) -> sf8_status;
}
