// SPDX-License-Identifier: MIT
//! safe.rs -- the safe layer returns what the specification says, and refuses what does not fit
use softfp8::{Error, Format, Policy, Recipe, Rounded};

fn format(name: &str) -> Format {
    name.parse().unwrap()
}

#[test]
fn formats_have_names() {
    assert!(Format::names().any(|name| name == "e4m3"));
    for name in Format::names() {
        assert!(matches!(format(name).bits(), 3..=64), "{name}");
    }
    assert_eq!(format("float8_e4m3fn"), format("e4m3"));
    assert_eq!(format("e=4 m=3 nan=top"), format("e4m3"));
    assert_eq!("e9m9".parse::<Format>(), Err(Error::UnknownName));
    assert_eq!("e=4 m=x".parse::<Format>(), Err(Error::BadText));
    assert_eq!("e4m3\0".parse::<Format>(), Err(Error::BadText));
    let sizes = ["e2m1", "e4m3", "f16", "tf32", "f32", "f64"].map(|n| format(n).element_size());
    assert_eq!(sizes, [1, 1, 2, 4, 4, 8]);
}

#[test]
fn policies_decide_what_is_too_large() {
    let e4m3 = format("e4m3");
    let code = |policy: &str| e4m3.encode(500.0, policy.parse().unwrap()).code;
    assert_eq!(e4m3.encode(500.0, Policy::default()).code, 0x7e);
    assert_eq!((code("ocp"), code("ocp-nosat"), code("torch-2.12")), (0x7e, 0x7f, 0x7f));
    assert_eq!(e4m3.encode(17.0, "ocp round=ru".parse().unwrap()).code, 0x59);
    assert_eq!(e4m3.encode(17.0, "ocp round=rz".parse().unwrap()).code, 0x58);
    assert_eq!("ocp round=up".parse::<Policy>(), Err(Error::UnknownName));
    let torch = Policy::of("torch-2.12", e4m3, format("f32")).unwrap();
    assert_eq!(torch, "torch-2.12".parse().unwrap());
    assert_eq!(Policy::of("nobody", e4m3, format("f32")), Err(Error::UnknownName));
}

#[test]
fn one_value() {
    let (e4m3, ocp) = (format("e4m3"), Policy::default());
    assert_eq!(
        e4m3.encode_f32(500.0, ocp),
        Rounded { code: 0x7e, flags: Rounded::OVERFLOW | Rounded::INEXACT }
    );
    assert_eq!(e4m3.decode(0x7e), 448.0);
    assert!(e4m3.decode(0x7f).is_nan());
    assert_eq!(format("e5m2").decode(0xfc), f64::NEG_INFINITY);
    assert_eq!(format("f64").decode(f64::INFINITY.to_bits()), f64::INFINITY);
    // 1 + 2, 1 - 2, 1.5 * 2, 1 / 0, the remainder of 3 and 2, the root of 4, 1.5 * 2 + 1
    assert_eq!(e4m3.add(0x38, 0x40, ocp).code, 0x44);
    assert_eq!(e4m3.sub(0x38, 0x40, ocp).code, 0xb8);
    assert_eq!(e4m3.mul(0x3c, 0x40, ocp).code, 0x44);
    assert_eq!(e4m3.div(0x38, 0x00, ocp).flags & Rounded::DIVIDE_BY_ZERO, Rounded::DIVIDE_BY_ZERO);
    assert_eq!(e4m3.rem(0x44, 0x40, ocp).code, 0xb8);
    assert_eq!(e4m3.sqrt(0x48, ocp).code, 0x40);
    assert_eq!(e4m3.fma(0x3c, 0x40, 0x38, ocp).code, 0x48);
    assert_eq!(format("f64").add(0, 0, ocp).flags, Rounded::UNSUPPORTED);
}

#[test]
fn slices_have_the_results_of_one_value() {
    let (e4m3, bf16, ocp) = (format("e4m3"), format("bf16"), Policy::default());
    let all: Vec<u16> = (0..=u16::MAX).collect();
    let mut codes = vec![0u8; all.len()];
    e4m3.convert_n(&mut codes, bf16, &all, ocp).unwrap();
    for (x, code) in all.iter().zip(&codes) {
        assert_eq!(u64::from(*code), e4m3.convert(bf16, u64::from(*x), ocp).code, "{x:04x}");
    }
    let mut values = vec![0f32; codes.len()];
    format("f32").convert_n(&mut values, e4m3, &codes, ocp).unwrap();
    assert_eq!(f64::from(values[0x43fa]), e4m3.decode(0x7e));

    let (a, b): (Vec<u8>, Vec<u8>) =
        (0..=255u8).flat_map(|a| (0..=255u8).map(move |b| (a, b))).unzip();
    let mut c = vec![0u8; a.len()];
    type One = fn(Format, u64, u64, Policy) -> Rounded;
    type All = fn(Format, &mut [u8], &[u8], &[u8], Policy) -> Result<(), Error>;
    let functions: [(One, All); 4] = [
        (Format::add, Format::add_n::<u8>),
        (Format::sub, Format::sub_n::<u8>),
        (Format::mul, Format::mul_n::<u8>),
        (Format::div, Format::div_n::<u8>),
    ];
    for (one, all) in functions {
        all(e4m3, &mut c, &a, &b, ocp).unwrap();
        for i in 0..a.len() {
            assert_eq!(u64::from(c[i]), one(e4m3, a[i].into(), b[i].into(), ocp).code);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let (e4m3, f32, ocp) = (format("e4m3"), format("f32"), Policy::default());
    let mut two = [0u8; 2];
    assert_eq!(e4m3.convert_n(&mut two, f32, &[1f32], ocp), Err(Error::Length));
    assert_eq!(e4m3.convert_n(&mut two, f32, &[1f64, 2.0], ocp), Err(Error::ElementSize));
    assert_eq!(e4m3.convert_n(&mut [0u16; 1], f32, &[1f32], ocp), Err(Error::ElementSize));
    assert_eq!(e4m3.add_n(&mut two, &[0; 2], &[0; 3], ocp), Err(Error::Length));
    let random: Policy = "ocp round=sr".parse().unwrap();
    assert_eq!(e4m3.convert_n(&mut two, f32, &[1f32, 2.0], random), Err(Error::BadCall));
    assert_eq!(e4m3.convert_n::<u8, f32>(&mut [], f32, &[], ocp), Ok(()));
    assert_eq!("nvfp5".parse::<Recipe>().map(|_| ()), Err(Error::UnknownName));
}

#[test]
fn blocks_are_quantized_and_read_back() {
    let (recipe, f32): (Recipe, _) = ("mxfp4-floor".parse().unwrap(), format("f32"));
    // Two rows of two blocks. The largest magnitudes 6 and 3 give the scales 1 and 1/2.
    let src: Vec<f32> = (0..128).map(|i| if i % 64 < 32 { 6.0 } else { 3.0 }).collect();
    let q = recipe.quantize(f32, &src, 2, 64, 0.0).unwrap();
    assert_eq!(q.scales, [127, 126, 127, 126]);
    assert_eq!(q.codes, [7; 128]);
    let mut back = vec![0f32; 128];
    recipe.dequantize(f32, &mut back, &q).unwrap();
    assert_eq!(back, src);

    let nvfp4: Recipe = "nvfp4-te".parse().unwrap();
    let g = nvfp4.g(f32, 6.0).unwrap();
    let q = nvfp4.quantize(f32, &src, 2, 64, g).unwrap();
    assert_eq!((q.scales.len(), q.g), (8, g));
    nvfp4.dequantize(f32, &mut back, &q).unwrap();
    assert_eq!(back[0], 6.0);

    assert_eq!(recipe.quantize(f32, &src, 2, 63, 0.0), Err(Error::Length));
    assert_eq!(recipe.quantize(f32, &src, usize::MAX, 2, 0.0), Err(Error::Length));
    assert_eq!(recipe.quantize(format("e4m3"), &[0u8; 64], 1, 64, 0.0), Err(Error::BadFormat));
    // Codes of one recipe have too few scales for another.
    assert_eq!(
        nvfp4.dequantize(f32, &mut back, &recipe.quantize(f32, &src, 2, 64, 0.0).unwrap()),
        Err(Error::Length)
    );
}
