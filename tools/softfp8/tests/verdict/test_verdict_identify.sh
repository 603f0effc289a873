# SPDX-License-Identifier: MIT
# test_verdict_identify.sh -- identify: planted converters get the right name, or none
#
# The converters of broken_converters.c are written without the library. lib.diagnose_cast has the
# diagnosis of each that is explained, from raw codes and from pairs.
make=$(dirname "$softfp8")/softfp8-test-broken_converters

# report FORM NAME FROM TO: its report, in `out`; raw of all inputs, or pairs of f32.
report() {
    case $1 in
    raw) "$make" raw "$2" "$3" > codes ;;
    *) "$make" "$1" "$2" > codes ;;
    esac
    status "$2, $3 to $4: status" 1 "$softfp8" identify --from "$3" --to "$4" codes
}

# ---- what explains everything comes first, right behind the input -------------------------------

while read -r form name from to diagnosis; do
    report "$form" "$name" "$from" "$to"
    same "$name, $from to $to" "diagnosis: $diagnosis; this explains every input:" \
        "$(sed -n '/^explained: no/{n;p;}' out)"
done << 'NAMED'
random cut_f16 f32 e4m3 ocp, rne, with cut_f16
steps cut_f16 f32 e4m3 ocp, rne, with cut_f16
NAMED

# The other reading was the only diagnosis: 5038 and 8478 inputs were left.
report raw flush_early_unsigned bf16 e4m3
lacks 'no codes of another format' 'k8p4|codes of' out
report raw cfloat_e5m2 bf16 e5m2
lacks 'no codes of e4m3' 'codes of' out
# Through f16, cut to bf16 and what else gives infinity: not where a rounding that overflows does.
report raw cut_inf_e5m2 bf16 e5m2
lacks 'no openvino, no cut' 'openvino-e5m2, rz, with|cut_bf16' out

# Two explanations: a reading counts as one change, and two codes that are only seen as more.
"$softfp8" gen bf16_to_e4m3ieee --format bin --columns result --policy ocp-nosat -o codes
status 'codes of e4m3ieee' 1 "$softfp8" identify --from bf16 --to e4m3 codes
same 'codes of e4m3ieee' 'diagnosis: these are codes of e4m3ieee; this explains every input:
  ocp-nosat, rne' "$(sed -n 3,4p out)"
same 'and what else explains them' 1 \
    "$(grep -c '^or: ocp, rne, with clamp and nan_code; this explains every input:$' out)"

# Inputs times 2 have the codes of e4m3fnuz where no special code shows. 0.25 to 16 in eighths of a
# power of two, and halves between them; with NaN, 80 in e4m3fnuz alone, one explanation is left.
awk 'BEGIN { for (e = 125; e < 131; e++) for (m = 0; m < 64; m++)
    printf "%08x %02x\n", e * 8388608 + m * 131072,
           (e - 119) * 8 + int(m / 8) + (m % 8 > 4 || (m % 8 == 4 && int(m / 8) % 2)) }' > twice
status 'twice: status' 1 "$softfp8" identify --from f32 --to e4m3 twice
same 'twice' 'diagnosis: these are codes of e4m3fnuz, or are those of 2 times the inputs; this explains every input:' \
    "$(sed -n 3p out)"
echo '7fc00000 80' >> twice
status 'e4m3fnuz: status' 1 "$softfp8" identify --from f32 --to e4m3 twice
same 'e4m3fnuz' 'diagnosis: these are codes of e4m3fnuz; this explains every input:' "$(sed -n 3p out)"

# ---- nearest, with numbers, is no diagnosis -----------------------------------------------------

report raw flush_and_more f16 e4m3
# 2 * (237f - 1401 + 1) below 2^-6; 2 * (4eff - 4c00 + 1) from 16 to 28.
same 'nearest' 'nearest: ocp, rne, with flush=outputs; this explains 7934 of the 9470 inputs that differ:' \
    "$(grep '^nearest' out)"
same 'what is left' '  with these changes, 1536 of 65536 inputs differ (2.34 %): 12 ties, 1524 other values' \
    "$(grep '^  with these changes' out)"
same 'no diagnosis' 'diagnosis: none found' "$(tail -n 1 out)"
report raw ties_and_more f16 e4m3
same 'a rounding is no diagnosis' 'diagnosis: none found' "$(grep -E '^(nearest|diagnosis)' out)"

# ---- what nothing explains ----------------------------------------------------------------------

# A fault in one range of inputs is not random, and is not called flushed, which would break others.
report raw some_small_e2m1 f16 e2m1
same 'one range' 'diagnosis: every code is one of the two nearest its value, but no rule for the rounding was found' \
    "$(grep -E '^(nearest|diagnosis)' out)"
lacks 'not flushed' 'flush' out
# Flushing would explain all 2 * 1392 inputs, and make 2 * 143 from 0.68 to 0.75 wrong. What explains
# those below 0.5 makes nothing wrong.
report raw most_small_e2m1 f16 e2m1
lacks 'what is right is not made wrong' 'flush|diagnosis: .*with' out
same 'nearest, which makes nothing wrong' \
    'nearest: ocp, rne, with below_least_zero; this explains 2046 of the 2784 inputs that differ:' \
    "$(grep '^nearest' out)"
report raw flips f16 e4m3
same 'flips' 'diagnosis: none found' "$(grep -E '^(nearest|diagnosis|or)' out)"

# flipped FORMATS COUNT SEED: right codes of the critical inputs, COUNT of them with one wrong bit.
flipped() {
    "$softfp8" gen "$1" --columns operands,result -o right
    awk -v count="$2" -v seed="$3" '
        function hex(c) { return index("0123456789abcdef", tolower(c)) - 1 }
        { input[NR] = $1; code[NR] = 16 * hex(substr($2, 1, 1)) + hex(substr($2, 2, 1)) }
        END {
            for (n = 0; n < count; n++) {
                do {
                    seed = (seed * 16807) % 2147483647
                    i = 1 + seed % NR
                } while (i in done)
                done[i] = 1
                bit = 2 ^ (int(seed / 65536) % 8)
                code[i] += int(code[i] / bit) % 2 ? -bit : bit
            }
            for (i = 1; i <= NR; i++)
                printf "%s %02x\n", input[i], code[i]
        }' right > pairs
}
for line in 'f32_to_e4m3 1' 'f32_to_e5m2 3' 'f32_to_e4m3 210'; do
    set -- $line
    flipped $1 $2 $(($2 + 1))
    status "$line flips" 1 "$softfp8" identify --from f32 --to "${1#f32_to_}" --json pairs
    same "$line flips" '"reading": null,
"diagnosis": null}' "$(tail -n 2 out)"
done

# ---- inputs that would distinguish the policies -------------------------------------------------

# Policies agree on 1, and differ in what 464.00003 gives: 448 or NaN.
echo '3f800000 38' > one
"$softfp8" identify --from f32 --to e4m3 one > out
same 'an input that distinguishes' \
    '  43e80001 (464.00003), which gives 7e by cuda-satfinite, rne and 7f by torch-2.12, rne' \
    "$(sed -n '/^note: 1 input cannot .*; give more inputs, for example$/{n;p;}' out)"
# Taking that advice leaves those that do not saturate.
printf '43e80001 7f\nff800001 ff\n3a800000 00\n' >> one
"$softfp8" identify --from f32 --to e4m3 one > out
lacks 'those that saturate are out' 'cuda-satfinite|ocp ' out
same 'no input is named again' 0 "$(sed -n '/^note/,$p' out | grep -cE '43e80001|ff800001|3a800000')"

# ---- flags --------------------------------------------------------------------------------------

# The least number of flags that differ, not that of the policy that is named first, which is arm: it
# raises underflow where a value rounds up to the smallest normal number. One flag is wrong for all.
"$softfp8" gen f32_to_e5m2 --columns operands,result,flags --policy ocp-nosat -o right
sed '1,/ 01$/s/ 01$/ 11/' right > flags
"$softfp8" identify --from f32 --to e5m2 flags > out
same 'the closest flags' 'none of these policies gives them; the closest, ocp-nosat, rne, differs for 1 input' \
    "$(sed -n 's/^flags: //p' out)"

# An operation: which flag, in which direction, one case. 3 x 0.25 = 00.. in line 258 is 2^-9 * 2^-9.
"$softfp8" gen e4m3_mul --policy ocp -o right
awk '{ if ($4 == "03" && ++n % 3 == 1) $4 = "01"; if (NR == 77) $4 = "10"; print }' right > wrong
missing=$(awk '$4 == "03" && ++n % 3 == 1' right | wc -l | tr -d ' ')
status 'flags of an operation' 0 "$softfp8" identify --function e4m3_mul wrong
same 'flags are not explained' 'codes explained, but not the flags, by' "$(sed -n 2p out)"
same 'which flags' "  underflow: missing in $missing cases; line 258 raises 01 (inexact), not 03 (underflow inexact)
  invalid: raised wrongly in 1 case; line 77 raises 10 (invalid), not 00 (none)" \
    "$(sed -n '/^which flags/,$p' out | sed 1d)"
# What one field explains is said.
"$softfp8" gen e4m3_mul --policy cuda-nosat -tininessbefore -o before
status 'tininess of an operation' 0 "$softfp8" identify --function e4m3_mul before
same 'it is explained' 'explained by' "$(sed -n 2p out)"
