// SPDX-License-Identifier: MIT
//! blocks.rs -- matrices quantized in blocks that share a scale: NVFP4, MX and others
use crate::{c_text, checked, pointer, pointer_mut, sys, Element, Error, Format};
use std::mem::MaybeUninit;
use std::str::FromStr;

/// How a product quantizes a block and reads it back: `"nvfp4-te".parse::<Recipe>()`.
#[derive(Clone, Debug)]
pub struct Recipe(Box<sys::sf8_recipe>);

/// A quantized matrix: a code to a byte, row by row, and the code of each block's scale and offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantized {
    pub rows: usize,
    pub columns: usize,
    pub codes: Vec<u8>,
    pub scales: Vec<u32>,
    /// All 0 in a recipe that stores no offsets separately.
    pub offsets: Vec<u32>,
    /// The global scale; ignored by a recipe without one.
    pub g: f32,
}

impl FromStr for Recipe {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self, Error> {
        let (name, mut recipe) = (c_text(name)?, MaybeUninit::uninit());
        checked(unsafe { sys::sf8_recipe_named(recipe.as_mut_ptr(), name.as_ptr()) })?;
        Ok(Recipe(Box::new(unsafe { recipe.assume_init() })))
    }
}

impl Recipe {
    /// The global scale of a tensor of f32, bf16 or f16 whose largest magnitude is `amax`.
    pub fn g(&self, tensor: Format, amax: f32) -> Result<f32, Error> {
        let mut g = 0.0;
        checked(unsafe { sys::sf8_recipe_g(&*self.0, tensor.raw(), amax, &mut g) })?;
        Ok(g)
    }

    /// How many rows and columns of scales a matrix has.
    pub fn scales(&self, rows: usize, columns: usize) -> (usize, usize) {
        unsafe {
            (sys::sf8_recipe_scale_rows(&*self.0, rows), sys::sf8_recipe_blocks(&*self.0, columns))
        }
    }

    /// Quantizes a matrix of f32, bf16 or f16.
    pub fn quantize<T: Element>(
        &self,
        from: Format,
        src: &[T],
        rows: usize,
        columns: usize,
        g: f32,
    ) -> Result<Quantized, Error> {
        from.holds::<T>()?;
        if rows.checked_mul(columns) != Some(src.len()) {
            return Err(Error::Length);
        }
        let (down, across) = self.scales(rows, columns);
        let blocks = down.checked_mul(across).ok_or(Error::Length)?;
        let mut q = Quantized {
            rows,
            columns,
            codes: vec![0; src.len()],
            scales: vec![0; blocks],
            offsets: vec![0; blocks],
            g,
        };
        checked(unsafe {
            sys::sf8_quantize_n(
                &*self.0,
                q.codes.as_mut_ptr(),
                q.scales.as_mut_ptr(),
                q.offsets.as_mut_ptr(),
                from.raw(),
                pointer(src),
                rows,
                columns,
                g,
            )
        })?;
        Ok(q)
    }

    /// Reads a quantized matrix back, as f32, bf16 or f16.
    pub fn dequantize<T: Element>(
        &self,
        to: Format,
        dst: &mut [T],
        q: &Quantized,
    ) -> Result<(), Error> {
        to.holds::<T>()?;
        let (down, across) = self.scales(q.rows, q.columns);
        let blocks = down.checked_mul(across);
        if q.rows.checked_mul(q.columns) != Some(dst.len())
            || q.codes.len() != dst.len()
            || blocks != Some(q.scales.len())
            || blocks != Some(q.offsets.len())
        {
            return Err(Error::Length);
        }
        checked(unsafe {
            sys::sf8_dequantize_n(
                &*self.0,
                to.raw(),
                pointer_mut(dst),
                q.codes.as_ptr(),
                q.scales.as_ptr(),
                q.offsets.as_ptr(),
                q.rows,
                q.columns,
                q.g,
            )
        })
    }
}
