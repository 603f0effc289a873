// SPDX-License-Identifier: MIT
//! lib.rs -- softfp8 for Rust: FP8, FP6 and FP4 as standards, GPUs and libraries define them
//!
//! A [`Format`] says what a code means, a [`Policy`] how a conversion rounds and what it returns
//! for values that are too large, infinite or NaN. A code is a plain unsigned integer.
//!
//! ```
//! use softfp8::{Format, Policy};
//!
//! let e4m3: Format = "e4m3".parse()?;
//! let (ocp, torch) = (Policy::default(), "torch-2.12".parse::<Policy>()?);
//! assert_eq!(e4m3.encode(500.0, ocp).code, 0x7e); // saturates
//! assert_eq!(e4m3.encode(500.0, torch).code, 0x7f); // NaN
//! assert_eq!(e4m3.decode(0x7e), 448.0);
//! # Ok::<(), softfp8::Error>(())
//! ```
//!
//! The functions call the C library, whose documentation defines every result.
use softfp8_sys as sys;
use std::ffi::{c_void, CStr, CString};
use std::fmt;
use std::str::FromStr;

mod blocks;
pub use blocks::{Quantized, Recipe};

/// Why a call was refused. Nothing was written then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// No format, policy or recipe has this name.
    UnknownName,
    /// A text that does not follow its grammar.
    BadText,
    /// An invalid format, or one that the function does not support.
    BadFormat,
    /// Other invalid arguments, e.g. a policy that needs random numbers.
    BadCall,
    /// The lengths of slices do not fit together.
    Length,
    /// The elements of a slice are not as wide as those of the format.
    ElementSize,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Error::UnknownName => "unknown name",
            Error::BadText => "text that does not follow its grammar",
            Error::BadFormat => "a format that is invalid or not supported here",
            Error::BadCall => "invalid arguments",
            Error::Length => "slices whose lengths do not fit together",
            Error::ElementSize => "elements that are not as wide as those of the format",
        })
    }
}

impl std::error::Error for Error {}

fn checked(status: sys::sf8_status) -> Result<(), Error> {
    match status {
        sys::SF8_OK => Ok(()),
        sys::SF8_UNKNOWN_NAME => Err(Error::UnknownName),
        sys::SF8_BAD_TEXT => Err(Error::BadText),
        sys::SF8_BAD_FORMAT => Err(Error::BadFormat),
        _ => Err(Error::BadCall),
    }
}

fn c_text(text: &str) -> Result<CString, Error> {
    CString::new(text).map_err(|_| Error::BadText)
}

/// A code, and the exception flags that the operation raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounded {
    pub code: u64,
    /// A sum of [`Rounded::INEXACT`], ...
    pub flags: u32,
}

impl Rounded {
    pub const INEXACT: u32 = sys::SF8_INEXACT;
    pub const UNDERFLOW: u32 = sys::SF8_UNDERFLOW;
    pub const OVERFLOW: u32 = sys::SF8_OVERFLOW;
    pub const DIVIDE_BY_ZERO: u32 = sys::SF8_DIVBYZERO;
    pub const INVALID: u32 = sys::SF8_INVALID;
    /// The format has no such operation; the code is 0.
    pub const UNSUPPORTED: u32 = sys::SF8_UNSUPPORTED;
}

impl From<sys::sf8_result> for Rounded {
    fn from(r: sys::sf8_result) -> Self {
        Rounded { code: r.code, flags: r.flags }
    }
}

/// How an operation rounds, and what it returns where a format has no answer. The default is `ocp`.
#[derive(Clone, Copy, Debug)]
pub struct Policy(sys::sf8_policy);

impl PartialEq for Policy {
    fn eq(&self, other: &Self) -> bool {
        unsafe { sys::sf8_policy_pack(self.0) == sys::sf8_policy_pack(other.0) }
    }
}

impl Eq for Policy {}

impl Policy {
    /// The policy that a product uses for a conversion: `Policy::of("torch", e4m3, f32)`.
    pub fn of(product: &str, to: Format, from: Format) -> Result<Policy, Error> {
        let product = c_text(product)?;
        let name = unsafe { sys::sf8_policy_for(product.as_ptr(), to.0, from.0) };
        if name.is_null() {
            return Err(Error::UnknownName);
        }
        unsafe { CStr::from_ptr(name) }.to_str().map_err(|_| Error::BadText)?.parse()
    }

    /// A policy of the C library.
    fn named(name: &CStr) -> Policy {
        Policy(unsafe { sys::sf8_policy_named(name.as_ptr(), std::ptr::null_mut()) })
    }

    /// The policy as C has it.
    pub fn raw(self) -> sys::sf8_policy {
        self.0
    }
}

impl Default for Policy {
    fn default() -> Self {
        Policy::named(c"ocp")
    }
}

/// Reads a name, fields, or both: `"ocp"`, `"cuda-satfinite round=rz"`.
impl FromStr for Policy {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        let (text, mut status) = (c_text(text)?, sys::SF8_OK);
        let policy = unsafe { sys::sf8_policy_named(text.as_ptr(), &mut status) };
        checked(status).map(|()| Policy(policy))
    }
}

/// A format of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format(sys::sf8_format);

/// Reads a name, fields, or both: `"e4m3"`, `"float8_e5m2"`, `"e=4 m=3 bias=11 nan=top"`.
impl FromStr for Format {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        let (text, mut format) = (c_text(text)?, Format::F32);
        let at = std::ptr::null_mut();
        checked(unsafe { sys::sf8_format_read(text.as_ptr(), &mut format.0, at) })?;
        Ok(format)
    }
}

macro_rules! binary {
    ($($(#[$attribute:meta])* $name:ident, $name_n:ident: $one:ident, $all:ident;)*) => {$(
        $(#[$attribute])*
        pub fn $name(self, a: u64, b: u64, policy: Policy) -> Rounded {
            unsafe { sys::$one(self.0, a, b, policy.0) }.into()
        }

        /// The same for slices of one length.
        pub fn $name_n<T: Element>(
            self, dst: &mut [T], a: &[T], b: &[T], policy: Policy,
        ) -> Result<(), Error> {
            self.holds::<T>()?;
            if dst.len() != a.len() || dst.len() != b.len() {
                return Err(Error::Length);
            }
            checked(unsafe {
                sys::$all(self.0, pointer_mut(dst), pointer(a), pointer(b), dst.len(), policy.0)
            })
        }
    )*};
}

impl Format {
    pub(crate) const F32: Format = Format(sys::sf8_format {
        exp_bits: 8,
        man_bits: 23,
        is_signed: 1,
        nan: 1,
        has_inf: 1,
        has_zero: 1,
        bias: 127,
    });
    const F64: Format =
        Format(sys::sf8_format { exp_bits: 11, man_bits: 52, bias: 1023, ..Self::F32.0 });

    /// The names of all formats of the library.
    pub fn names() -> impl Iterator<Item = &'static str> {
        (0..).map_while(|i| {
            let name = unsafe { sys::sf8_format_at(i, std::ptr::null_mut()) };
            (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_str().unwrap_or(""))
        })
    }

    /// The bits of a code.
    pub fn bits(self) -> u32 {
        u32::from(self.0.is_signed) + u32::from(self.0.exp_bits) + u32::from(self.0.man_bits)
    }

    /// The bytes of an element of an array: 1, 2, 4 or 8.
    pub fn element_size(self) -> usize {
        match self.bits() {
            0..=8 => 1,
            9..=16 => 2,
            17..=32 => 4,
            _ => 8,
        }
    }

    /// The format as C has it.
    pub fn raw(self) -> sys::sf8_format {
        self.0
    }

    /// The code of a number.
    pub fn encode(self, x: f64, policy: Policy) -> Rounded {
        self.convert(Format::F64, x.to_bits(), policy)
    }

    /// The code of a number of f32. It differs from `encode` under policies that convert in two
    /// steps.
    pub fn encode_f32(self, x: f32, policy: Policy) -> Rounded {
        self.convert(Format::F32, u64::from(x.to_bits()), policy)
    }

    /// The value of a code: exact, unless the format has values that f64 lacks.
    pub fn decode(self, code: u64) -> f64 {
        // ocp would make the largest number of an infinity of f64
        f64::from_bits(Format::F64.convert(self, code, Policy::named(c"ocp-nosat")).code)
    }

    /// Converts a code of another format to this one, rounding once.
    pub fn convert(self, from: Format, code: u64, policy: Policy) -> Rounded {
        unsafe { sys::sf8_convert_flags(self.0, from.0, code, policy.0) }.into()
    }

    /// Converts a slice of codes of another format to this one. Slices have one length. An element
    /// is as wide as `element_size` of its format; numbers of f32 and f64 may be in slices of these.
    pub fn convert_n<D: Element, S: Element>(
        self,
        dst: &mut [D],
        from: Format,
        src: &[S],
        policy: Policy,
    ) -> Result<(), Error> {
        self.holds::<D>()?;
        from.holds::<S>()?;
        if dst.len() != src.len() {
            return Err(Error::Length);
        }
        let n = dst.len();
        checked(unsafe {
            sys::sf8_convert_n(self.0, pointer_mut(dst), from.0, pointer(src), n, policy.0)
        })
    }

    binary! {
        /// a + b, rounded once.
        add, add_n: sf8_add, sf8_add_n;
        /// a - b, rounded once.
        sub, sub_n: sf8_sub, sf8_sub_n;
        /// a * b, rounded once.
        mul, mul_n: sf8_mul, sf8_mul_n;
        /// a / b, rounded once.
        div, div_n: sf8_div, sf8_div_n;
    }

    /// The remainder of IEEE 754.
    pub fn rem(self, a: u64, b: u64, policy: Policy) -> Rounded {
        unsafe { sys::sf8_rem(self.0, a, b, policy.0) }.into()
    }

    /// The square root of a, rounded once.
    pub fn sqrt(self, a: u64, policy: Policy) -> Rounded {
        unsafe { sys::sf8_sqrt(self.0, a, policy.0) }.into()
    }

    /// a * b + c, rounded once.
    pub fn fma(self, a: u64, b: u64, c: u64, policy: Policy) -> Rounded {
        unsafe { sys::sf8_fma(self.0, a, b, c, policy.0) }.into()
    }

    pub(crate) fn holds<T: Element>(self) -> Result<(), Error> {
        if std::mem::size_of::<T>() == self.element_size() {
            Ok(())
        } else {
            Err(Error::ElementSize)
        }
    }
}

/// The types of elements of arrays: unsigned integers, f32 and f64.
pub trait Element: Copy + sealed::Sealed {}
mod sealed {
    pub trait Sealed {}
}
macro_rules! elements {
    ($($type:ty)*) => {$(impl sealed::Sealed for $type {} impl Element for $type {})*};
}
elements! { u8 u16 u32 u64 f32 f64 }

pub(crate) fn pointer<T>(slice: &[T]) -> *const c_void {
    slice.as_ptr().cast()
}

pub(crate) fn pointer_mut<T>(slice: &mut [T]) -> *mut c_void {
    slice.as_mut_ptr().cast()
}
