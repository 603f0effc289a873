# SPDX-License-Identifier: MIT
# test_verdict_identify_right.sh -- identify: the right results of every policy are accused of nothing
#
# Of each conversion one policy of each class of equal ones is taken; with SOFTFP8_TIER=full every one
# from f32, and more sources. The critical inputs are converted, and the policy must be named.
tier=${SOFTFP8_TIER:-quick}
sources=f32
targets='e4m3 e5m2 e2m1 e3m2 e2m3 e8m0 ue4m3 e4m3fnuz e5m2fnuz e4m3b11fnuz e4m3ieee p3109_k8p4se'
[ "$tier" != short ] || targets='e4m3 e5m2 e2m1'
if [ "$tier" = full ]; then
    sources='f32 f16 bf16 f64'
    targets=$("$softfp8" formats | awk '$1 == "name" { next } $1 == "also" { exit } $1 !~ /^(tf32|f32|f64)$/ { print $1 }')
fi

conversions=0
for from in $sources; do
    for to in $targets; do
        [ "$from" != "$to" ] || continue
        "$softfp8" identify --classes --from f32 --to "$to" | sed '1,2d' > classes
        [ "$tier$from" = fullf32 ] || sed -i 's/^ *\([^ ]*\).*/\1/' classes
        tr ' ' '\n' < classes | sed '/^$/d' > policies
        while read -r policy; do
            "$softfp8" gen "${from}_to_$to" --columns operands,result --policy "$policy" -o right
            status "$policy, $from to $to" 0 \
                "$softfp8" identify --from "$from" --to "$to" --product "$policy" --json right
            # A name such as onnxruntime stands for another policy where the target is e8m0.
            named=$(sed -nE 's/^"product":.*("policy": "[^"]*", "round": "[a-z]*"), "differ": "0".*/\1/p' out)
            same "$policy, $from to $to: named" 1 "$(grep -cF "  {$named" out)"
            lacks "$policy, $from to $to: no fault" 'diagnosis|reading|closest' out
            conversions=$((conversions + 1))
        done < policies
    done
done
echo "$conversions conversions"

# Operations, with flags: explained, and no flag differs from the policy that is named first.
for function in e2m1_add e4m3_add e5m2_mul e4m3_div e5m2_sqrt; do
    for policy in ocp ocp-nosat p3109-satnone; do
        "$softfp8" gen "$function" --policy "$policy" | awk 'NR % 17 == 1' > right
        status "$policy, $function" 0 "$softfp8" identify --function "$function" right
        same "$policy, $function: explained" 'explained by' "$(sed -n 2p out)"
        same "$policy, $function: and the flags" 0 "$(sed -n 3p out | grep -c 'flags differ')"
    done
done

# Stochastic rounding.
for policy in ocp ocp-nosat torch; do
    "$softfp8" gen f16_to_e4m3 -rstoch 5 --policy "$policy" --columns operands,result |
        awk 'NR % 7 == 0' > right
    status "stochastic, $policy" 0 "$softfp8" identify --from f16 --to e4m3 --stochastic right
    same "stochastic, $policy: 5 bits" 1 "$(sed -n '/^explained by$/{n;p;}' out | grep -c 'sr_bits=5')"
done
