// SPDX-License-Identifier: MIT
//! test_cast.rs -- compares a cast that truncates with softfp8, for every value of bf16
use softfp8::{Format, Policy};

/// The code under test: f32 to e4m3.
fn my_cast(x: f32, e4m3: Format) -> u8 {
    let bits = x.to_bits();
    let (sign, magnitude) = ((bits >> 24 & 0x80) as u8, bits & 0x7fff_ffff);
    if !(0x3c80_0000..=0x43e0_0000).contains(&magnitude) {
        return e4m3.encode_f32(x, Policy::default()).code as u8; // below 2^-6, above 448, NaN
    }
    sign | ((magnitude >> 20) - (120 << 3)) as u8
}

fn main() {
    let e4m3: Format = "e4m3".parse().unwrap();
    let inputs: Vec<f32> =
        (0..=u16::MAX).map(|code| f32::from_bits(u32::from(code) << 16)).collect();
    let mut expected = vec![0u8; inputs.len()];
    e4m3.convert_n(&mut expected, "f32".parse().unwrap(), &inputs, Policy::default()).unwrap();
    let got = |x: f32| my_cast(x, e4m3);
    let wrong: Vec<_> =
        inputs.iter().zip(&expected).filter(|(x, want)| got(**x) != **want).collect();
    for (x, want) in wrong.iter().take(3) {
        println!("{x}: got {:02x}, expected {want:02x}", got(**x));
    }
    println!("{} of {} are wrong", wrong.len(), inputs.len());
}
