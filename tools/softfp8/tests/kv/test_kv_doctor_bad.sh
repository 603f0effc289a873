# SPDX-License-Identifier: MIT
# test_kv_doctor_bad.sh -- what softfp8 kv doctor refuses: one line, nothing written
. "$source/tools/softfp8/tests/tensors.sh"
doctor="$softfp8 kv doctor"

# numbers NUMBER...: these as f32, in bytes.
numbers() { words "$(printf '%s\n' "$@" | "$softfp8" convert --as-numbers --to f32)"; }
{ npy "<f4" "8, 2, 4"; numbers $(repeat 64 1); } > outlier.npy

echo old > kept
refused() {
    what=$1
    shift
    refuses "$what" "$@"
    same "$what: the file stays" old "$(cat kept)"
    same "$what: nothing beside it" "" "$(find . -name 'kept.*' -o -name 'new*')"
}
numbers 1 2 3 4 > in
raw="--from f32 --shape 2,2 --json kept"
refused "no tensor" "no tensor given; expected FILE" $doctor --json kept
refused "a missing file" "cannot read nofile" $doctor $raw nofile
refused "the second missing" "cannot read nofile" $doctor $raw in nofile
refused "an option" "no option '--scales'" $doctor --scales 1 in
for scale in 0 -0 -1 nan -nan inf 7fc00000 7f800000 0x00000000 0x80000000; do
    refused "scale $scale" "--scale $scale: a scale is a finite number above 0" $doctor $raw --scale=$scale in
done
refused "a scale that overflows" "--scale 1e60: the number overflows f32" $doctor $raw --scale 1e60 in
refused "a scale that rounds to 0" "--scale 1e-60: the number rounds to 0 in f32" $doctor $raw --scale 1e-60 in
refused "a g that rounds to 0" "--global-scale 1e-60: the number rounds to 0 in f32" $doctor $raw --recipe nvfp4-vllm --global-scale 1e-60 in
for scale in 10000000 00000000 80000000 12345e10 1e000000; do
    refused "scale $scale" "--scale $scale: ambiguous; write 0x$scale for f32 bits, [+]$scale for a number" $doctor $raw --scale $scale in
    refused "scales of heads, $scale" "--per-head-scales 1,$scale: byte 2: ambiguous; write 0x$scale for f32 bits" \
        $doctor $raw --heads 2 --per-head-scales 1,$scale in
    refused "one scale of heads, $scale" "byte 0: ambiguous; write 0x$scale for f32 bits" $doctor $raw --per-head-scales $scale in
    refused "g $scale" "--global-scale $scale: ambiguous; write 0x$scale for f32 bits" $doctor $raw --recipe nvfp4-vllm --global-scale $scale in
done
for g in 0 -0 -1 inf -inf 0x00000000 ff800000; do
    refused "g $g" "--global-scale $g: a global scale is a finite number above 0" $doctor $raw --recipe nvfp4-vllm --global-scale=$g in
    refused "a bound $g" "--global-scale $g: a global scale is a finite number above 0" $doctor $raw --recipe kv-vllm-token-bound --global-scale=$g in
done
for g in nan -nan 7fc00000 0xffffffff; do
    refused "g $g" "--global-scale $g: NaN cannot be a scale" $doctor $raw --recipe nvfp4-vllm --global-scale=$g in
done
for format in e8m0 ue4m3 ue5m3; do
    refused "$format" "--to $format: it has no negative numbers, but keys and values do" $doctor $raw --to $format in
done
refused "a bound that is not there" "kv-vllm-token-bound needs --global-scale: a number above 0, or auto to compute" $doctor $raw --recipe kv-vllm-token-bound in
refused "a scale of the tensor" "kv-vllm-dynamic computes its scales" $doctor $raw --recipe kv-vllm-dynamic --scale 1 in
refused "a scale where there is none" "kv-minisgl has no scale" $doctor $raw --recipe kv-minisgl --scale 1 in
refused "a tensor's scale in one pass" "kv-vllm-dynamic needs the tensor's amax first" $doctor $raw --one-pass --recipe kv-vllm-dynamic in
refused "no scale" "--scale 1x: expected a number" $doctor $raw --scale 1x in
refused "an unknown recipe" "no recipe 'nvfp4-vlm'; did you mean 'nvfp4-vllm'" $doctor $raw --recipe nvfp4-vlm in
refused "an unknown policy" "no policy 'cuda'" $doctor $raw --policy cuda in
refused "an unknown format" "e4m4" $doctor $raw --to e4m4 in
refused "a wide format" "--to f16: expected a format of at most 8 bits" $doctor $raw --to f16 in
refused "a cast of a recipe" "--recipe nvfp4-vllm has its own cast: leave out --to and --policy" $doctor $raw --recipe nvfp4-vllm --to e5m2 in
refused "a scale of a recipe" "mxfp4-vllm computes its scales" $doctor $raw --recipe mxfp4-vllm --scale 1 in
refused "a global scale of none" "--global-scale 1: e4m3 has no global scale" $doctor $raw --global-scale 1 in
refused "a global scale" "--global-scale nan: NaN cannot be a scale" $doctor $raw --recipe nvfp4-vllm --global-scale nan in
refused "both scales" "--scale and --per-head-scales exclude each other" $doctor $raw --heads 2 --scale 1 --per-head-scales 1,2 in
refused "scales too few" "in: the tensor has 1 head, but --per-head-scales has 2 scales" $doctor $raw --per-head-scales 1,2 in
refused "scales too many" "in: the tensor has 2 heads, but --per-head-scales has 3 scales" $doctor $raw --heads 2 --per-head-scales 1,2,3 in
refused "a scale of heads" "byte 2: a scale is a finite number above 0" $doctor $raw --per-head-scales 1,0 in
refused "a list" "byte 2: expected a number" $doctor $raw --per-head-scales 1,x in
refused "a list that goes on" "byte 2: expected a number" $doctor $raw --per-head-scales 1, in
refused "a list with a hole" "byte 2: expected a number" $doctor $raw --per-head-scales 1,,2 in
printf '1\nx\n' > scales.txt
refused "a file of scales" "scales.txt: byte 2: expected a number" $doctor $raw --per-head-scales scales.txt in
: > scales.txt
refused "an empty one" "scales.txt: byte 0: expected a number" $doctor $raw --per-head-scales scales.txt in
{ npy "<f4" "2,"; numbers 1 nan; } > scales.npy
refused ".npy of scales" "scales.npy: scale 1: a scale is a finite number above 0" \
    $doctor $raw --per-head-scales scales.npy in
refused "a file of scales that is missing" "cannot read none" $doctor $raw --per-head-scales none in
refused "heads that do not divide" "in: 2 channels cannot be divided into 3 heads" $doctor $raw --heads 3 in
refused "other heads" "outlier.npy: the tensor has 2 heads, but --heads is 4" $doctor --json kept --heads 4 outlier.npy
refused "no shape" "in: not a .npy file; raw data needs --from and --shape" $doctor --json kept --from f32 in
model=$source/examples/data/model.safetensors
refused "safetensors" "^$model: a .safetensors file, not a .npy file: 'softfp8 checkpoint $model' reads it" \
    $doctor --json kept "$model"
tests=$((tests + 1))
if $doctor - < "$model" > out 2> err || ! grep -q "^standard input: .* 'softfp8 checkpoint FILE' reads it" err; then
    failed "safetensors from standard input"
fi
printf '\377\0\0\0\0\0\0\1{"a"' > other
refused "a length that no head has" "other: not a .npy file; raw data" $doctor --json kept other
refused "a shape for .npy" "a .npy file has its own shape" $doctor $raw outlier.npy
refused "a short file" "in: 16 bytes of data; expected 24" $doctor --json kept --from f32 --shape 3,2 in
refused "a long file" "in: 16 bytes of data; expected 8" $doctor --json kept --from f32 --shape 1,2 in
for shape in 2 2,2,2,2 2x2 ,2 2, 2,2, -2,2 99999999999999999999,1; do
    refused "shape $shape" "--shape $shape: expected TOKENS,CHANNELS or TOKENS,HEADS,SIZE" \
        $doctor --json kept --from f32 --shape=$shape in
done
refused "a shape of nothing" "--shape 0,2: the shape is empty" $doctor --json kept --from f32 --shape 0,2 in
for shape in 4294967296,4294967296 4294967296,2,4294967296 3,12297829382473034411,1; do
    refused "shape $shape" "--shape $shape: too large" $doctor --json kept --from f32 --shape $shape in
done
refused "channels" "131072 channels; expected at most 65536" $doctor --json kept --from f32 --shape 1,131072 /dev/null
refused "a piece" "--piece 31: expected a number from 32" $doctor $raw --piece 31 in
refused "no heads" "--heads 0: expected a number from 1" $doctor $raw --heads 0 in
refused "two of SVG" "--svg kept: expected one tensor, got 2" $doctor --from f32 --shape 2,2 --svg kept in in
refused "one place" "two outputs go to the same file 'kept'" $doctor $raw --svg kept in
refused "nowhere to write" "cannot write ./none/svg" $doctor $raw --svg ./none/svg in
refused "standard input twice" "standard input .-. can be given only once" $doctor $raw - -
bad_npy() {
    { npy "$3" "$4" ${5-False}; numbers 1 2 3 4; } > bad.npy
    refused "$1" "bad.npy: $2" $doctor --json kept bad.npy
}
bad_npy "big-endian" "dtype '>f4': expected <f4, <f2" ">f4" "2, 2"
bad_npy "f64" "dtype '<f8'" "<f8" "1, 2"
bad_npy "bf16 not asked for" "dtype '<u2' may hold bf16" "<u2" "4, 2"
bad_npy "Fortran order" "byte [0-9]*: Fortran order; expected C order" "<f4" "2, 2" True
bad_npy "one dimension" "1 dimension; expected \\[tokens\\]\\[channels\\] or \\[tokens\\]\\[heads\\]\\[size\\]" "<f4" "4,"
bad_npy "four" "4 dimensions; expected" "<f4" "1, 1, 2, 2"
bad_npy "less data" "16 bytes of data; expected 24" "<f4" "3, 2"
bad_npy "more data" "16 bytes of data; expected 12" "<f4" "1, 1, 3"
bad_npy "too large" "byte [0-9]*: the array is too large" "<f4" "4294967296, 4294967296"
for n in 6 9 50 127; do
    head -c $n outlier.npy > cut.npy
    refused ".npy of $n bytes" "cut.npy: byte (6|8|10): the header is cut off" $doctor --json kept cut.npy
done
