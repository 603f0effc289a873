# SPDX-License-Identifier: MIT
# test_verdict_field.sh -- twelve bugs with attention over FP8 that projects reported in 2026: each is
# computed, and has its name from the output
#
# The wrong kernel is softfp8 in the order that the report describes. What is right has no name.
plant=$(dirname "$softfp8")/softfp8-test-attend_plant
tensors='--q q.npy --k k.npy --v v.npy'
stored='--recipe kv-vllm --k-scale 0.5 --v-scale 0.25'

# named WHAT LINE OPTIONS ORDER CLAIM [CLAIMED]: the first line of the verdict about the output of a
# kernel in that order; it should have these options and the claimed order, or none. What has them is
# as expected.
named() {
    "$softfp8" attend $tensors --to bf16 $3 ${4:+--order "$4"} -o out.npy
    got=0
    "$softfp8" attend $tensors --to bf16 $5 ${6:+--order "$6"} --compare out.npy > out 2> err || got=$?
    same "$1" "1 $2" "$got $(sed '1s/\(at 0\.87\)[0-9]*$/\1/; 1q' out)"
    "$softfp8" attend $tensors --to bf16 $5 ${6:+--order "$6"} -o out.npy
    "$softfp8" attend $tensors --to bf16 $5 ${6:+--order "$6"} --compare out.npy > out 2> err || true
    same "$1: what is right" 1 "$(sed 1q out | grep -c '^as expected: every bit equals ')"
}

# field WHAT FIELDS ORDER OPTION...: another field than that of the order is named by its bits.
field() {
    what=$1
    fields=$2
    claim=$3
    shift 3
    "$softfp8" attend $tensors --to bf16 "$@" --order "$claim $fields" -o out.npy
    got=0
    "$softfp8" attend $tensors --to bf16 "$@" --order "$claim" --compare out.npy > out 2> err || got=$?
    same "$what" "1 another order: every bit equals the order $claim $fields" \
        "$got $(sed -n '1s/ ([0-9]* part)//; 1p' out)"
}

# ---- 1: FlashAttention-3 in FP8, tiles of 96 keys in decode and of 160 in prefill (sglang#25790)

"$plant" none 97
"$softfp8" attend $tensors --to bf16 $stored --order 'fa3-fp8 tile=96' -o a.npy
"$softfp8" attend $tensors --to bf16 $stored --order 'fa3-fp8 tile=160' -o b.npy
"$softfp8" attend $tensors --to bf16 $stored --same a.npy b.npy > out || true
same 'row 1: the first row' 1 "$(grep -c '^the first row that differs: .*, which sees 97 keys;' out)"
same 'row 1: the keys' 1 "$(grep -c '^all rows that see at most 96 keys are equal$' out)"
same 'row 1: the orders' 1 "$(grep -c '^A is the order fa3-fp8 tile=96, B is the order fa3-fp8 tile=160' out)"
field 'row 1: decode' 'tile=96' fa3-fp8 $stored

"$plant" none 300

# ---- 2: FlashAttention-3 in bf16, another tile because of a neighbour (vllm#51902)

"$softfp8" attend $tensors --to bf16 --order 'fa3-bf16 tile=192' -o a.npy
"$softfp8" attend $tensors --to bf16 --order 'fa3-bf16 tile=128' -o b.npy
"$softfp8" attend $tensors --to bf16 --same a.npy b.npy > out || true
same 'row 2' 1 "$(grep -c '^A is the order fa3-bf16 tile=192, B is the order fa3-bf16' out)"

# ---- 3, 4: weights clip at 448, as a maximum lags (flash-attention#2577, #2694)

field 'rows 3 and 4' 'rescale-after=4' fa4-fp8 $stored
field 'rows 3 and 4: the other threshold' 'rescale-after=8' fa4-fp8 $stored

# ---- 5, 6: weights without their factor (flashinfer#5020, aiter#5535)

field 'row 5' 'offset=0' fa3-fp8 $stored
named 'row 6' 'likely mistake: weights rounded to e4m3 without a factor, in tiles of 160 keys' \
    "$stored" 'fa3-fp8 offset=0 ascending' "$stored" fa3-fp8

# They have names whatever bound or order is claimed, and bits do not make them right.
lost='queries rounded to e4m3 with scale 1; and: weights rounded to e4m3 without a factor, in tiles of 160 keys'
"$softfp8" attend $tensors --to bf16 $stored --order 'fa3-fp8 offset=0 ascending' -o out.npy
for claim in '' '--by fp8-two' '--order vllm-triton' '--order split-f32'; do
    status "row 6, $claim" 1 "$softfp8" attend $tensors --to bf16 $stored $claim --compare out.npy
    same "row 6, $claim" "likely mistake: $lost" "$(sed 1q out)"
done
for fields in offset=0:1 tile=96:0; do
    "$softfp8" attend $tensors --to bf16 $stored --order "fa3-fp8 ${fields%:*}" -o out.npy
    status "rows 5 and 6: $fields in the bound of FP8" ${fields#*:} \
        "$softfp8" attend $tensors --to bf16 $stored --by fp8-two --compare out.npy
    same "rows 5 and 6: $fields is a mistake" ${fields#*:} \
        "$(grep -c '^likely mistake: weights rounded to e4m3 without a factor$' out)"
done

# The inputs of that report: one score of 0, 2,047 of -7, and values of 1. Its oracle without a factor
# gives 0.348843, the kernel on gfx950 0.349609, which is the number of bf16 that is written 0.35.
"$plant" tail 2048
tail="$tensors --recipe kv-vllm --k-scale 1 --v-scale 1 --full"
numbers() { "$softfp8" attend $tail "$@" | tr ' ' '\n' | sort -u; }
same 'row 6: the number' 0.34884512 "$(numbers --order 'fa3-fp8 offset=0 ascending')"
same 'row 6: in bf16' 0.35 "$(numbers --order 'fa3-fp8 offset=0 ascending' --to bf16)"
same 'row 6: with the factor' 0.9913402 "$(numbers --order fa3-fp8)"
"$plant" none 300

# ---- 7: weights are divided by their sum before they are cast (aiter#5642)

field 'row 7' 'weights=e4m3' torch-math $stored

# ---- 8: queries are cast with scale 1 (sglang#28144)

# Such small queries are subnormal in e4m3.
small="$stored --score-scale 64"
"$plant" small 300
named 'row 8' 'likely mistake: queries cast to e4m3 with scale 1, not with theirs' \
    "$small --q-scale 1" fa3-fp8 "$small --q-scale tensor" fa3-fp8
"$plant" none 300

# ---- 9: both scales of the cache dropped (sglang#39942)

"$plant" scales 300 2 4
"$softfp8" attend $tensors --compare out.npy $stored > out || true
same 'row 9' 'likely mistake: the scales of keys and values forgotten' "$(sed 1q out)"
"$plant" none 300

# ---- 10: the output through e4m3 (vllm#55670)

field 'row 10' 'out=e4m3' fa3-fp8 $stored

# ---- 11: values clip, as their scale is too small (vllm#54705)

named 'row 11' 'likely mistake: values clipped at 0.87' \
    '--k-recipe bf16 --v-recipe kv-vllm --v-scale 0.001953125' split-f32 \
    '--k-recipe bf16 --v-recipe bf16' split-f32

# ---- 12: keys in 16 bits, values in 8 (flashinfer#3812)

apart='--k-recipe bf16 --v-recipe kv-vllm --v-scale'
"$plant" scales 300 1 4
"$softfp8" attend $tensors --compare out.npy $apart 0.25 > out || true
same 'row 12' 'likely mistake: the scale of values forgotten' "$(sed 1q out)"
