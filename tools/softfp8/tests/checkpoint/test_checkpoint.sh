# SPDX-License-Identifier: MIT
# test_checkpoint.sh -- softfp8 checkpoint: the schemes, findings, errors, and files that are wrong
#
# Bytes and values come from the formats' definitions, by hand. What the products themselves return
# is in the evidence of each scheme: softfp8 checkpoint --schemes.
. "$source/tools/softfp8/tests/tensors.sh"
checkpoint="$softfp8 checkpoint"

# values NAME FILE...: of a layer, as words of f32, the most significant digit first.
values() {
    name=$1
    shift
    $checkpoint --tensor "$name" -o values.npy "$@" || return
    tail -c +129 values.npy | od -An -v -tx4 | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'
}
table="00000000 3f000000 3f800000 3fc00000 40000000 40400000 40800000 40c00000
80000000 bf000000 bf800000 bfc00000 c0000000 c0400000 c0800000 c0c00000"

# ---- each scheme: all 16 codes of e2m1, or some of e4m3, the low nibble first

codes="10 32 54 76 98 ba dc fe"
tensors modelopt "{$(entry l.weight U8 1,8 0 8),$(entry l.weight_scale F8_E4M3 1,1 8 9),$(
    entry l.weight_scale_2 F32 '' 9 13),\"__metadata__\":{\"format\":\"pt\"}}" "$codes 40 00 00 00 3f"
status "nvfp4 of ModelOpt" 0 $checkpoint modelopt
same "it is named" "1 NVFP4, ModelOpt: recipe nvfp4-modelopt, g is weight_scale_2" "$(sed -n 2p out | xargs)"
# the scale 40 is 2, g is 0.5; ModelOpt adds 0 to each code, so that -0 is 0
plus=$(echo $table | sed 's/80000000/00000000/')
same "its values" "$plus" "$(values l modelopt)"
tensors compressed "{$(entry l.weight_packed U8 1,8 0 8),$(entry l.weight_scale F8_E4M3 1,1 8 9),$(
    entry l.weight_global_scale F32 1 9 13)}" "$codes 40 00 00 00 40"
same "nvfp4 of compressed-tensors: g divides" "$(echo $table)" "$(values l compressed)"
tensors mxfp4 "{$(entry l.weight_packed U8 1,16 0 16),$(entry l.weight_scale U8 1,1 16 17)}" "$codes $codes 7f"
same "mxfp4" "$(echo $table $table)" "$(values l mxfp4)"
tensors oss "{$(entry e.w_blocks U8 1,1,1,16 0 16),$(entry e.w_scales U8 1,1,1 16 17)}" "$codes $codes 80"
same "gpt-oss: twice the values" "3f800000 40000000 40400000" "$(values e.w oss | cut -d ' ' -f 2-4)"
tensors mxfp8 "{$(entry l.weight F8_E4M3 1,32 0 32),$(entry l.weight_scale U8 1,1 32 33)}" \
    "38 40 b8 $(repeat 29 00) 80"
same "mxfp8" "40000000 40800000 c0000000" "$(values l mxfp8 | cut -d ' ' -f 1-3)"
# 129 columns are two blocks of 128; the global scale is 4
tensors deepseek "{$(entry l.weight F8_E4M3 1,129 0 129),$(entry l.weight_scale_inv F32 1,2 129 137)}" \
    "$(repeat 129 38) 00 00 00 40 00 00 80 40"
same "blocks" "40000000 40800000" "$(values l deepseek | tr ' ' '\n' | sed -n '128,129p' | xargs)"
tensors rows "{$(entry l.weight F8_E4M3 2,2 0 4),$(entry l.weight_scale BF16 2,1 4 8)}" \
    "38 40 38 40 80 3f 00 40"
same "rows, scales of bf16" "3f800000 40000000 40000000 40800000" "$(values l rows)"
tensors one "{$(entry l.weight F8_E4M3 2,2 0 4),$(entry l.weight_scale F32 '' 4 8)}" \
    "38 40 b8 c0 00 00 00 3f"
same "control characters of a name" "e?s" "$(
    tensors esc "{$(entry 'e\u001bs.weight' F8_E4M3 2,2 0 4),$(entry 'e\u001bs.weight_scale' F32 '' 4 8)}" \
        "38 40 7f c0 00 00 00 3f"
    $checkpoint esc | sed -n 's/^  \(.*\): NaN codes: 1$/\1/p')"
same "one scale" "3f000000 3f800000 bf000000 bf800000" "$(values l one)"
tensors flat "{$(entry l.weight F8_E4M3 2,2 0 4),$(entry l.weight_scale BF16 2 4 8)}" \
    "38 40 38 40 80 3f 00 40"
same "rows, without an axis" "3f800000 40000000 40000000 40800000" "$(values l flat)"
same "the list" "l fp8-compressed-channel 2, 2 0.5 to 0.5 0 - 1" "$($checkpoint --list one | tail -n 1 | xargs)"

# two matrices of 129 rows: each has two blocks, and the second begins with its own
tensors experts "{$(entry l.weight F8_E4M3 2,129,1 0 258),$(entry l.weight_scale_inv F32 2,2,1 258 274)}" \
    "$(repeat 258 38) 00 00 80 3f 00 00 00 40 00 00 80 40 00 00 00 41"
same "blocks of each matrix" "128 3f800000 1 40000000 128 40800000 1 41000000" \
    "$(values l experts | tr ' ' '\n' | uniq -c | xargs)"
# one matrix alone, as one layer's state_dict has it
tensors alone "{$(entry weight F8_E4M3 2,2 0 4),$(entry weight_scale F32 2,1 4 12)}" \
    "38 40 38 40 00 00 80 3f 00 00 00 40"
same "names without a layer" "3f800000 40000000 40000000 40800000" "$(values weight alone)"
$checkpoint --schemes > out
same "each scheme is in this test" 9 "$(grep -c '^  recipe' out)"
same "with evidence" 9 "$(grep -c '^  evidence  \(ran\|source\): ' out)"

# ---- several files; scales of caches and inputs; tensors that are plain

tensors second "{$(entry l.weight_scale F8_E4M3 1,1 0 1),$(entry l.weight_scale_2 F32 '' 1 5)}" "40 00 00 00 3f"
tensors first "{$(entry l.weight U8 1,8 0 8),$(entry a.k_scale F32 '' 8 12),$(
    entry a.v_scale F32 '' 12 16),$(entry l.input_scale F32 '' 16 20),$(entry n.weight BF16 1,2 20 24)}" \
    "$codes 00 00 80 3f 00 00 80 3f 00 00 80 3e 80 3f 00 40"
same "the scale is in another file" "$plus" "$(values l first second)"
status "several" 0 $checkpoint first second
same "counted" "7 tensors in 2 files, 1 quantized layer" "$(head -n 1 out)"
same "caches" "2 scales of KV caches, 1 to 1: all are 1, as without a calibration" "$(grep caches out | xargs)"
same "inputs" "1 scales of inputs, 0.25 to 0.25" "$(grep inputs out | xargs)"
same "a plain tensor" "3f800000 40000000" "$(values n.weight first second)"

# ---- findings

# The only finding of a report, and the command that the last line names.
finding() { sed -n '/^findings$/{n;p;}' out | xargs; }
next() { tail -n 1 out | sed -n 's/.*: softfp8 checkpoint/checkpoint/p'; }
tensors odd "{$(entry l.weight F8_E4M3 2,2 0 4),$(entry l.weight_scale F32 2,1 4 12)}" \
    "7f 38 ff 38 00 00 c0 7f 00 00 80 bf"
status "findings" 1 $checkpoint odd
same "what is odd" "l: NaN codes: 2; NaN or infinite scales: 1; negative scales: 1; NaN values: 3" "$(finding)"
same "the next command" "checkpoint --tensor l -o values.npy odd" "$(next)"
tensors zero "{$(entry l.weight F8_E4M3 2,2 0 4),$(entry l.weight_scale F32 '' 4 8)}" "38 38 38 38 00 00 00 00"
status "zeros" 1 $checkpoint zero
same "zeros are odd" "l: scales, which are all 0: 1" "$(finding)"
tensors shapes "{$(entry l.weight F8_E4M3 2,3 0 6),$(entry l.weight_scale F32 3 6 18)}" \
    "$(repeat 6 38) $(repeat 12 00)"
status "scales by columns" 1 $checkpoint shapes
same "which schemes are known" "checkpoint --schemes" "$(next)"
same "the shapes are shown" "l: codes F8_E4M3 [2, 3] and scales F32 [3] fit no scheme" "$(finding)"
for shape in 2,1 2; do
    tensors turned "{$(entry l.weight U8 1,16 0 16),$(entry l.weight_scale F8_E4M3 $shape 16 18),$(
        entry l.weight_scale_2 F32 '' 18 22)}" "$codes $codes 40 40 00 00 00 3f"
    status "two scales as [$shape]" 1 $checkpoint turned
    same "they fit no scheme" 1 "$(grep -c 'scales F8_E4M3 .* fit no scheme' out)"
done
tensors g "{$(entry l.weight U8 1,8 0 8),$(entry l.weight_scale F8_E4M3 1,1 8 9),$(
    entry l.weight_scale_2 F32 '' 9 13)}" "$codes 40 00 00 80 7f"
status "an infinite global scale" 1 $checkpoint g
same "it is named" "l: l.weight_scale_2 is inf; infinite values: 14; NaN values: 2" "$(finding)"
same "the largest of its values too" "inf inf" "$($checkpoint --list g | awk '$1 == "l" { print $(NF - 1), $NF }')"
# a scale for each head; blk_scale is none of a cache
tensors heads "{$(entry a.k_scale F32 3 0 12),$(entry a.v_scale F32 '' 12 16),$(
    entry a.blk_scale F32 '' 16 20),$(entry a.input_scale F32 '' 20 24)}" \
    "00 00 00 3f 00 00 00 40 00 00 c0 7f 00 00 80 bf 00 00 00 41 00 00 c0 7f"
status "scales of caches" 1 $checkpoint heads
same "the range is that of positive numbers" "2 scales of KV caches, 0.5 to 2" "$(grep caches out | xargs)"
same "no range" "1 scales of inputs" "$(grep inputs out | xargs)"
same "each is named" "a.input_scale: scales that are not positive numbers: 1
a.k_scale: scales that are not positive numbers: 1
a.v_scale: scales that are not positive numbers: 1" "$(sed -n '/^findings/,$s/^  //p' out)"
same "the values of the first one" "checkpoint --tensor a.input_scale -o values.npy heads" "$(next)"
tensors plain "{$(entry n.weight F32 1 0 4)}" "00 00 80 3f"
status "no scales" 0 $checkpoint plain
same "nothing is among them" "1 tensors that belong to no quantized layer" "$(tail -n 1 out | xargs)"

# the codes and the scale are in two files, whose names a shell would split
tensors "it's 1" "{$(entry 'a b.weight' F8_E4M3 1,1 0 1)}" "7f"
tensors other "{$(entry 'a b.weight_scale' F32 '' 0 4)}" "00 00 80 3f"
status "names with blanks and quotes" 1 $checkpoint "it's 1" other one
same "are quoted" "checkpoint --tensor 'a b' -o values.npy 'it'\\''s 1' other" "$(next)"
eval "$softfp8 $(next)"
same "the command writes the NaN" "0000c07f" "$(tail -c 4 values.npy | od -An -v -tx1 | tr -d ' ')"
status "nothing odd" 0 $checkpoint one
same "no next command" "nothing odd in the codes and scales" "$(tail -n 1 out)"

# ---- the error of each layer: 1 and 2 are right; instead of 4 and 8 there are 4 and 7

tensors given "{$(entry a.weight F8_E4M3 1,2 0 2),$(entry a.weight_scale F32 '' 2 6),$(
    entry b.weight F8_E4M3 1,2 6 8),$(entry b.weight_scale F32 '' 8 12)}" \
    "38 40 00 00 80 3f 48 4e 00 00 80 3f"
tensors right "{$(entry a.weight BF16 1,2 0 4),$(entry b.weight F32 1,2 4 12)}" \
    "80 3f 00 40 00 00 80 40 00 00 00 41"
status "errors" 0 $checkpoint --reference right given
# 10 log10((16 + 64) / 1)
same "the worst first" "19.03 1 0.9000 7 b" "$(tail -n 2 out | head -n 1 | xargs)"
same "none" "inf 0 1.0000 2 a" "$(tail -n 1 out | xargs)"
tensors nan "{$(entry a.weight F8_E4M3 1 0 1),$(entry a.weight_scale F32 '' 1 5),$(
    entry b.weight F8_E4M3 1,1 5 6),$(entry b.weight_scale F32 '' 6 10),$(
    entry c.weight F8_E4M3 1,1 10 11),$(entry c.weight_scale F32 '' 11 15)}" \
    "38 00 00 80 3f 7f 00 00 80 3f 7f 00 00 80 3f"
tensors ones "{$(entry a.weight F32 1 0 4),$(entry b.weight F32 1 4 8),$(entry c.weight F32 1 8 12)}" \
    "00 00 80 3f 00 00 80 3f 00 00 80 3f"
status "two with NaN" 1 $checkpoint --reference ones nan
same "they come first" "b c a" "$(tail -n 4 out | head -n 3 | awk '{ print $5 }' | xargs)"

# ---- JSON

status "JSON beside the text" 1 $checkpoint --json c.json --reference ones nan
cp out text
status "JSON instead of it" 1 $checkpoint --json - --reference ones nan
same_file "is the same" c.json out
status "JSON on standard output, and text in a file" 1 $checkpoint --json - -o c.txt --reference ones nan
same_file "the text" text c.txt
same_file "the JSON" c.json out
cat > expected << 'EOF'
{"files": ["nan"], "tensors": 6, "quantized_layers": 3, "layers_of_no_scheme": 0, "other_tensors": 0,
 "schemes": [
  {"scheme": "FP8, one scale", "recipe": "fp8-compressed-channel", "layers": 3}],
 "cache_scales": {"tensors": 0, "least": null, "largest": null, "not_positive": 0},
 "input_scales": {"tensors": 0, "least": null, "largest": null, "not_positive": 0},
 "findings": [
  {"name": "b", "finding": "NaN codes: 1"},
  {"name": "c", "finding": "NaN codes: 1"}],
 "remarks": [],
 "layers": [
  {"name": "a", "codes": "a.weight", "scales": "a.weight_scale", "global_scale": null, "scheme": "FP8, one scale", "recipe": "fp8-compressed-channel",
   "rows": 1, "columns": 1, "amax": 1, "rms": 1, "nan_codes": 0, "nan_values": 0, "infinite_values": 0, "g": null, "scale_count": 1, "least_scale": 1, "largest_scale": 1, "zero_scales": 0, "negative_scales": 0, "nan_scales": 0, "error": {"equal": true, "sqnr_db": null, "max_abs_error": 0, "factor": 1, "beyond_one_code": 0}},
  {"name": "b", "codes": "b.weight", "scales": "b.weight_scale", "global_scale": null, "scheme": "FP8, one scale", "recipe": "fp8-compressed-channel",
   "rows": 1, "columns": 1, "amax": null, "rms": 0, "nan_codes": 1, "nan_values": 1, "infinite_values": 0, "g": null, "scale_count": 1, "least_scale": 1, "largest_scale": 1, "zero_scales": 0, "negative_scales": 0, "nan_scales": 0, "error": {"equal": false, "sqnr_db": null, "max_abs_error": 0, "factor": null, "beyond_one_code": 0}},
  {"name": "c", "codes": "c.weight", "scales": "c.weight_scale", "global_scale": null, "scheme": "FP8, one scale", "recipe": "fp8-compressed-channel",
   "rows": 1, "columns": 1, "amax": null, "rms": 0, "nan_codes": 1, "nan_values": 1, "infinite_values": 0, "g": null, "scale_count": 1, "least_scale": 1, "largest_scale": 1, "zero_scales": 0, "negative_scales": 0, "nan_scales": 0, "error": {"equal": false, "sqnr_db": null, "max_abs_error": 0, "factor": null, "beyond_one_code": 0}}]}
EOF
same_file "layers, errors and findings" expected out
$checkpoint --json - modelopt > out
same "a global scale" 1 "$(grep -c '"global_scale": "l.weight_scale_2", "scheme": "NVFP4, ModelOpt"' out)"
same "g, and no reference" 1 "$(grep -c '"g": 0.5, .*, "error": null}' out)"
$checkpoint --json - --reference right given > out
same "an error" 1 "$(grep -c '"error": {"equal": false, "sqnr_db": 19.0309, "max_abs_error": 1, "factor": 0.9, "beyond_one_code": 0}' out)"
$checkpoint --json - first second > out
same "files" 1 "$(grep -c '^{"files": \["first", "second"\], "tensors": 7, .*"other_tensors": 4,' out)"
same "scales of caches" ' "cache_scales": {"tensors": 2, "least": 1, "largest": 1, "not_positive": 0},' "$(grep cache out)"
same "scales of inputs" ' "input_scales": {"tensors": 1, "least": 0.25, "largest": 0.25, "not_positive": 0},' "$(grep input_scales out)"
status 'scales of heads as JSON' 1 $checkpoint --json - heads
same "scales that are not positive" ' "cache_scales": {"tensors": 2, "least": 0.5, "largest": 2, "not_positive": 2},' "$(grep '"cache' out)"
same "are findings" 1 "$(grep -c '{"name": "a.k_scale", "finding": "scales that are not positive numbers: 1"}' out)"
status 'unknown shapes as JSON' 1 $checkpoint --json - shapes
same "no scheme" 1 "$(grep -c '"layers_of_no_scheme": 1' out)"
same "no recipe" 1 "$(grep -c '^  {"name": "l", .*, "scheme": null, "recipe": null}\]}$' out)"

# ---- what is refused

refuses "no file" "no FILE given" $checkpoint

# ---- a folder

mkdir parts
cp one parts/2.safetensors
tensors parts/1.safetensors "{$(entry m.weight F8_E4M3 1,2 0 2),$(entry m.weight_scale F32 '' 2 6)}" \
    "38 38 00 00 80 3f"
echo text > parts/.3.safetensors
echo text > parts/safetensors
status "a folder" 0 $checkpoint parts
same "its files" "4 tensors in 2 files, 2 quantized layers" "$(head -n 1 out)"
same "a tensor of one of them" "3f000000 3f800000 bf000000 bf800000" "$(values l parts)"
refuses "over a file of a folder" "would overwrite the input" $checkpoint -o parts/2.safetensors parts
refuses "over a reference" "would overwrite the input" $checkpoint --reference parts -o parts/2.safetensors one
same_file "it stays" one parts/2.safetensors
rm parts/[12].safetensors
refuses "a folder without one" "^parts: a folder without a file whose name ends in .safetensors$" \
    $checkpoint parts
refuses "no such file" "nowhere: cannot open" $checkpoint nowhere
refuses "no such layer" "--tensor x: no layer and no tensor has that name" $checkpoint --tensor x -o o.npy one
refuses "no -o" "--tensor needs -o FILE" $checkpoint --tensor l one
refuses "JSON of one tensor" "excludes --list, --reference and --json" $checkpoint --tensor l -o o.npy --json o.json one
refuses "JSON of the schemes" "cannot be combined" $checkpoint --schemes --json -
refuses "JSON over the input" "would overwrite the input" $checkpoint --json one one
refuses "JSON over the text" "o.txt" $checkpoint --json o.txt -o ./o.txt one
refuses "over the input" "would overwrite the input" $checkpoint -o one one
refuses "twice" "rows: a second tensor 'l.weight'; the first is in one" $checkpoint one rows
printf 'short' > short
refuses "5 bytes" "short: not a .safetensors file" $checkpoint short
printf 'version https://git-lfs.github.com/spec/v1\n' > pointer
refuses "a pointer of Git LFS" "pointer: not a .safetensors file but a pointer of Git LFS" $checkpoint pointer
bytes ff ff ff ff ff ff ff 7f > long
refuses "a head beyond the end" "its first 8 bytes say that the head has 9223372036854775807 bytes" $checkpoint long
tensors bad "{$(entry l U8 1 0 2)}" "00"
refuses "beyond the end" "bad: byte 5[0-9]: in the head: expected offsets within the file" $checkpoint bad
tensors bad "{$(entry l U8 1 1 0)}" "00"
refuses "the higher one first" "expected two offsets, the lower one first" $checkpoint bad
tensors bad "{$(entry l U8 3 0 2)}" "00 00"
refuses "another size" "expected data_offsets as far apart as dtype and shape say" $checkpoint bad
tensors bad '{"l":{"dtype":"U8","shape":[1]}}' "00"
refuses "no offsets" "expected dtype, shape and data_offsets" $checkpoint bad
tensors bad '{"l":[' "00"
refuses "no JSON" "bad: byte 1[0-9]: in the head: expected" $checkpoint bad
tensors bad '{"l":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}}' "00"
refuses "a dtype twice" "expected dtype, shape and data_offsets, once each" $checkpoint bad
tensors bad "{$(entry l U8 2 0 2),$(entry m U8 2 1 3)}" "00 00 00"
refuses "tensors that overlap" "bad: the tensor 'm' begins at byte 1 of the data; expected 2" $checkpoint bad
tensors bad "{$(entry m U8 1 1 2)}" "00 00"
refuses "a hole" "bad: the tensor 'm' begins at byte 1 of the data; expected 0" $checkpoint bad
tensors bad "{$(entry l U8 1 0 1)}" "00 00 00"
refuses "bytes behind" "bad: 2 bytes after the last tensor" $checkpoint bad
tensors late "{$(entry m U8 1 1 2),$(entry l U8 1 0 1),$(entry n U8 0 1 1)}" "00 00"
status "another order, and no bytes" 0 $checkpoint late
printf '{"weight_map":{"l.weight":"one"}}' > index
refuses "an index" "index: not a .safetensors file but JSON" $checkpoint index
tensors wide "{$(entry a.weight F8_E4M3 2,3 0 6),$(entry a.weight_scale F32 '' 6 10)}" \
    "$(repeat 6 38) 00 00 80 3f"
tensors turned "{$(entry a.weight BF16 3,2 0 12)}" "$(repeat 6 '80 3f')"
refuses "a transposed reference" "turned: a.weight has rows of 2 values; the layer has rows of 3" \
    $checkpoint --reference turned wide
tensors axes "{$(entry a.weight F32 1,2,1 0 8)}" "00 00 80 3f 00 00 00 40"
status "more axes" 0 $checkpoint --reference axes given
tensors whole "{$(entry l.idx I64 1 0 8)}" "$(repeat 8 00)"
refuses "integers" "the dtype I64; expected F32, BF16, F16" $checkpoint --tensor l.idx -o o.npy whole
tensors few "{$(entry a.weight F32 1 0 4)}" "00 00 80 3f"
refuses "another count" "few: a.weight has 1 values; the layer has 2" $checkpoint --reference few given

# ---- sizes: many layers, many rows without values, one long row, and tiles of both kinds
awk 'BEGIN { printf "{"; n = 60000
    for (i = 0; i < n; i++)
        printf "%s\"m.%d.weight\":{\"dtype\":\"F8_E4M3\",\"shape\":[1],\"data_offsets\":[%d,%d]}", i ? "," : "", i, i, i + 1
    for (i = 0; i < n; i++)
        printf ",\"m.%d.weight_scale\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[%d,%d]}", i, n + 4 * i, n + 4 * i + 4
    printf "}" }' > heading
{
    bytes "$(printf '%08x' "$(($(wc -c < heading)))" | sed 's/\(..\)\(..\)\(..\)\(..\)/\4 \3 \2 \1/') 00 00 00 00"
    cat heading
    yes '' | head -c 300000
} > many
status "60,000 layers within seconds" 0 sh -c 'ulimit -t 8; "$@"' sh $checkpoint many
same "all are read" "120000 tensors in 1 file, 60000 quantized layers" "$(head -n 1 out)"
tensors empty "{$(entry l.weight F8_E4M3 9007199254740992,0 0 0),$(entry l.weight_scale F32 '' 0 4)}" "00 00 80 3f"
status "2^53 rows of nothing" 0 sh -c 'ulimit -t 8; "$@"' sh $checkpoint --list empty
same "no value" 0 "$(awk '$1 == "l" { print $NF }' out)"
size=100000000
tensors long "{$(entry l.weight F8_E4M3 1,$size 4 $((size + 4))),$(entry l.weight_scale F32 '' 0 4)}" "00 00 80 3f"
at=$(wc -c < long)
{ bytes 40; printf '8'; } | dd of=long bs=1 seek=$((at + size - 2)) conv=notrunc 2> /dev/null
status "a row of 100,000,000" 0 $checkpoint --list long
same "its largest value is at its end" "l 2" "$(awk '$1 == "l" { print $1, $NF }' out)"
# 128 rows of 8200 columns are more than one tile; each block of 128 x 128 has a scale of its own, as
# does each row of the second file. Block 64, the first of the second tile, is not 1 but 2
tensors tiles "{$(entry l.weight F8_E4M3 128,8200 0 1049600),$(entry l.weight_scale_inv F32 1,65 1049600 1049860)}"
{ yes 8 | tr -d '\n' | head -c 1049600; words "$(repeat 64 3f800000)" 40000000; } >> tiles
status "two tiles" 0 $checkpoint --tensor l -o values.npy tiles
same "the scales of each" "8192 3f800000 8 40000000 8192 3f800000" \
    "$(tail -c +129 values.npy | od -An -v -w4 -tx4 | uniq -c | head -n 3 | xargs)"
same "all rows alike" "1048576 3f800000 1024 40000000" "$(tail -c +129 values.npy | od -An -v -w4 -tx4 | sort | uniq -c | xargs)"
tensors tiles.ref "{$(entry l.weight F32 128,8200 0 4198400)}"
tail -c +129 values.npy >> tiles.ref
status "and of the reference" 0 $checkpoint --reference tiles.ref tiles
same "is equal" "inf 0 1.0000 2 l" "$(tail -n 1 out | xargs)"
