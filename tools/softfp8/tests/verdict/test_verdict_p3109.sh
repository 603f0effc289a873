# SPDX-License-Identifier: MIT
# test_verdict_p3109.sh -- IEEE P3109's rules where they differ from those of IEEE 754, TestFloat's
# rounding of integers to odd, and LLVM's NaN
#
# The expected codes are those of P3109/D1, of TestFloat 3e and of LLVM 22.1.8.

# of FUNCTION OPERANDS RESULT [OPTION...]: what gen writes for these operands.
of() {
    what="$1 $2"
    function=$1
    operands=$2
    want=$3
    shift 3
    same "$what $*" "$want" \
        "$("$softfp8" gen "$function" "$@" 2> err | sed -n "s/^$operands \([0-9A-F]*\) .*/\1/p")"
}
of Binary8p3se_div "7F 00" 80 --policy SatNone
of Binary8p3se_div "FF 00" 80 --policy SatFinite
of Binary8p3se_div "7F 40" 7F --policy SatNone
of e5m2_div "7C 00" 7C --policy ocp-nosat
of Binary4p2sf_next_up 7 8 --policy SatNone
of Binary4p2se_next_up 6 7 --policy SatNone
of Binary8p4sf_next_down FF 80 --policy SatPropagate
of Binary8p4ue_next_down 00 FF --policy SatFinite
of Binary8p4ue_next_down 00 FF --policy SatPropagate
of Binary8p3se_copy_sign "C0 80" 80 --policy SatNone
of Binary8p3se_copy_sign "C0 80" 40 --policy ocp
of Binary8p3se_abs FF 7E --policy SatFinite
of Binary8p3se_abs FF 7F --policy SatPropagate
of Binary8p3se_negate FF 7E --policy SatFinite
of Binary8p3se_copy_sign "7F C0" FE --policy SatFinite
for name in minimum minimum_number minimum_magnitude minimum_magnitude_number maximum \
    maximum_number maximum_magnitude maximum_magnitude_number; do
    of "Binary8p3se_$name" "7F 7F" 7E --policy SatFinite
    of "Binary8p3se_$name" "7F 7F" 7F --policy SatNone
done
of Binary8p4ue_negate 80 00 --policy SatNone --round rz
of Binary8p4ue_negate 80 00 --policy SatNone --round ru
of Binary8p4ue_negate 80 FF --policy SatNone --round rne
of Binary8p4ue_negate 80 00 --policy SatFinite

# A divider that conforms is not rejected.
printf '%s\n' "7F 00 80 08" "40 00 80 08" > divided
status "a divider by P3109" 0 "$softfp8" ver Binary8p3se_div --policy SatNone -partial divided
printf '%s\n' "7F 00 7F 00" > divided
status "a divider that gives infinity" 1 "$softfp8" ver Binary8p3se_div --policy SatNone -partial divided

convert() { "$softfp8" convert "$@" 2> err; }
same "zero has no sign" 0000 "$(echo 80000000 | convert --from f32 --to f16 --policy SatNone)"
same "nor has what rounds to it" 0000 "$(echo 80000001 | convert --from f32 --to f16 --policy SatNone)"
same "-0 by IEEE 754" 8000 "$(echo 80000000 | convert --from f32 --to f16 --policy ocp-nosat)"

# Nor is what follows these rules accused.
"$softfp8" gen bf16_to_f16 --columns operands,result --policy SatFinite -o right
status "SatFinite" 0 "$softfp8" identify --from bf16 --to f16 --product p3109-satfinite right
lacks "SatFinite" 'another|closest|diagnosis' out

# SatNone of D1, and of the interim report 4.0
hundred() { echo 100 | convert --as-numbers --to "$@"; }
same "an overflow in a finite format" 8 "$(hundred Binary4p2sf --policy SatNone)"
same "p3109-satnone" 8 "$(hundred Binary4p2sf --policy p3109-satnone)"
same "report 4.0" 7 "$(hundred Binary4p2sf --policy p3109-4.0-satnone)"
same "OvfInf of earlier reports" 7 "$(hundred Binary4p2sf --policy OvfInf)"
same "clamped by a directed rounding" 7 "$(hundred Binary4p2sf --policy SatNone --round rz)"
same "infinity" 8 "$(echo inf | convert --as-numbers --to Binary4p2sf --policy SatNone --round rz)"
same "to odd, unsigned" 7e "$(echo 1e9 | convert --as-numbers --to Binary7p4ue --policy SatNone --round ro)"
same "to odd, report 4.0" 7d \
    "$(echo 1e9 | convert --as-numbers --to Binary7p4ue --policy p3109-4.0-satnone --round ro)"

# What export declares
mkdir declared
status "export" 0 "$softfp8" export p3109 declared
sed -n '/NotProvided/,$p' declared/Configurations.yaml > missing
for name in MinimumFinite MaximumFinite Recip FAA IsOne ScaledAdd ScaledSubtract ScaledMultiply; do
    same "$name is not provided" 1 "$(grep -c -- "- $name\$" missing)"
done
same "the version" '  version: "D1"' "$(grep version: declared/Configurations.yaml | head -n 1)"
same "bfloat16" 1 "$(grep -c 'IEEE754: .*BFloat16' declared/Configurations.yaml)"

# TestFloat 3e: -rodd gives the odd one of the two nearest integers
odd() { echo "$2" | "$softfp8" ver -rodd -partial "$1" > out 2> err && echo right; }
same "0.5 to odd" right "$(odd f16_roundToInt "3800 3C00 00")"
same "-2.5 to odd" right "$(odd f16_roundToInt "C100 C200 00")"
same "-3.5 to odd" right "$(odd f16_roundToInt "C300 C200 00")"
same "0.5 to an integer" right "$(odd f16_to_i32 "3800 00000001 00")"
same "-3.5 to an integer" right "$(odd f16_to_i32 "C300 FFFFFFFD 00")"
same "toward zero is wrong" "" "$(odd f16_roundToInt "3800 0000 00")"

# LLVM's APFloat keeps the sign bit of a FNUZ format's NaN in e4m3, and drops it elsewhere
for from in e4m3fnuz e5m2fnuz e4m3b11fnuz; do
    same "$from to e4m3" ff "$(echo 80 | convert --from "$from" --to e4m3 --policy llvm)"
    same "$from to e5m2" 7e "$(echo 80 | convert --from "$from" --to e5m2 --policy llvm)"
done
of e2m1_div "0 0" 0 --policy llvm
of e3m2_div "00 00" 00 --policy llvm
of e2m3_div "20 00" 00 --policy llvm
