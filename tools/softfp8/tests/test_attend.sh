# SPDX-License-Identifier: MIT
# test_attend.sh -- softfp8 attend: outputs of softfp8-test-attend_plant are judged; splits; bad input
#
# Where the tier is short, with fewer splits, recipes, caches and orders, and fewer judgements but in
# `tools/test all`.
. "$source/tools/softfp8/tests/tensors.sh"
plant=$(dirname "$softfp8")/softfp8-test-attend_plant
splits='1 2 3 7 16 64' caches='bf16 e4m3 e5m2 nvfp4 mxfp4 int4 kivi-int4' bounds='f32 bf16 fp8-two'
[ "${SOFTFP8_TIER-}" != short ] || splits=7 caches='bf16 nvfp4 kivi-int4' bounds=fp8-two
tensors='--q q.npy --k k.npy --v v.npy'

# judged WANT MISTAKE [OPTION...]: the exit status and the lines of the verdict, without numbers of
# values and shares of bounds, joined.
judged() {
    want=$1
    what=$2
    shift 2
    "$plant" "$what" 300 || failed "plant $what"
    got=0
    "$softfp8" attend $tensors --compare out.npy --compare-lse lse.npy "$@" > out 2> err || got=$?
    same "$what" "$want" "$got $(sed -n 's/ ([^()]* times it)//; s/ ([^()]* of it)//; /^with it corrected/d
        /values are equal/d; /values tried are/d; /^the worst/,$d; p' out | tr '\n' ';')"
}

# often WANT MISTAKE [OPTION...]: the same, but not in the tests that someone waits for.
often() { [ "${SOFTFP8_TIER-}${SOFTFP8_LONG-}" = short ] || judged "$@"; }

judged '0 as expected: inside the error bound of: f32 throughout;lse: base e;' none
judged '1 likely mistake: lse: base 2, expected base e;the output is as expected: inside the error bound of: f32 throughout;' lse2
often '0 as expected: inside the error bound of: f32 throughout;lse: base 2;' lse2 --base 2
often '1 likely mistake: lse: base e, expected base 2;the output is as expected: inside the error bound of: f32 throughout;' none --base 2
often '0 as expected: inside the error bound of: f32 throughout;lse: base e;' f16
judged '0 as expected: every bit equals the definition with --sums exact;inside the error bound of: f32 throughout;lse: base e;' bf16 --to bf16
# What a kernel of 8 bits gives is accepted where that is asked for.
units='FP8 units, weights in e4m3, two levels of sums'
bound="inside the error bound of: $units"
unknown() { echo "1 unexplained: outside the error bound of: $1, and no known single mistake explains the errors;"; }
mistake() { echo "1 likely mistake: $1;outside the error bound of: ${2-f32 throughout};"; }
recipe='if the cache is FP8 or FP4, give its recipe;'
judged "$(unknown 'f32 throughout')${recipe}$bound;lse: base e;" p-e4m3
judged "0 as expected: $bound;lse: base e;" p-e4m3 --by fp8-two
# A factor is no mistake there: a kernel of 8 bits may have one. Elsewhere it is.
judged "0 as expected: $bound;note: the output is 1.02 times the true value;lse: base e;" v-more --by fp8-two
often "$(mistake 'the output is 1.02 times the true value' 'bf16 units, weights in bf16')lse: base e;" v-more --by bf16
judged "$(mistake 'a query sees the key after its own')lse: wrong; 9 of 12 rows fit base e, 0 base 2;" causal+1
often "$(mistake 'no causal mask')lse: wrong; 8 of 12 rows fit base e, 0 base 2;" no-mask
judged "$(mistake 'keys after the last full 64 dropped; or: keys after the last full 128 dropped; or: keys after the last full 256 dropped')lse: wrong; 0 of 12 rows fit base e, 0 base 2;" drop64
often "$(mistake 'scores in base 2 (log2 e forgotten)')lse: wrong; 0 of 12 rows fit base e, 0 base 2;" scores-base2
often "$(mistake 'the scale of scores forgotten')lse: wrong; 0 of 12 rows fit base e, 0 base 2;" no-scale
often "$(mistake 'query heads use key/value heads in turn, not in groups')lse: wrong; 6 of 12 rows fit base e, 0 base 2;" interleaved
# What hides in the bound of a unit is seen all the same, and a known mistake is one there too.
rows='lse: base e, within the error bound; 7 of 12 rows are close'
for row in 'causal-1:a query does not see its own key' 'skip17:the same key is missing in every row: key 17'; do
    judged "$(mistake "${row#*:}")$bound;$rows;" ${row%%:*}
    often "1 likely mistake: ${row#*:};$bound;$rows;" ${row%%:*} --by any
    # By the bound of the unit that a kernel has it is outside.
    for unit in 'f32 throughout' 'f16 units, weights in f16' 'bf16 units, weights in bf16'; do
        often "$(mistake "${row#*:}" "$unit")lse: wrong; 7 of 12 rows fit base e, 0 base 2;" ${row%%:*} --by ${unit%% *}
    done
done
judged "$(mistake 'the output is 0.5 times the true value')lse: base e;" v-half
same 'errors to one side' 1 "$(grep -cE '^the errors lean toward zero: by [0-9.e-]+ of a channel.s spread on average, which is [0-9.]+ standard errors$' out)"
judged "$(mistake 'the output is 2 times the true value')lse: base e;" v-double
same 'errors to the other side' 1 "$(grep -c '^the errors lean away from zero' out)"
judged '0 as expected: inside the error bound of: f32 throughout;lse: base e;' none
same 'errors to both sides' 0 "$(grep -c '^the errors lean' out)"
# What is planted without a mistake is computed in doubles: every word is the true value, rounded.
near='^no error is more than [0-9.]* % of that bound, and'
same 'the true value itself' 1 "$(grep -c "$near 768 of 768 values are the true value, rounded: this may be" out)"
judged '0 as expected: inside the error bound of: bf16 units, weights in bf16;lse: base e;' none --by bf16 --json verdict.json
same 'of another bound too' 1 "$(grep -c "$near 768 of 768" out)"
same 'as JSON' 1 "$(grep -cE '^\{"good": true, "verdict": "expected", "orders": \[\], "mistakes": \[\], "left": null, "same": false, "bound": "bf16", "of_bound": [0-9.e-]+, "too_near": true, "values": 768, "rounded": 768, "lse": true, "mean": [0-9.e-]+, "standard_errors": [0-9.]+, "leans": false\}$' verdict.json)"
judged "0 as expected: $bound;lse: base e;" p-e4m3 --by any --json verdict.json
same 'a kernel of 8 bits does not' 0 "$(grep -c "$near" out)"
same 'nor there' 1 "$(grep -c '"bound": "fp8-two", .*"too_near": false, ' verdict.json)"
same 'few values are the rounded ones' 1 "$(grep -c '"values": 768, "rounded": [0-9]\{1,2\},' verdict.json)"
judged "$(mistake 'the output is 2 times the true value')lse: base e;" v-double --json verdict.json
same 'what is outside' 1 "$(grep -c '^{"good": false, "verdict": "mistake", "orders": \[\], "mistakes": \[{"names": \["output-factor"\], "text": "the output is 2 times the true value"}\], "left": [0-9.e-]*, "same": false, "bound": null, .*"too_near": false, .*"leans": true}$' verdict.json)"
"$softfp8" attend $tensors -o own.npy
status 'the definition' 0 "$softfp8" attend $tensors --compare own.npy --json verdict.json
same 'the worst rows are compared with the true value' 1 "$(sed -n '/^the worst/{n;p;}' out |
    grep -cE '^  query [0-9]+ head [0-9]+: channel [0-9]+ is [-0-9.e]+, the true value is [-0-9.e]+; the error is [-0-9.e]+ times the bound$')"
same 'is known by its bits' 0 "$(grep -c "$near" out)"
same 'and so in JSON' 1 "$(grep -c '^{"good": true, "verdict": "expected", "orders": \[.*\], .*"same": true, .*"too_near": false, .*"lse": null, ' verdict.json)"
status 'JSON alone' 0 "$softfp8" attend $tensors --compare own.npy --json -
same_file 'JSON alone' verdict.json out
refuses '--json of nothing' '--json needs --cliff, --compare or --same' "$softfp8" attend $tensors --json verdict.json
refuses 'JSON over what is often' 'own.npy' "$softfp8" attend $tensors --compare own.npy --json own.npy
often "$(unknown 'f32 throughout')${recipe}lse: base e;" p-e4m3 --by f32
refuses '--by alone' '--by needs --compare' "$softfp8" attend $tensors --by f32
refuses 'an unknown unit' "--by f64: expected .*fp8-one" "$softfp8" attend $tensors --compare out.npy --by f64
judged "1 likely mistake: the same key is missing in every row: key 17;$bound;$rows;" skip17 --by any --json verdict.json
same 'the key that is missing, as JSON' 1 "$(grep -c '{"names": \["key-missing"\], "text": "the same key is missing in every row: key 17"}' verdict.json)"
same 'the key that is missing' 4 "$(grep -c 'key 17, of weight [0-9.]*, seems to be missing' out)"
judged "$(unknown 'f32 throughout')${recipe}lse: base e;" nan
same 'a NaN that nothing makes' 1 \
    "$(grep -c 'query 1 head 0: 1 of 64 channels are NaN, but no key that takes part' out)"

# A scale of keys that is a little wrong: scores have a factor, for which 1/8 is replaced.
"$plant" none 300
for factor in 1.1:0.1375 1.02:0.1275 0.9:0.1125 2.5:0.3125; do
    "$softfp8" attend $tensors --score-scale ${factor#*:} -o wrong.npy
    for by in $bounds; do
        status "scores times $factor, by $by" 1 "$softfp8" attend $tensors --compare wrong.npy --by $by
        same "it is named" 1 "$(grep -c "^likely mistake: the scores are ${factor%:*} times what they should be, " out)"
        same "no wider bound is proposed" 0 "$(grep -c 'if your kernel computes' out)"
    done
done
"$softfp8" attend $tensors --score-scale 0.1375 --to f16 -o wrong.npy
status "in f16" 1 "$softfp8" attend $tensors --compare wrong.npy --by any
same "it is named" 1 "$(grep -cE '^likely mistake: the scores are 1.(1|09|10)[0-9]* times' out)"

# ---- the definition: one output, however it is split

"$plant" none 3000
recipes='none kv-vllm kv-vllm-e5m2 nvfp4-flashinfer-append mxfp4-even fp8-per-token-head int4-per-token-head'
[ "${SOFTFP8_TIER-}" != short ] || recipes='none nvfp4-flashinfer-append int4-per-token-head'
for sums in exact mma-f16 mma-bf16; do
    for recipe in $recipes; do
        [ "$recipe" = none ] && stored= || stored="--recipe $recipe"
        status "$sums $recipe" 0 "$softfp8" attend $tensors $stored --sums $sums -o whole.npy --lse a.npy
        for n in $splits; do
            status "$n splits" 0 "$softfp8" attend $tensors $stored --sums $sums --splits $n \
                -o parts.npy --lse b.npy
            same_file "$sums $recipe: $n splits" whole.npy parts.npy
            same_file "$sums $recipe: lse of $n splits" a.npy b.npy
        done
    done
    status "$sums is itself" 0 "$softfp8" attend $tensors --recipe int4-per-token-head --compare whole.npy
    same "$sums is itself" 1 "$(sed 1q out | grep -c "^as expected: every bit equals the definition with --sums $sums$")"
done

# The output has the axes of the queries.
shape() { head -c 128 "$1" | tr -d '\0' | grep -ao "'shape': (.*)"; }
"$plant" none 300
status 'three axes' 0 "$softfp8" attend $tensors -o three.npy --lse three.lse
same 'three axes' "'shape': (3, 4, 64)" "$(shape three.npy)"
same 'three axes of the lse' "'shape': (3, 4)" "$(shape three.lse)"
{ npy '<f4' '12, 64' && tail -c +129 q.npy; } > q2.npy
{ npy '<f4' '1, 3, 4, 64' && tail -c +129 q.npy; } > q4.npy
status 'two axes' 0 "$softfp8" attend --q q2.npy --k k.npy --v v.npy --heads 4 -o two.npy --lse two.lse
same 'two axes' "'shape': (12, 64)" "$(shape two.npy)"
same 'two axes: the lse by queries and heads' "'shape': (3, 4)" "$(shape two.lse)"
status 'four axes' 0 "$softfp8" attend --q q4.npy --k k.npy --v v.npy --heads 4 -o four.npy --lse four.lse
same 'four axes' "'shape': (1, 3, 4, 64)" "$(shape four.npy)"
same 'four axes of the lse' "'shape': (1, 3, 4)" "$(shape four.lse)"
tail -c +129 three.npy > three.words
for n in two four; do
    tail -c +129 $n.npy > $n.words
    same_file "$n axes: the words" three.words $n.words
done
status 'what is compared may have them' 0 "$softfp8" attend $tensors --compare four.npy

# What an image has no place for is stored as blocks. KIVI's keys have their groups along tokens: of
# 32 equal tokens every key is read back as it was, whatever the channels are.
"$plant" none 3000
recipes='kivi-int4 kivi-int2 kvquant-int4 kvquant-int4-clamp mxfp6-e3m2-even mxfp6-e2m3-floor
    q4_0-gguf mxfp4-gguf nvfp4-vllm-4over6 nvfp4-te-16x16 fp8-block128-vllm'
[ "${SOFTFP8_TIER-}" != short ] || recipes='kivi-int2 nvfp4-te-16x16'
for recipe in $recipes; do
    status "$recipe" 0 "$softfp8" attend $tensors --recipe $recipe -o $recipe.npy
    status "$recipe is itself" 0 "$softfp8" attend $tensors --recipe $recipe --compare $recipe.npy
    same "$recipe is itself" 1 "$(sed 1q out | grep -c '^as expected: every bit equals the definition with --sums exact$')"
done
status "kivi-int2 is not what was stored" 1 "$softfp8" attend $tensors --compare kivi-int2.npy --by f32
refuses 'a scale for KIVI' 'k-scale: kivi-int4 has no global scale' "$softfp8" attend $tensors --recipe kivi-int4 --k-scale 1
# 32 tokens, a head of 16: channel c has 2^c / 1024 in every token; so the exact keys, and only with
# groups along tokens. Values are 0 and 15 of 0 to 15 in each group of 32: exact too.
ramp=$(awk 'BEGIN { for (c = 0; c < 16; c++) printf "%08x ", 1065353216 + (c - 10) * 8388608 }')
steps=$(awk 'BEGIN { for (c = 0; c < 16; c++) printf "%s ", c % 2 ? "41700000" : "00000000" }')
{ npy '<f4' '32, 1, 16' && for i in $(awk 'BEGIN { for (i = 0; i < 32; i++) print i }'); do words $ramp; done; } > rk.npy
{ npy '<f4' '32, 1, 16' && for i in $(awk 'BEGIN { for (i = 0; i < 32; i++) print i }'); do words $steps; done; } > rv.npy
{ npy '<f4' '1, 1, 16' && words $ramp; } > rq.npy
status 'KIVI, exact' 0 "$softfp8" attend --q rq.npy --k rk.npy --v rv.npy --recipe kivi-int4 -o kivi.npy --lse kivi.lse
status 'as it was' 0 "$softfp8" attend --q rq.npy --k rk.npy --v rv.npy -o plain.npy --lse plain.lse
same_file 'groups along tokens: the output' plain.npy kivi.npy
same_file 'groups along tokens: the scores' plain.lse kivi.lse

# Another scale is another output, though inside the bound.
status 'stored by kv-vllm' 0 "$softfp8" attend $tensors --recipe kv-vllm --k-scale 0.01 --v-scale 0.02 -o out8.npy
status 'another scale' 0 "$softfp8" attend $tensors --recipe kv-vllm --k-scale 0.01 --v-scale 0.04 \
    --compare out8.npy
lacks 'the words of another scale' 'every bit equals' out

# ---- as other stacks compute it

"$plant" none 700
all='fa3-fp8 fa3-fp8-two-level fa3-bf16 flashinfer vllm-triton vllm-triton-3d paged-v1 paged-v2 cascade-bf16
split-f32 split-bf16 fa3-fp8-vllm fa4-16 fa4-fp8 cudnn-sm100 sglang-triton sglang-triton-fp8
torch-math llama-cpp'
# These have references of their own alone, in lib/tests/attend/attend_order_2026.h.
more='vllm-triton-3d-16 vllm-triton-decode sglang-extend fa2 fa2-split torch-flash
torch-flash-cpu flashmla flashmla-sparse aiter-mla flydsl-mla aiter-triton mslk-splitk flashinfer-cute'
same 'orders' "$(echo $all $more)" "$("$softfp8" attend --orders | sed -n '/^[a-z]/s/ .*//p' | xargs)"
[ "${SOFTFP8_TIER-}" != short ] || all='flashinfer vllm-triton-3d cascade-bf16'
for order in $all; do
    case $order in cascade-bf16) cut='--prefix-keys 256' ;; fa3* | fa4* | sglang* | split*) cut='--splits 3' ;; *) cut= ;; esac
    status "$order" 0 "$softfp8" attend $tensors --recipe kv-vllm --order $order $cut -o $order.npy \
        --lse $order.lse
    due= other="--base 2"
    [ $order != flashinfer ] || due="--base 2" other=
    status "the lse of $order" 0 "$softfp8" attend $tensors --recipe kv-vllm --compare $order.npy \
        --compare-lse $order.lse $due --by any
    status "$order, lse in another base" 1 "$softfp8" attend $tensors --recipe kv-vllm \
        --compare $order.npy --compare-lse $order.lse $other
    same "$order, another base is named" 1 "$(grep -c 'lse: base [2e], expected base [2e]$' out)"
    status "$order compared" 0 "$softfp8" attend $tensors --recipe kv-vllm ${cut#--splits 3} \
        --compare $order.npy
    same "$order is named" "$order" "$(sed -n '1s/^as expected: every bit equals the order \([^ ]*\)[^)]*)*$/\1/p' out)"
done
# Parts in bf16 under the name of parts in f32: of the results in bf16 about a third differ, and they
# are named.
for order in split-f32 split-bf16; do
    status "$order in bf16" 0 "$softfp8" attend $tensors --order $order --splits 2 --to bf16 -o $order.npy
done
differ=$(cmp -l split-f32.npy split-bf16.npy | wc -l)
[ "$differ" -gt 190 ] && [ "$differ" -lt 310 ] || failed "$differ of 768 words of bf16 differ"
status 'parts in bf16' 0 "$softfp8" attend $tensors --to bf16 --compare split-bf16.npy
same 'parts in bf16 are named' 'as expected: every bit equals the order split-bf16 (2 parts)' \
    "$(sed 1q out)"
status 'the definition' 0 "$softfp8" attend $tensors -o exact.npy
status 'the definition is no order' 0 "$softfp8" attend $tensors --compare exact.npy
lacks 'the definition is no order' 'the order' out
status 'what no one has' 0 "$softfp8" attend $tensors --compare out.npy
same 'what no one has' 1 "$(grep -c "^no other stack's order; of the nearest, .* of the 64 values tried are equal$" out)"
# A NaN key of FlashAttention-3: seen in one split, in two not.
printf '\377' | dd of=k.npy bs=1 seek=131 conv=notrunc 2> dd.err
printf '\377' | dd of=k.npy bs=1 seek=130 conv=notrunc 2> dd.err
for splits in 1 2; do
    status 'a NaN key' 0 "$softfp8" attend $tensors --order fa3-bf16 --splits $splits -o nan.npy
    status 'a NaN key' 0 "$softfp8" attend $tensors --order fa3-bf16 --splits $splits --to f32
    same "NaN in $splits splits" $((splits == 1 ? 384 : 0)) "$(tr ' ' '\n' < out | grep -ic nan)"
done
# ---- one key among many

# cliff CACHE OPTION...: its line of the table, without spaces in front.
cliff() {
    which=$1
    shift
    "$softfp8" attend --cliff "$@" > out 2> err || failed "cliff $*"
    sed -n "s/^$which  *//p" out
}

for cache in $caches; do
    same "$cache, no channel stands out" '100.0    100.0' \
        "$(cliff $cache --outlier 0 --lengths 1024,2048 --trials 2 --depths 3)"
done
for pair in bf16:100.0 e4m3:100.0 e5m2:100.0 int4:0.0 kivi-int4:100.0; do
    same "${pair%:*}, four channels far out" ${pair#*:} \
        "$(cliff ${pair%:*} --outlier 60 --lengths 4096 --trials 2 --depths 3)"
done
status 'the files of a cliff' 0 "$softfp8" attend --cliff --lengths 512,1024 --trials 1 --depths 2 \
    --json one.json
status 'once more' 0 "$softfp8" attend --cliff --lengths 512,1024 --trials 1 --depths 2 \
    --json two.json
same_file 'the same numbers' one.json two.json
same 'lengths of all caches' 14 "$(grep -c '"keys": ' one.json)"
for option in '--order fa3-bf16' '--splits 2' '--recipe kv-vllm' '--lse l.npy' '--sums exact' '-o o.npy' '--cap 1' \
    '--full' '--prefix-keys 1' '--compare out.npy' '--to bf16'; do
    refuses "a cliff with $option" "makes its own tensors: leave out ${option%% *}" "$softfp8" attend --cliff $option --lengths 512
    [ ! -e o.npy ] && [ ! -e l.npy ] || failed "a cliff with $option wrote"
done
