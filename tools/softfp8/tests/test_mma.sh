# SPDX-License-Identifier: MIT
# test_mma.sh -- softfp8 mma --diagnose and --schedule: which rule, which order gave these words

# repeat N TEXT: N times, run together.
repeat() {
    i=0
    while [ $i -lt "$1" ]; do
        printf %s "$2"
        i=$((i + 1))
    done
}

zeros=$(repeat 30 00)
qgmma="--unit hopper-qgmma --in e4m3 --result f32"
row="$(repeat 32 38) $(repeat 32 38)"

# ---- which rule gave these words?
# rows of blocks of 16, of 13 bits: 2^14 and -2^14 in k 0 and 15, 2^-18 elsewhere, and 1 - 1 + 2^-13
blocks="70$(repeat 14 01)f0$(repeat 16 01) 70$(repeat 14 01)70$(repeat 16 01) 00000000"
small="38b808$(repeat 29 00) 383804$(repeat 29 00) 00000000"
less="38b804$(repeat 29 00) 383804$(repeat 29 00) 00000000"
long="$(repeat 31 3f)08 $(repeat 31 3f)08 00000000"
printf '%s\n' "# a remark" "$blocks 38800000" "$small 39000000" "$less 00000000" "$long 42d9f800" > words
status "another unit" 1 "$softfp8" mma $qgmma --diagnose words
same "how many" "hopper-qgmma explains 3 of 4 rows" "$(head -n 1 out)"
same "which does not" "2 38800000 00000000 32" "$(sed -n 3p out | xargs)"
same "that alone" 1 "$(grep -c '^  [0-9][0-9]* *[0-9a-f]\{8\}' out)"
same "named first" "4 of 4 unit=ada-qmma" "$(sed -n '/^explained by$/{n;p;}' out | xargs)"
same "or so" 1 "$(grep -c '^  4 of 4  length=16$' out)"
status "the right unit" 0 "$softfp8" mma --unit ada-qmma --in e4m3 --result f32 --diagnose words
same "explains all" "ada-qmma explains 4 of 4 rows" "$(head -n 1 out)"

# ---- rows that tell apart what the rows do not
# The file holds operands only: each rule's results are computed by the command, with --set.
same "others" "so do other rules" "$(sed -n 2p out)"
same "toward zero or down" 1 "$(grep -c '^  cut=down$' out)"
sed -n 's/^  \([a-z0-9]*=[a-z0-9-]*\)$/\1/p' out > rules
status "--tell-apart" 0 "$softfp8" mma --unit ada-qmma --in e4m3 --result f32 --diagnose words \
    --tell-apart more
same "how many" "rows that tell them apart: $(grep -vc '^#' more), in more" "$(tail -n 1 out)"
"$softfp8" mma --unit ada-qmma --in e4m3 --result f32 more > unit
while read -r rule; do
    case $rule in c=* | unit=*) continue ;; esac
    "$softfp8" mma --unit ada-qmma --in e4m3 --result f32 --set "$rule" more > other
    status "$rule is told from the unit" 1 cmp -s unit other
done < rules
grep -v '^#' more | paste -d ' ' - unit >> words
status "with these rows" 0 "$softfp8" mma --unit ada-qmma --in e4m3 --result f32 --diagnose words
same "none is left" "ada-qmma explains $(grep -vc '^#' words) of $(grep -vc '^#' words) rows" "$(cat out)"
grep -v '^#' more > abc
"$softfp8" mma --unit hopper-mma-fp8 --in e4m3 --result f32 abc | paste -d ' ' abc - > other
status "hopper" 0 "$softfp8" mma --unit hopper-mma-fp8 --in e4m3 --result f32 --diagnose other
same "another unit explains them too" 1 "$(grep -c '^  unit=blackwell-tcgen05$' out)"
scaled="$(repeat 64 2) $(repeat 64 2) 38383838 38383838 00000000"
mxf4="--unit sm120-mxf4nvf4 --in e2m1 --result f32"
echo "$scaled $(echo "$scaled" | "$softfp8" mma $mxf4)" > other
status "with scales" 0 "$softfp8" mma $mxf4 --diagnose --tell-apart more other
"$softfp8" mma $mxf4 more > unit || fail "rows with scales are read"
same "with scales" "$(grep -vc '^#' more)" "$(wc -l < unit | xargs)"
printf '%s\n' "$(repeat 32 00) $(repeat 32 00) 00000000 00000000" > zeros
status "zeros" 0 "$softfp8" mma $qgmma --diagnose zeros
same "weak rows" 1 "$(grep -c '^  and [0-9]* more$' out)"
grep -v '^#' words | cut -d ' ' -f 1-3 > abc
"$softfp8" mma --unit blackwell-mma-fp8 --in e4m3 --result f32 abc | paste -d ' ' abc - > other
status "a row differs" 1 "$softfp8" mma $qgmma --diagnose other
same "two units that no row tells apart" \
    "no row was found that tells unit=blackwell-mma-fp8 from unit=hopper-mma-fp8" "$(tail -n 1 out)"
refuses "--tell-apart alone" "--tell-apart needs --diagnose" "$softfp8" mma $qgmma --tell-apart more words
refuses "over the input" "the output 'words' would overwrite the input 'words'" "$softfp8" mma $qgmma --diagnose words --tell-apart words
refuses "to standard output" "expected a file, not standard output" \
    "$softfp8" mma $qgmma --diagnose words --tell-apart -
printf '%s\n' "$blocks 00000000" "$small 00000000" "$less 00000000" "$long 42d9f800" > words
status "12 bits" 1 "$softfp8" mma $qgmma --diagnose words
same "12 bits, and nothing else" "fraction=12" "$(sed -n '/^explained by$/{n;s/^  4 of 4  //p;}' out)"
sed '$s/........$/12345678/' words > other
status "a row differs" 1 "$softfp8" mma $qgmma --diagnose other
same "all but one" 1 "$(grep -c '^no rule explains all; the best$' out)"
printf '%s\n' "$blocks 12345678" "$small 9abcdef0" "$less 0badc0de" "$long 42d9f801" > words
status "noise" 1 "$softfp8" mma $qgmma --diagnose words
same "noise" 1 "$(grep -c '^none of the [0-9]* rules that were tried explains more$' out)"
same "the smallest" "line 2 has the fewest terms, 3" "$(grep fewest out | xargs)"
same "no heading says that noise is explained" 0 "$(grep -c '^explained by' out)"

# ---- sums that are stored in 16 bits
# 1, 1 + 2^-8 (a tie of bf16), and 1 + 2^-7, which keeps its bits; c is the whole sum
for c in 3f800000 3f808000 3f810000 c1234567; do
    echo "$(repeat 32 00) $(repeat 32 00) $c"
done > abc
printf '%s\n' 3f80 3f80 3f81 c123 | paste -d ' ' abc - > words
status "stored as bf16" 0 "$softfp8" mma --unit hopper-mma-fp8 --in e4m3 --result f32 --diagnose words \
    --rounded-to bf16
same "all" "hopper-mma-fp8 explains 4 of 4 rows" "$(head -n 1 out)"
if [ "${SOFTFP8_TIER-}" != short ]; then # seconds each
    printf '%s\n' 3c00 3c04 3c08 c91a | paste -d ' ' abc - > words
    status "stored as f16" 0 "$softfp8" mma --unit hopper-mma-fp8 --in e4m3 --result f32 \
        --diagnose words --rounded-to f16
fi
sed 's/\(.*\) \(.*\) .*/\1 \2 40000000/' abc | paste -d ' ' - /dev/null | sed 's/ $//' |
    awk '{ print $1, $2, "3f808001", "40400000" }' > words
status "what it may be" 1 "$softfp8" mma --unit hopper-mma-fp8 --in e4m3 --result f32 --diagnose words
same "a hint" 1 "$(grep -c 'end with 16 zero bits.*--rounded-to bf16' out)"
# The same words of bf16 as f32: that a rule explains them all does not hide the hint.
if [ "${SOFTFP8_TIER-}" != short ]; then
    printf '%s\n' 3f800000 3f800000 3f810000 c1230000 | paste -d ' ' abc - > words
    status "words of bf16 as f32" 1 "$softfp8" mma --unit hopper-mma-fp8 --in e4m3 --result f32 \
        --diagnose words
    same "a rule explains them" 1 "$(grep -c '^explained by$' out)"
    same "and there is the hint" 1 "$(grep -c 'end with 16 zero bits.*--rounded-to bf16' out)"
fi
refuses_input "a word of f32" "d '3f800000': expected a code of bf16 with 4 digits" \
    "$(sed -n 1p abc) 3f800000\n" "$softfp8" mma $qgmma --diagnose --rounded-to bf16
refuses "--rounded-to alone" "--rounded-to needs --diagnose" "$softfp8" mma $qgmma --rounded-to bf16
refuses "sums in f16" "--rounded-to needs sums in f32" \
    "$softfp8" mma --unit hopper-qgmma --in e4m3 --result f16 --diagnose --rounded-to bf16 words
# 64 products are two instructions: a kernel may not have chained them
echo "$(repeat 64 38) $(repeat 64 38) 00000000 41d00000" > words
status "a row differs" 1 "$softfp8" mma $qgmma --diagnose words
same "many instructions" 1 "$(grep -c '^rows have up to 2 instructions.*--schedule cutlass-fast' out)"
refuses_input "no word that came" "standard input:1: row '.*': expected 'a b c d'" "$row 00000000\n" \
    "$softfp8" mma $qgmma --diagnose
refuses_input "a short word" "d '00': expected a code of f32 with 8 digits" "$row 00000000 00\n" \
    "$softfp8" mma $qgmma --diagnose
refuses "--diagnose and --explain" "give only one of --explain, --diagnose" "$softfp8" mma $qgmma --diagnose --explain
refuses "no rows" "standard input: no rows; expected at least one" "$softfp8" mma $qgmma --diagnose
refuses "three formats" "--in e4m3,e4m3,e4m3: expected one or two formats" \
    "$softfp8" mma --unit hopper-qgmma --in e4m3,e4m3,e4m3 --result f32
refuses "a length of what has none" "length=8 is not possible for hopper-mma-fp8: it computes in two halves of fixed length$" \
    "$softfp8" mma --unit hopper-mma-fp8 --in e4m3 --result f32 --set length=8
