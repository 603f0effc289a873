#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh -- makes the files of this folder again: examples/data/make.sh [FOLDER]
#
# It writes them into FOLDER, by default here. It needs the command softfp8 on the PATH. The numbers
# are random numbers of a fixed seed, so that the files are the same everywhere.
set -eu
cd "${1:-$(dirname "$0")}"

# Hexadecimal codes on standard input, one a line, become bytes, the least significant first.
to_bytes() {
    # The format is made of octal escapes.
    # shellcheck disable=SC2059
    printf "$(awk '{
        for (i = length($0) - 1; i > 0; i -= 2)
            printf "\\%03o", 16 * digit(substr($0, i, 1)) + digit(substr($0, i + 1, 1))
    }
    function digit(c) { return index("0123456789abcdef", c) - 1 }')"
}

# npy TYPE SHAPE: the numbers on standard input as a .npy file.
npy() {
    format=f32
    [ "$1" != "<f2" ] || format=f16
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '$1', 'fortran_order': False, 'shape': ($2), }"
    softfp8 convert --as-numbers --to "$format" --policy ocp-nosat | to_bytes
}

# The sum of four uniform random numbers, which looks like a normal distribution.
# shellcheck disable=SC2016
random='
    function uniform() { seed = (seed * 1103515245 + 12345) % 2147483648; return seed / 2147483648 }
    function normal() { return uniform() + uniform() + uniform() + uniform() - 2 }'

# Keys of 48 tokens, 2 heads of 16 channels. In the first eight tokens, one early request, no value
# exceeds 5. Later channel 3 of head 0 has values up to 20.
awk "$random"'
    BEGIN {
        seed = 8
        for (token = 0; token < 48; token++)
            for (channel = 0; channel < 32; channel++) {
                x = 2 * normal()
                if (channel == 3) x = token == 0 ? 5 : token < 8 ? 4 + x / 4 : 15.5 + 3 * x / 2
                printf "%.3f\n", x
            }
    }' | npy "<f2" "48, 2, 16" > keys.npy

# Weights, their NVFP4 codes and scales; in each byte of the codes the two nibbles are exchanged.
awk "$random"' BEGIN { seed = 9; for (i = 0; i < 1024; i++) printf "%.4f\n", normal() / 8 }' |
    npy "<f4" "16, 64" > weights.npy
softfp8 quantize --recipe nvfp4-te --global-scale 448 --codes codes.bin --scales scales.bin weights.npy \
    2> /dev/null
od -An -v -tx1 codes.bin | tr -s ' ' '\n' | sed '/^$/d; s/\(.\)\(.\)/\2\1/' | to_bytes > swapped
mv swapped codes.bin

# A cast from f16 to e4m3 that flushes subnormal results to zero: the input, and the code.
softfp8 gen f16_to_e4m3 --critical --columns operands | tr A-F a-f > inputs
softfp8 convert --from f16 --to e4m3 --set flush=outputs inputs | paste -d ' ' inputs - > cast.txt
rm inputs

# safetensors HEAD FILE...: the length of the head in 8 bytes, the head, and the files.
safetensors() {
    printf '%016x\n' ${#1} | to_bytes
    printf '%s' "$1"
    shift
    cat "$@"
}
# entry NAME TYPE SHAPE FROM TO
entry() {
    printf '"model.layers.0.%s":{"dtype":"%s","shape":[%s],"data_offsets":[%s,%s]}' "$@"
}

# A checkpoint of two layers with the same weights: NVFP4 as ModelOpt writes it, and FP8 with a scale
# for each row, where one code became NaN. The scales of the KV cache are 1. And the same before it
# was quantized. This generator has a long period.
awk 'function uniform() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
    BEGIN {
        seed = 10
        for (i = 0; i < 1024; i++)
            printf "%.4f\n", (uniform() + uniform() + uniform() + uniform() - 2) / (8 + i / 64)
    }' | npy "<f4" "16, 64" > more
tail -c 4096 more > words
softfp8 quantize --recipe nvfp4-modelopt --global-scale 0x1p-13 --codes a --scales b more 2> /dev/null
softfp8 quantize --recipe fp8-compressed-channel --codes c --scales d more 2> /dev/null
{ head -c 100 c && echo 7f | to_bytes && tail -c +102 c; } > e
printf '%s\n' 39000000 3f800000 3f800000 | to_bytes > f
safetensors "{$(entry mlp.up_proj.weight U8 16,32 0 512),$(
    entry mlp.up_proj.weight_scale F8_E4M3 16,4 512 576),$(
    entry mlp.down_proj.weight F8_E4M3 16,64 576 1600),$(
    entry mlp.down_proj.weight_scale F32 16,1 1600 1664),$(
    entry mlp.up_proj.weight_scale_2 F32 '' 1664 1668),$(
    entry self_attn.k_proj.k_scale F32 '' 1668 1672),$(
    entry self_attn.v_proj.v_scale F32 '' 1672 1676)}" a b e d f > model.safetensors
safetensors "{$(entry mlp.up_proj.weight F32 16,64 0 4096),$(
    entry mlp.down_proj.weight F32 16,64 4096 8192)}" words words > original.safetensors
rm more words a b c d e f
