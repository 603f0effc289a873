# SPDX-License-Identifier: MIT
# test_export.sh -- softfp8 export: what it writes and refuses; vectors.smt proves the definitions

# exports NAME ARGUMENT...: the text is that of tools/softfp8/tests/export/NAME.smt2
exports() {
    name=$1
    shift
    "$softfp8" export smt "$@" > got
    golden "export smt $*" "tools/softfp8/tests/export/$name.smt2" got
    same "$name: as many parentheses are opened as closed" \
        "$(tr -cd '(' < got | wc -c)" "$(tr -cd ')' < got | wc -c)"
}
# all_simple FILE: prints each name that is no simple symbol of SMT-LIB 2.6, section 3.1.
all_simple() {
    grep -o '(define-fun [^ ]*' "$1" | cut -d' ' -f2 |
        grep -vx '[A-Za-z~!@$%^&*_+=<>.?/-][0-9A-Za-z~!@$%^&*_+=<>.?/-]*'
}
exports f16_to_e4m3 --from f16 --to e4m3
exports f32_to_e8m0 f32_to_e8m0 --set negative=nan --set above_least=up
exports e2m1_add e2m1_add --round rd
exports e5m2_mul e5m2_mul --policy ocp-nosat --set round_past_max=nan --set nan_code=payload
exports f32_to_e5m2_via f32_to_e5m2 --via f16 --round ro --set flush=outputs
exports e8m0_to_f16_via e8m0_to_f16 --via f32

# A format with fields has commas in its name, which symbols may not have.
for function in e4m3_add "e4m3 bias=11_add" "e4m3,bias=11,nan=none_to_f16" "f16_to_e4m3 inf=1 nan=ieee" \
    p3109_k8p4se_mul; do
    via=
    case $function in *_to_*) via="--via f16" ;; esac
    # One option, or none.
    # shellcheck disable=SC2086
    "$softfp8" export smt "$function" $via > symbols
    same "$function: all names are symbols" "" "$(all_simple symbols)"
done
"$softfp8" export smt "e4m3 bias=11_add" > own
same "the symbol of a format with fields" \
    "; e4m3_bias=11_add: the code of the result. e4m3_bias=11_add.flags: 1 inexact, 2 underflow, 4 overflow, 8 division by zero, 16 invalid
(define-fun e4m3_bias=11_add ((x (_ BitVec 8)) (y (_ BitVec 8))) (_ BitVec 8)
(define-fun e4m3_bias=11_add.flags ((x (_ BitVec 8)) (y (_ BitVec 8))) (_ BitVec 5)" \
    "$(grep -e '^; e4m3_' -e 'fun e4m3_bias=11_add ' -e 'fun e4m3_bias=11_add.flags ' own)"
same "the comment has the name of the function" \
    "; e4m3,bias=11_add under the policy ocp" "$(head -n 1 own | sed 's/, as softfp8.*//')"

"$softfp8" export smt --from F16 --to E4M3 -o written.smt2
same_file "other spellings, and -o" "$source/tools/softfp8/tests/export/f16_to_e4m3.smt2" written.smt2


# ---- export p3109 --------------------------------------------------------------------------------

mkdir declared
"$softfp8" export p3109 declared --provider "A lab" --uri https://lab.example/p3109 \
    --timestamp 2026-11-25T12:00Z
for file in Configurations Constraints Kappas; do
    golden "export p3109: $file" "tools/softfp8/tests/export/$file.yaml" "declared/$file.yaml"
done

# Profiles.yaml names the formats that the library has, from the first precision to the last.
sed -n "s/.*Binary\([0-9]*\)p\$(i)\([su][ef]\)\" for i in \([0-9]*\):\([0-9]*\) .*/\1 \2 \3 \4/p" \
    declared/Profiles.yaml > ranges
awk '{ for (p = $3; p <= $4; p++) print "p3109_k" $1 "p" p $2 }' ranges > listed
awk '{ print "p3109_k" $1 "p" $3 - 1 $2; print "p3109_k" $1 "p" $4 + 1 $2 }' ranges > outside
same "export p3109: a line for each K, sign and domain" 56 "$(wc -l < ranges | xargs)"
xargs "$softfp8" formats --names < listed > known
same_file "export p3109: the library has each format of Profiles.yaml" listed known
while read -r name; do
    "$softfp8" formats "$name" > /dev/null 2>&1 && echo "$name"
done < outside > more
same "export p3109: it has no other" "" "$(cat more)"
