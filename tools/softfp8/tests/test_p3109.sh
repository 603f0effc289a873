# SPDX-License-Identifier: MIT
# test_p3109.sh -- the names of IEEE P3109, and the remark about its rules

# quiet COMMAND...: its output, if it says nothing on standard error.
quiet() { "$@" 2> err && { [ ! -s err ] || cat err; }; }

same "a format" "Binary8p3se 8 5 2 16 yes neg-zero yes yes 49152 2^-15 2^-17" \
    "$("$softfp8" formats Binary8p3se | tail -n 1 | xargs)"
same "a format of earlier drafts" "binary8p3 8 5 2 16 yes neg-zero yes yes 49152 2^-15 2^-17" \
    "$("$softfp8" formats binary8p3 | tail -n 1 | xargs)"
for policy in SatFinite:7e SatPropagate:7e SatNone:7f OvfInf:7f satnone:7f; do
    same "${policy%:*}" "${policy#*:}" \
        "$(echo 1e9 | quiet "$softfp8" convert --as-numbers --to Binary8p3se --policy "${policy%:*}")"
done
for round in NearestTiesToEven:rne NearestTiesToAway:rna TowardZero:rz TowardPositive:ru \
    TowardNegative:rd ToOdd:ro RoundToOdd:ro towardzero:rz; do
    printf '%s\n' 1.125 1.3 -1.3 1.375 > values
    want=$("$softfp8" convert --as-numbers --to e5m2 --round "${round#*:}" values)
    same "${round%:*}" "$want" "$("$softfp8" convert --as-numbers --to e5m2 --round "${round%:*}" values)"
    same "${round%:*} as a field" "$want" \
        "$("$softfp8" convert --as-numbers --to e5m2 --policy "ocp round=${round%:*}" values)"
done
refuses "no such rounding" "--round TowardOne: expected one of rne" \
    "$softfp8" convert --as-numbers --to e5m2 --round TowardOne
same "functions" "40 00 80 08" \
    "$(quiet "$softfp8" gen Binary8p3se_div --policy SatFinite | grep '^40 00')"
"$softfp8" gen f16_to_Binary8p3se --format bin --columns result --policy SatNone -o codes
same "identify" "explained: p3109-satnone, rne" \
    "$("$softfp8" identify --from f16 --to Binary8p3se codes | grep ^explained)"

# ---- the remark ---------------------------------------------------------------------------------

remark="policy ocp; IEEE P3109's own rules, for example that 1/0 is NaN, are --policy SatFinite,"
remarks() {
    "$softfp8" "$@" > out 2> err
    same "a remark: $*" 1 "$(grep -c "$remark" err)"
    same "one remark: $*" 1 "$(wc -l < err | xargs)"
}
remarks gen p3109_k8p3se_div
remarks gen Binary4p2se_add
"$softfp8" gen p3109_k4p2se_div -o cases 2> err
remarks ver p3109_k4p2se_div cases
same "none with a policy" "" "$("$softfp8" gen p3109_k4p2se_div --policy ocp 2>&1 > out)"
same "none with the dialect" "" "$("$softfp8" gen p3109_k4p2se_div --set dialect=p3109 2>&1 > out)"
same "none for the same format by another name" "" "$("$softfp8" gen f16_to_e4m3fnuz 2>&1 > out)"
same "none for binary16" "" "$("$softfp8" gen binary16_to_e4m3 2>&1 > out)"
