# SPDX-License-Identifier: MIT
# test_recipes.sh -- softfp8 recipes and explain --recipe (whose known answers are in explain/)
. "$source/tools/softfp8/tests/tensors.sh"

# ---- recipes

recipes=$("$softfp8" recipes --names | wc -l | tr -d ' ')
tests=$((tests + 1))
[ "$recipes" -ge 40 ] || failed "only $recipes recipes"
same "each once" "$recipes" "$("$softfp8" recipes --names | sort -u | wc -l | tr -d ' ')"
# aligned WHAT COMMAND...: column 2 begins at one place in every line but remarks, which are indented.
aligned() {
    what=$1
    shift
    same "$what: one column" 1 "$("$@" | awk '/^[^ ]/ && NF > 2 { match($0, /^[^ ]+ +/); print RLENGTH }' |
        sort -u | wc -l | tr -d ' ')"
}
aligned recipes "$softfp8" recipes
aligned policies "$softfp8" policies
aligned "attend --orders" "$softfp8" attend --orders
aligned "attend --rules" "$softfp8" attend --rules
same "the names" "$("$softfp8" recipes --names)" "$("$softfp8" recipes | sed '1d; s/ .*//')"
cat > expected <<'END'
nvfp4-compressed
  product     compressed-tensors
  versions    0.20.0
  rule        generate_gparam, quantize, decompress
  evidence    verified on a CPU: compressed-tensors 0.20.0 by llm-compressor 0.14.0.1, weights of bf16, f16, f32, 7,864,320 blocks, 0 differences, 2026-11-22
  open        the codes of NaN elements
              whether a version takes the scale 20 for NaN
  element     e2m1 by cuda-satfinite
  block       16 elements
  scale       e4m3 by cuda-satfinite
              20 is stored instead of zero
  g           scales are multiplied by it, values divided
  amax        NaN counts as the largest
  formulas    are postfix, in f32: docs/spec/blocks/programs.md
  g =         amax 2^-126 own 2^-14 2^-126 ifzero nmax rcp own 2688 * own 1 finite-or
  scale =     g amax 6 / own *
  factor =    s g /
  element =   x f / 0 +
  value =     e f * bf16

kvquant-int4
  product     KVQuant
  versions    57a2383
  rule        quant_fn_zp without clamp, its outliers left out
  evidence    verified on a CPU: KVQuant 57a2383, quant_fn_zp, 3 x 32,768 rows of f32, bf16, f16, 0 differences, 2026-11-22
  open        there are no codes there, only values: the code of NaN is 0 here, which reads 0 as well
              the sign of a zero value
  element     uint4 by cuda-satfinite
  block       the row, which is a token
  scale       f32 by ocp-nosat
  offset      one f32 value per block
  amax        NaN counts as the largest
  formulas    are postfix, in f32: docs/spec/blocks/programs.md
  scale =     high low - own rcp own 15 * own
  offset =    low s * own
  element =   s x * own o - own rint 0 nmax 15 nmin
  value =     e o + own s / own 0 finite-or
END
"$softfp8" recipes nvfp4-compressed kvquant-int4 > got
same_file "two in full" expected got
same "objects" "$recipes" "$("$softfp8" recipes --json | grep -c '"name": "')"
same "one object" '[{"block": 16, "rows": 1, "per": "block", "name": "sglang-kvfp4", "element": "e2m1",' \
    "$("$softfp8" recipes --json sglang-kvfp4 | cut -d ' ' -f 1-10)"
same "what a row is" "none tensor tensor token token token-head" "$(for name in kv-minisgl kv-vllm kv-vllm-dynamic \
    kv-vllm-token-bound kvquant-int4 fp8-per-token-head; do
    "$softfp8" recipes --json $name | sed 's/.*"per": "//; s/".*//'
done | xargs)"
same "in the list" "kv-minisgl e4m3 none f32" "$("$softfp8" recipes | grep '^kv-minisgl' | tr -s ' ' | cut -d ' ' -f 1-4)"
case $("$softfp8" recipes kv-vllm-rocm) in
*"g           a number
"*"  g =         amax 1 amax 224 / ifzero"*) ;;
*) failed "the scale that is given" ;;
esac
refuses "no scale" "kv-vllm needs --global-scale: the scale as a number, or auto, which computes it from the largest" \
    "$softfp8" explain --recipe kv-vllm 5
# 2 / 448 is 3b924925, and the largest is then 448; of a tensor of zeros the scale is 1.
case $("$softfp8" explain --recipe kv-vllm --global-scale auto -- 2 -0.5) in
"kv-vllm: elements 0 to 1, f32, g = 0.004464286 = 3b924925"*"3b924925  f32 by ocp-nosat"*) ;;
*) failed "the scale by auto" ;;
esac
case $("$softfp8" explain --recipe kv-vllm-rocm --global-scale auto -- 7) in *"g = 0.03125 = 3d000000"*) ;; *) failed "amax / 224" ;; esac
case $("$softfp8" explain --recipe kv-vllm --global-scale auto 0) in *"g = 1 = 3f800000"*) ;; *) failed "of zeros" ;; esac
case $("$softfp8" explain --recipe nvfp4-vllm --global-scale auto 5) in *"g = 537.60004 = 44066667"*) ;; *) failed "torch divides by a reciprocal" ;; esac
case $("$softfp8" explain --recipe nvfp4-te --global-scale auto 5) in *"g = 537.6 = 44066666"*) ;; *) failed "a quotient" ;; esac
case $("$softfp8" explain --recipe nvfp4-compressed --from bf16 --global-scale auto 5) in *"g = 540 = 44070000"*) ;; *) failed "in the weight's format" ;; esac
refuses "a tensor with infinity" "--global-scale auto: the largest magnitude, f32 7f800000" "$softfp8" explain --recipe kv-vllm --global-scale auto inf
for g in 10000000 43e00000 00000000; do
    refuses "both a number and a word" "--global-scale $g: ambiguous; write 0x$g for f32 bits, \+$g for a number, or auto" \
        "$softfp8" explain --recipe nvfp4-te --global-scale $g 1
done
same "a word, and a number" "g = 448 = 43e00000
g = 43 = 422c0000" "$(for g in 0x43e00000 +43e00000; do
    "$softfp8" explain --recipe nvfp4-te --global-scale $g 1 | sed -n '1s/.*, g/g/p'
done)"
refuses "an unknown one" "recipes: no recipe 'kivi-int5'; did you mean 'kivi-int4'\?" "$softfp8" recipes kivi-int5
# By a product, a model, a format.
same "a product" "$("$softfp8" recipes --names | grep modelopt)" "$("$softfp8" recipes --names ModelOpt)"
same "a product with a space" "$("$softfp8" recipes --names te)" "$("$softfp8" recipes --names transformer-engine)"
same "of another name" "$("$softfp8" recipes --names | grep gguf)" "$("$softfp8" recipes --names llama.cpp)"
same "a format" "$("$softfp8" recipes --names | grep '^mxfp8')" "$("$softfp8" recipes --names mxfp8)"
same "a product before an alias" "fp8-group128-deepseek fp8-group128-deepseek-ue8m0 fp8-group128-deepseek-v3.2" \
    "$("$softfp8" recipes --names deepseek | head -n 3 | xargs)"
same "an alias once" "mxfp4-modelopt nvfp4-flashinfer-kv-0.7.2" "$("$softfp8" recipes --names sglang | tail -n 2 | xargs)"
same "no recipe twice" "" "$("$softfp8" recipes --names deepseek | sort | uniq -d)"
same "a name and a word" "kivi-int4 q8_0-gguf" "$("$softfp8" recipes --names kivi-int4 q8_0 | xargs)"
for word in deepseek deepgemm tensorrt-llm trtllm llm-compressor compressed-tensors modelopt torchao ollama llama.cpp \
    ggml gguf transformer-engine te vllm sglang flashinfer auto-round kivi kvquant turboquant mx nvfp4 mxfp4 mxfp8 int4 \
    mlx gpt-oss quark fbgemm; do
    tests=$((tests + 1))
    "$softfp8" recipes --names "$word" > got 2>&1 && [ -s got ] || failed "recipes $word"
done
same "two words" "$("$softfp8" recipes --names nvfp4 | grep vllm)" "$("$softfp8" recipes --names vllm nvfp4)"
same "in the other order" "$("$softfp8" recipes --names vllm nvfp4)" "$("$softfp8" recipes --names nvfp4 vllm)"
refuses "words of no common recipe" "no recipe belongs to 'gguf' and to the other words too" "$softfp8" recipes gguf vllm
refuses "an unknown word beside a known one" "no recipe 'wllm'" "$softfp8" recipes nvfp4 wllm
same "a word for one recipe" "q8_0-gguf" "$("$softfp8" recipes q8_0 | head -n 1)"
refuses "a word for several" "'kivi' is the name of 2 recipes: kivi-int4, kivi-int2" "$softfp8" explain --recipe kivi 1
refuses "a part of the name" "no recipe 'deepseek-v4-moe'; 'softfp8 recipes deepseek' lists [0-9]+" "$softfp8" recipes deepseek-v4-moe
refuses "an alias misspelt" "no recipe 'deepsek'; did you mean 'deepseek'\?" "$softfp8" recipes deepsek
refuses "nothing near" "no recipe 'zzzzzz'; 'softfp8 recipes' lists them" "$softfp8" recipes zzzzzz
refuses "lists of two kinds" "--names and --json exclude each other" "$softfp8" recipes --names --json

explain="$softfp8 explain --recipe"

# A row of two blocks: 32 to 33 are the second.
ones=$(repeat 32 1)
$explain mxfp4-floor $ones 6 3 > got
same "two blocks" "mxfp4-floor: elements 0 to 31, f32
mxfp4-floor: elements 32 to 33, f32" "$(grep elements got | grep f32)"
same "the largest of the second" "40c00000  6, element 32" "$(sed -n 's/^  amax *//p' got | tail -n 1)"
$explain mxfp4-floor --at 33 $ones 6 3 > got
same "the second alone" "mxfp4-floor: elements 32 to 33, f32" "$(grep f32 got)"
same "its second element" "33: x = 3 = 40400000" "$(sed -n 's/^  element *//p' got)"

# Scales are 1, codes 0 and f; offsets -1.5 and, rounded, -2.
same "another offset" "kvquant-int4-clamp: offset c0000000 = -2; same codes" \
    "$($explain kvquant-int4 -1.5 13.5 | sed -n 's/^ .*\(kvquant-int4-clamp: .*\)/\1/p')"

# Every recipe: what it says of a row are the codes and scales of quantize, and what dequantize gives.
values="0.3 -1.7 2.5 0.75 -3.5 1e-3 5 -0 6.2 0.1 -0.1 7 3.3 0.0625 -6 1.25 0.9 -2.2 4.4 1e-9 -0.5 11 8 -12.5
0.7 0.2 -5.5 2 3 -1 0.05 9.5 100 -0.25 0.3 50"
"$softfp8" convert --as-numbers --to f32 > words.f32 <<END
$(printf '%s\n' $values)
END
words $(cat words.f32) > in
words $(head -n 32 words.f32) > in.32
every=1
[ "${SOFTFP8_TIER-}" != short ] || every=3 # one recipe in three
for recipe in $("$softfp8" recipes --names | awk "NR % $every == 0"); do
    g= n=36 row=$values
    ! "$softfp8" recipes "$recipe" | grep -q "^  g " || g="--global-scale auto"
    # Codes by halves need whole blocks.
    if "$softfp8" recipes "$recipe" | grep -q "^  bytes "; then
        n=32 row=$(printf '%s\n' $values | head -n 32)
    fi
    case $n in 36) input=in ;; *) input=in.32 ;; esac
    # shellcheck disable=SC2086
    {
        $explain $recipe $g $row > explained
        $quantize --recipe $recipe $g --from f32 --shape 1,$n -o x.blocks $input 2> /dev/null
        $dequantize x.blocks | tr ' ' '\n' > want
    }
    # The line of an element: at, x, converted, code, read back, error.
    awk '$1 == "at" { on = 1; next } $1 !~ /^[0-9]+$/ { on = 0 } on { print $5 }' explained > got
    same_file "$recipe: what is read back" want got
    same "$recipe: all of it" $n "$(wc -l < got | tr -d ' ')"
done
