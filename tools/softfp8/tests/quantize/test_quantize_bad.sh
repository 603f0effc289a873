# SPDX-License-Identifier: MIT
# test_quantize_bad.sh -- what softfp8 quantize and dequantize refuse: one line, nothing written
. "$source/tools/softfp8/tests/tensors.sh"

{ npy "<f4" "16,"; words $golden; } > one.npy
words $golden > golden.f32
$quantize --recipe nvfp4-vllm --from f32 --shape 1,16 --global-scale 448 -o golden.blocks golden.f32 2> err
words $(repeat 64 3c00) > in
$quantize --recipe kivi-int4 --from f16 --shape 2,32 -o kivi.blocks in 2> err

# ---- options; what was there stays

echo old > kept
words $golden > in
nv="--recipe nvfp4-vllm --from f32 --shape 1,16 --global-scale 448 -o kept"
refused() {
    what=$1
    shift
    refuses "$what" "$@"
    same "$what: the file stays" old "$(cat kept)"
    same "$what: nothing beside it" "" "$(find . -name 'kept.*' -o -name 'new*')"
}
refused "unknown recipe" "quantize: no recipe 'nvfp4-vlm'; did you mean 'nvfp4-vllm'\?" \
    $quantize --recipe nvfp4-vlm --global-scale 448 -o kept one.npy
refused "no recipe" "--recipe NAME is missing" $quantize -o kept one.npy
refused "no tensor" "no TENSOR given" $quantize $nv
refused "two tensors" "expected one tensor, got 'in' and 'out'" $quantize $nv in out
refused "no output" "no output given" $quantize --recipe mxfp4-floor one.npy
refused "an option" "no option '--gg'" $quantize --gg 1
refused "a missing file" "cannot read nofile" $quantize --recipe mxfp4-floor -o kept nofile
refused "no g" "nvfp4-vllm needs --global-scale: the global scale as a number, or auto, which computes it" $quantize --recipe nvfp4-vllm -o kept one.npy
refused "no image" "mxfp4-floor has no image format" $quantize --recipe mxfp4-floor --image kept one.npy
refused "a g too many" "mxfp4-floor has no global scale" $quantize --recipe mxfp4-floor --global-scale 1 -o kept one.npy
refused "NaN for g" "--global-scale nan: NaN cannot be a scale" $quantize --recipe nvfp4-vllm --global-scale nan -o kept one.npy
for g in 0 -0 -1 0x80000001 -inf; do
    refused "$g for g" "--global-scale $g: a global scale is a finite number above 0" $quantize --recipe nvfp4-vllm --global-scale $g -o kept one.npy
    refused "the same, explained" "--global-scale $g: a global scale is a finite number above 0" \
        "$softfp8" explain --recipe nvfp4-vllm --global-scale $g 1
done
refused "a g that overflows" "--global-scale 1e60: the number overflows f32$" $quantize --recipe nvfp4-vllm --global-scale 1e60 -o kept one.npy
refused "a g that rounds to 0" "--global-scale 1e-50: the number rounds to 0 in f32$" $quantize --recipe nvfp4-vllm --global-scale 1e-50 -o kept one.npy
refused "infinity for g" "--global-scale inf: a global scale is a finite number above 0" $quantize --recipe nvfp4-vllm --global-scale inf -o kept one.npy
for g in 0x43e0000 0X43e000000; do
    refused "$g for g" "--global-scale $g: expected 8 hexadecimal digits behind 0x; for a number" $quantize --recipe nvfp4-vllm --global-scale $g -o kept one.npy
done
refused "a NaN's word for g" "NaN cannot be a scale" $quantize --recipe nvfp4-vllm --global-scale 7fc00001 -o kept one.npy
refused "g" "--global-scale 1x: expected a number" $quantize --recipe nvfp4-vllm --global-scale 1x -o kept one.npy
words 7f800000 > inf
refused "auto of infinity" "--global-scale auto: the largest magnitude, f32 7f800000, gives no usable scale" \
    $quantize --recipe nvfp4-vllm --from f32 --shape 1,1 --global-scale auto -o kept inf
refused "its inverse" "--global-scale auto: the largest magnitude, f32 7f800000, gives no usable scale" \
    $quantize --recipe nvfp4-modelopt --from f32 --shape 1,1 --global-scale auto -o kept inf
words 7fc00000 > nan
refused "auto of NaN alone" "--global-scale auto: the largest magnitude, f32 7fc00000, gives no usable scale" \
    $quantize --recipe nvfp4-modelopt --from f32 --shape 1,1 --global-scale auto -o kept nan
words 00000001 > tiny
refused "an inverse of 0" "f32 00000001, gives no usable scale" \
    $quantize --recipe nvfp4-torchao --from f32 --shape 1,1 --global-scale auto -o kept tiny
refused "raw words without a shape" "in: not a .npy file; raw data needs --from and --shape" \
    $quantize --recipe mxfp4-floor --from f32 -o kept in
refused "safetensors" "model.safetensors: a .safetensors file, not a .npy file: 'softfp8 checkpoint " \
    $quantize --recipe mxfp4-floor -o kept "$source/examples/data/model.safetensors"
refused "raw words of nothing" "raw data needs --from" $quantize --recipe mxfp4-floor --shape 1,16 -o kept in
refused "a shape for .npy" "one.npy: a .npy file has its own shape" \
    $quantize --recipe mxfp4-floor --shape 1,16 -o kept one.npy
refused "a short file" "in: 64 bytes of data; expected 68 for 1 x 17" \
    $quantize --recipe mxfp4-floor --from f32 --shape 1,17 -o kept in
refused "a long file" "in: 64 bytes of data; expected 60" \
    $quantize --recipe mxfp4-floor --from f32 --shape 1,15 -o kept in
for shape in 0,16 16,0; do
    refused "shape $shape" "--shape $shape: the shape is empty" \
        $quantize --recipe mxfp4-floor --from f32 --shape $shape -o kept in
done
for shape in 16 1x16 1,16,1 ,16 1, -1,16 1,99999999999999999999; do
    refused "shape $shape" "--shape $shape: expected ROWS,COLUMNS" \
        $quantize --recipe mxfp4-floor --from f32 --shape=$shape -o kept in
done
for shape in 4294967296,4294967296 1,9223372036854775807 3,1000000000000000000; do
    refused "shape $shape" "--shape $shape: too large" \
        $quantize --recipe mxfp4-floor --from f32 --shape $shape -o kept in
done
refused "a layout that does not fit" "in: 1 x 16 elements, layout 4-token: .* multiples of 4" \
    $quantize $nv --layout 4-token in
refused "an unknown layout" "expected one of linear 128x4 8x4 4-token" $quantize $nv --layout 64x4 in
refused "an unknown format" "expected one of f32 bf16 f16" \
    $quantize --recipe mxfp4-floor --from f64 --shape 1,16 -o kept in
refused "codes alone" "--codes FILE and --scales FILE need each other" \
    $quantize --recipe mxfp4-floor --codes new one.npy
refused "offsets alone, that are none" "--offsets new: mxfp4-floor has no offsets" \
    $quantize --recipe mxfp4-floor --report --offsets new one.npy
refused "two forms" "-o FILE contains all parts" $quantize --recipe mxfp4-floor -o kept --codes new one.npy
refused "offsets that are none" "--offsets new: mxfp4-floor has no offsets" \
    $quantize --recipe mxfp4-floor --codes kept --scales new1 --offsets new one.npy
refused "no offsets" "kivi-int4 needs --offsets FILE" \
    $quantize --recipe kivi-int4 --codes kept --scales new one.npy
refused "one place" "two outputs go to the same file 'kept'" $quantize --recipe mxfp4-floor --codes kept --scales kept one.npy
refused "one place by two names" "two outputs go to the same file './kept', which is 'kept'" \
    $quantize --recipe mxfp4-floor --codes kept --scales ./kept one.npy
refused "the tensor itself" "the output './one.npy' would overwrite the input 'one.npy'" \
    $quantize --recipe mxfp4-floor --codes new --scales ./one.npy one.npy
refused "a number and a word" "--global-scale 43e00000: ambiguous; write 0x43e00000 for f32 bits" \
    $quantize --recipe nvfp4-vllm --global-scale 43e00000 -o kept one.npy
refused "two on standard output" "--report writes to standard output" \
    $quantize --recipe mxfp4-floor --report -o - one.npy
refused "nowhere to write" "cannot write ./none/scales" \
    $quantize --recipe mxfp4-floor --codes kept --scales ./none/scales one.npy

# ---- .npy

# bad_npy CASE PATTERN DTYPE SHAPE [ORDER]: such a file, with 64 bytes of data.
bad_npy() {
    { npy "$3" "$4" ${5-False}; words $golden; } > bad.npy
    refused "$1" "bad.npy: $2" $quantize --recipe mxfp4-floor -o kept bad.npy
}
bad_npy "f64" "dtype '<f8': expected <f4, <f2" "<f8" "16,"
bad_npy "big-endian" "dtype '>f4'" ">f4" "16,"
bad_npy "bf16 not asked for" "dtype '<u2' may hold bf16" "<u2" "32,"
bad_npy "Fortran order" "byte [0-9]*: Fortran order; expected C order" "<f4" "4, 4" True
bad_npy "empty" "byte [0-9]*: the array is empty" "<f4" "0, 16"
bad_npy "a number" "byte [0-9]*: a single number; expected an array" "<f4" ""
bad_npy "more than a file holds" "64 bytes of data; expected 68" "<f4" "17,"
bad_npy "less" "64 bytes of data; expected 60" "<f4" "15,"
bad_npy "more than any memory" "byte [0-9]*: the array is too large" "<f4" "4294967296, 4294967296"
bad_npy "more in three dimensions" "byte [0-9]*: the array is too large" "<f4" "4294967296, 4294967296, 1"
# 3 * 12297829382473034411 = 2^65 + 1
bad_npy "a product that comes out as 1" "byte [0-9]*: the array is too large" "<f4" "3, 12297829382473034411, 16"
bad_npy "something behind it" "byte 68: expected the end of the head" "<f4" "16,), }{("
bad_npy "more digits than a number has" "byte [0-9]*: expected a number in the shape" "<f4" "99999999999999999999,"
bad_npy "a negative one" "byte [0-9]*: expected a number in the shape" "<f4" "-16,"
bad_npy "no word" "byte [0-9]*: expected True or False" "<f4" "16," Maybe
refused "another type" "one.npy: dtype '<f4' does not fit --from f16" $quantize --recipe mxfp4-floor --from f16 -o kept one.npy
for n in 6 7 9 10 100 127; do
    head -c $n one.npy > cut.npy
    refused ".npy of $n bytes" "cut.npy: byte (6|8|10): the header is cut off" \
        $quantize --recipe mxfp4-floor -o kept cut.npy
done
head -c 128 one.npy > cut.npy
refused ".npy without data" "cut.npy: 0 bytes of data; expected 64" $quantize --recipe mxfp4-floor -o kept cut.npy
{ bytes 93 4e 55 4d 50 59 04 00 76 00; tail -c +11 one.npy; } > bad.npy
refused "a version" "byte 6: unsupported .npy version" $quantize --recipe mxfp4-floor -o kept bad.npy
sed "s/'shape'/'descr'/" one.npy > bad.npy
refused "a key twice" "descr, fortran_order and shape, each once" $quantize --recipe mxfp4-floor -o kept bad.npy

# ---- heads and parts

# changed SED PATTERN: golden.blocks with an edit of its head is refused.
changed() {
    sed "$1" golden.blocks > bad.blocks
    refused "$1" "^bad.blocks:$2" $dequantize -o kept bad.blocks
}
changed '1s/softfp8/softfp9/' "1: expected 'softfp8-blocks '"
changed '1s/1/2/' "1: version '2': expected 1"
changed '2s/vllm/vlm/' "2: no recipe 'nvfp4-vlm'; did you mean 'nvfp4-vllm'"
changed '2s/ .*/ what/' "2: no recipe 'what'"
changed '3s/32/64/' "3: 'f64': expected f32, bf16 or f16"
changed '4s/1/x/' "4: 'x': expected a number"
changed '4s/1/0/' "5: shape 0 x 16: it is empty"
changed '5s/16/9223372036854775807/' "5: .* too large"
changed '5s/16/17/' "8: codes 8: expected 9 bytes"
changed '6s/ .*/ none/' "6: nvfp4-vllm needs a global scale"
changed '6s/ .*/ 7fc00000/' "6: NaN cannot be a scale"
changed '6s/ .*/ 43e0/' "6: '43e0': expected 8 hexadecimal digits"
changed '7s/linear/128x4/' "9: scales 1: expected 512 bytes"
changed '7s/linear/4-token/' "7: 4-token: rows and scales in a row have to be multiples of 4"
changed '7s/linear/lines/' "7: unknown layout 'lines'"
changed '8s/8/9/' "8: codes 9: expected 8 bytes"
changed '9s/1/2/' "9: scales 2: expected 1 bytes"
changed '10s/0/1/' "10: offsets 1: expected 0 bytes"
changed '11s/5cff/5dff/' " the SHA-256 of the data is 5cff"
changed '11s/5cff/5CFF/' "11: expected 64 lower-case"
changed '11s/5cff/5cf/' "11: expected 64 lower-case"
changed '12s/^/x/' "12: expected an empty line"
changed '4d' "4: expected 'rows '"
sed '6s/ .*/ 43e00000/' kivi.blocks > bad.blocks
refused "a g too many in the head" "bad.blocks:6: kivi-int4 has no global scale" $dequantize -o kept bad.blocks
for n in 0 1 14 16 40 186; do
    head -c $n golden.blocks > bad.blocks
    refused "cut at $n" "^bad.blocks:[0-9]*: the header is cut off" $dequantize -o kept bad.blocks
done
size=$(wc -c < golden.blocks | tr -d ' ')
head -c $((size - 1)) golden.blocks > bad.blocks
refused "cut at the end" "bad.blocks: 8 bytes after the header; expected 9" $dequantize -o kept bad.blocks
{ cat golden.blocks; echo; } > bad.blocks
refused "too long" "bad.blocks: 10 bytes after the header; expected 9" $dequantize -o kept bad.blocks
{ head -c $((size - 9)) golden.blocks; bytes 91 22 4b d4 66 7e 80 87 7e; } > bad.blocks
refused "a code changed" "bad.blocks: the SHA-256 of the data is" $dequantize -o kept bad.blocks
raw="--recipe nvfp4-vllm --shape 1,16 --global-scale 448"
bytes 90 22 4b d4 66 7e 80 87 > codes
bytes 7e > scales
bytes 7e 7e > scales2
refused "scales too many" "scales2: 2 bytes of scales; expected 1" \
    $dequantize -o kept $raw --codes codes --scales scales2
refused "codes too few" "scales: 1 bytes of codes; expected 8" \
    $dequantize -o kept $raw --codes scales --scales scales
refused "no scales" "--codes FILE and --scales FILE" $dequantize -o kept $raw --codes codes
refused "no shape" "--codes needs --recipe NAME and --shape" \
    $dequantize -o kept --recipe nvfp4-vllm --codes codes --scales scales
refused "options and a head" "golden.blocks has a head" $dequantize -o kept $raw golden.blocks
refused "no g" "nvfp4-vllm needs --global-scale: the global scale that the blocks were made with$" \
    $dequantize -o kept --recipe nvfp4-vllm --shape 1,16 --codes codes --scales scales
refused "auto" "--global-scale auto: expected a number; there is no tensor" \
    $dequantize -o kept --recipe nvfp4-vllm --shape 1,16 --global-scale auto --codes codes --scales scales
refused "no offsets to read" "kivi-int4: --offsets FILE is missing" \
    $dequantize -o kept --recipe kivi-int4 --shape 1,16 --codes codes --scales scales
refused "offsets of none" "nvfp4-vllm: this recipe has no offsets: leave out --offsets" \
    $dequantize -o kept $raw --codes codes --scales scales --offsets scales
refused "layout of raw" "--shape 1,16, layout 4-token: rows and" \
    $dequantize -o kept $raw --layout 4-token --codes codes --scales scales
refused "two from standard input" "only one part can come from standard input" $dequantize -o kept $raw --codes - --scales -
refused "two files" "expected one file" $dequantize -o kept golden.blocks golden.blocks
refused "a format" "expected one of npy raw text" $dequantize --format c golden.blocks
