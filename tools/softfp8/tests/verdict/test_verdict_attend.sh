# SPDX-License-Identifier: MIT
# test_verdict_attend.sh -- attend --compare: noise is unexplained, right data is as expected, and a
# mistake with the scales of a cache has its name and no other
#
# The outputs are those of softfp8-test-attend_plant, which computes in doubles from the formula; the
# right ones are those of softfp8 itself, which have to be recognized.
plant=$(dirname "$softfp8")/softfp8-test-attend_plant
tensors='--q q.npy --k k.npy --v v.npy'
seeds='1 2 3 4 5 6 7 8' sizes='0.25 1 4 16 64' caches='none kv-vllm kv-vllm-e5m2 fp8-per-token-head nvfp4-flashinfer-append kivi-int4'
together=135
[ "${SOFTFP8_TIER-}" != short ] || seeds='1 2 3' sizes='1 64' caches='none kv-vllm fp8-per-token-head' together=57
# What someone waits for, and no whole run of the tests.
[ "${SOFTFP8_TIER-}${SOFTFP8_LONG-}" != short ] || seeds='1 2' sizes=1 caches=kv-vllm together=31

# verdict WHAT STATUS LINE OPTION...: the first line, without numbers of values and shares of bounds.
verdict() {
    what=$1
    want="$2 $3"
    shift 3
    got=0
    "$softfp8" attend $tensors --compare out.npy "$@" > out 2> err || got=$?
    same "$what" "$want" "$got $(sed -n '1s/ ([^()]* times it)//; 1s/ ([^()]* of it)//; 1p' out)"
}

# ---- noise

# The whole text has no mistake and no factor, and no key that seems to be missing.
unknown='unexplained: outside the error bound of: f32 throughout, and no known single mistake explains the errors'
for seed in $seeds; do
    case $((seed % 4)) in
        0) stored='' ;;
        1) stored='--recipe kv-vllm --k-scale 0.01 --v-scale 0.02' ;;
        2) stored='--recipe kv-vllm' ;;
        3) stored='--recipe nvfp4-flashinfer-append' ;;
    esac
    for size in $sizes; do
        for keys in 4 300; do
            "$plant" noise $keys 1 $size $seed
            verdict "noise of $size, $keys keys, seed $seed $stored" 1 "$unknown" $stored
            lacks "noise of $size, $keys keys, seed $seed $stored" 'mistake: |note: |missing' out
        done
    done
done
# An output of zeros is one of no request, however small its scales make the values.
"$plant" noise 300 1 0 1
verdict 'zeros' 1 "$unknown" --recipe kv-vllm --k-scale 0.001 --v-scale 0.001

# With the inverse scales the scores are a million times as large, so that every bound allows all, and
# the values almost 0: small noise is near to that, but not nearer than to 0.
for seed in 1 2 3; do
    "$plant" noise 4 1 0.01 $seed
    verdict "small noise, seed $seed" 1 "$unknown" --recipe kv-vllm --k-scale 0.001 --v-scale 16
done

# ---- scales of a cache

# scales K V: the factors that each mistake gives, planted and named. With K, V and their factors as
# powers of two the cache has the planted keys and values exactly.
scales() {
    stored="--recipe kv-vllm --k-scale $1 --v-scale $2"
    while read -r scores values name; do
        factors=$(awk -v k="$1" -v v="$2" "BEGIN { printf \"%.17g %.17g\", $scores, $values }")
        "$plant" scales 300 $factors
        verdict "$name, scales $1 and $2" 1 "likely mistake: $name" $stored
        same "$name, scales $1 and $2, corrected" 1 \
            "$(sed -n '2p' out | grep -cE '^with it corrected, the error is [0-9.e-]+ times as large, inside the error bound of: f32 throughout')"
    done
    "$plant" scales 300 1 1
    verdict "no mistake, scales $1 and $2" 0 'as expected: inside the error bound of: f32 throughout' $stored
}

mistakes='1/k 1 the scale of keys forgotten
1 1/v the scale of values forgotten
1/k 1/v the scales of keys and values forgotten
k 1 the scale of keys applied twice
1 v the scale of values applied twice
k v the scales of keys and values applied twice
1/k^2 1 the inverse of the scale of keys applied
1 1/v^2 the inverse of the scale of values applied
1/k^2 1/v^2 the inverses of the scales of keys and values applied'
[ "${SOFTFP8_TIER-}" = short ] || scales 0.5 0.5 <<EOF
$mistakes
EOF
scales 0.5 0.125 <<EOF
$mistakes
v/k k/v the scales of keys and values exchanged
v/k 1 keys read with the scale of values
1 k/v values read with the scale of keys
EOF
# The scales of queries, 1/2, and of keys, 1/8: without both, scores are 16 times as large. What is
# planted has queries that are not cast.
with_q='--recipe kv-vllm --q-scale 0.5 --k-scale 0.125 --v-scale 0.25'
"$plant" none 300
"$softfp8" attend $tensors $with_q --score-scale 2 -o out.npy
verdict 'no scale of queries and keys' 1 'likely mistake: the scales of queries and keys forgotten' $with_q
"$plant" scales 300 16 4
verdict 'no scale at all' 1 'likely mistake: queries not cast to e4m3; and: the scales of queries, keys and values forgotten' $with_q
"$plant" scales 300 8 4
verdict 'no scale of keys and values' 1 'likely mistake: queries not cast to e4m3; and: the scales of keys and values forgotten' $with_q
# A cache that is stored and read with scale 1, as a stack does that ignores the scales: the keys and
# values of the request are cast with it. Another scale has no name.
"$plant" none 300
cache='--recipe kv-vllm --k-scale 0.06 --v-scale 0.06'
while read -r k v line; do
    "$softfp8" attend $tensors --recipe kv-vllm --k-scale $k --v-scale $v -o out.npy
    verdict "stored with $k and $v" 1 "$line" $cache
done <<EOF
1 1 likely mistake: keys and values are stored with scale 1
1 0.06 likely mistake: keys are stored with scale 1
0.06 1 likely mistake: values are stored with scale 1
0.07 0.07 $unknown
EOF
# A cache that is kept in 16 bits, or stored in another format: keys and values apart.
while read -r line options; do
    "$softfp8" attend $tensors --to bf16 $options -o out.npy
    verdict "stored with $options" 1 "likely mistake: $(echo $line | tr _ ' ')" $cache --to bf16
done <<EOF
keys_are_kept_in_bf16 --k-recipe bf16 --v-recipe kv-vllm --v-scale 0.06
keys_and_values_are_kept_in_bf16 --k-recipe bf16 --v-recipe bf16
values_are_stored_in_e5m2_with_their_scale --k-recipe kv-vllm --k-scale 0.06 --v-recipe kv-vllm-e5m2 --v-scale 0.06
keys_and_values_are_stored_in_e4m3_with_a_scale_for_each_token_and_head --recipe fp8-per-token-head
EOF
# What nothing explains is not advised to be called right by a wider bound, but a kernel of 8 bits is.
"$softfp8" attend $tensors --recipe kv-vllm --k-scale 0.07 --v-scale 0.07 -o out.npy
verdict 'another scale' 1 "$unknown" $cache
lacks 'another scale: advice' 'give the bound' out
"$plant" p-e4m3 300 1 1
verdict 'a kernel of 8 bits' 1 "$unknown" --recipe kv-vllm --k-scale 0.5 --v-scale 0.125
same 'a kernel of 8 bits: advice' 1 "$(grep -c ', give the bound fp8-two, or better its order$' out)"
# The errors of a kernel that rounds weights to e4m3 grow with the scale that it forgets.
"$plant" p-e4m3 300 1 8
verdict 'a kernel of 8 bits' 1 'likely mistake: the scale of values forgotten' --by fp8-two --recipe kv-vllm \
    --k-scale 0.5 --v-scale 0.125
# A factor multiplies what a claimed order allows as well: two mistakes leave no more than that.
"$plant" no-mask 300 1 8
got=0
"$softfp8" attend $tensors --compare out.npy --recipe kv-vllm --k-scale 0.5 --v-scale 0.125 --order paged-v1 \
    > out 2> err || got=$?
same 'two mistakes of an order' '1 1' \
    "$got $(sed -n 1p out | grep -c '^likely mistake: the scale of values forgotten; and: no causal mask')"
# Without --recipe the factors of both have no name, but their numbers.
"$plant" scales 300 2 8
verdict 'two factors' 1 'likely mistake: the scores are 2 times what they should be, as with a wrong scale of keys, of queries or of scores, and the output is 8 times the true value, as with a wrong scale of values'
"$plant" scales 300 2 1
verdict 'a factor of the scores' 1 'likely mistake: the scores are 2 times what they should be, as with a wrong scale of keys, of queries or of scores'
"$plant" scales 300 1 8
verdict 'a factor of the output' 1 'likely mistake: the output is 8 times the true value'
# Mistakes that these values do not tell apart are all named: 0.5 twice is 0.25.
"$plant" scales 300 0.5 1
verdict 'two names' 1 'likely mistake: the scale of keys applied twice; or: keys read with the scale of values' \
    --recipe kv-vllm --k-scale 0.5 --v-scale 0.25
"$plant" scales 300 0 1
verdict 'scores of 0' 1 'likely mistake: all scores are equal' --recipe kv-vllm --k-scale 0.0625 --v-scale 0.0625
# Where one key has nearly all weight, a larger factor of the scores changes nothing: no number is named.
"$plant" scales 300 1000 1
verdict 'scores without an end' 1 "$unknown"

# ---- right data

# right NAME HOW OPTION...: what is computed so, where that is supported, is recognized by NAME.
right() {
    name=$1
    how=$2
    shift 2
    "$softfp8" attend $tensors $how "$@" -o out.npy > out 2> err || return 0
    recognized=$((recognized + 1))
    status "$name $*" 0 "$softfp8" attend $tensors --compare out.npy "$@"
    same "$name $*" 1 "$(sed 1q out | grep -cE "^as expected: every bit equals .*$name( |\$)")"
}

"$plant" none 300
recognized=0
for order in $("$softfp8" attend --orders | sed -n '/^[a-z]/s/ .*//p'); do
    [ $order != cascade-bf16 ] || prefix='--prefix-keys 32'
    for recipe in $caches; do
        stored="--recipe $recipe"
        [ $recipe != none ] || stored=
        right "the order $order" "--order $order" $stored ${prefix-}
    done
    prefix=
done
same 'orders and recipes that go together' $together $recognized

# An order with one field changed is named with it. Where --order says so, it is what is expected.
fp8='--recipe kv-vllm --k-scale 0.06 --v-scale 0.06'
while read -r typed; do
    [ -n "$typed" ] || continue
    case $typed in *fp8*) options=$fp8 ;; *) options= ;; esac
    "$softfp8" attend $tensors $options --order "$typed" -o out.npy
    status "$typed" 1 "$softfp8" attend $tensors $options --compare out.npy
    same "$typed: its name" 1 "$(sed 1q out | grep -cE "^another order: every bit equals .*the order $typed( |\$)")"
    status "$typed is expected" 0 "$softfp8" attend $tensors $options --compare out.npy --order "$typed"
    same "$typed is expected: its name" "as expected: every bit equals the order $typed" \
        "$(sed '1!d; s/ ([0-9]* parts*)$//' out)"
    status "${typed%% *} is expected" 1 "$softfp8" attend $tensors $options --compare out.npy --order "${typed%% *}"
    same "${typed%% *} is expected: what it is" 1 "$(sed 1q out | grep -cE "^another order: .*the order $typed( |\$)")"
done << EOF
fa3-fp8 tile=96
vllm-triton tile=16
$([ "${SOFTFP8_TIER:-}" = short ] || printf '%s\n' 'fa3-fp8 ascending' 'fa3-fp8 summed=rounded' \
    'fa3-fp8-two-level tile=64' 'fa3-bf16 tile=64' 'flashinfer tile=32')
EOF
# In 16 bits it may lie inside the bound of the order that is expected: then its own order is a note.
"$softfp8" attend $tensors $fp8 --order 'fa4-fp8 tile=160' --to bf16 -o out.npy
status 'as expected, in 16 bits' 0 "$softfp8" attend $tensors $fp8 --compare out.npy --to bf16 --order fa3-fp8 \
    --json verdict.json
same 'as expected, in 16 bits: the note' \
    'as expected: inside the error bound of: the order fa3-fp8;note: its bits also equal the order fa4-fp8 tile=160 (1 part);' \
    "$(sed -n '1s/ ([^()]* of it)//; 1,2p' out | tr '\n' ';')"
same 'as expected, in 16 bits: JSON' 1 "$(grep -c '"verdict": "expected", "orders": \["fa4-fp8 tile=160"\]' verdict.json)"
"$softfp8" attend $tensors $fp8 --order 'fa4-fp8 tile=160' -o out.npy
status 'another order, in 32 bits' 1 "$softfp8" attend $tensors $fp8 --compare out.npy --order fa3-fp8
same 'another order, in 32 bits: its name' 1 "$(sed 1q out | grep -c '^another order: every bit equals the order fa4-fp8 tile=160 ')"
"$plant" none 64
recognized=0
recipes=$("$softfp8" recipes | sed -n '1d; s/^\([a-z][^ ]*\)  .*/\1/p')
for recipe in $recipes; do
    right 'the definition with --sums exact' '--sums exact' --recipe $recipe
done
same 'recipes' "$(echo $recipes | wc -w)" $recognized
