# SPDX-License-Identifier: MIT
# test_attend_merge.sh -- softfp8 attend --merge: known words, files against lines, which rule it was, errors
#
# The words of the first part follow from the formulas of docs/spec/attend/merging.md: two parts
# with the same lse are averaged, and the lse grows by log 2 (3f317218), or by 1 to the base 2.
. "$source/tools/softfp8/tests/tensors.sh"
merge="$softfp8 attend --merge"

# line RULE TEXT [OPTION...]: the output for lines of parts.
line() {
    rule=$1
    printf '%s\n' "$2" > in
    shift 2
    "$softfp8" attend --merge --rule "$rule" "$@" < in 2>&1
}

# ---- known words

half='00000000 3f800000 c0000000 | 00000000 40400000 40800000' # 1 and -2, 3 and 4: 2 and 1
for rule in vllm vllm-triton fa3; do
    same "$rule averages" '3f317218 40000000 3f800000' "$(line $rule "$half")"
done
for rule in flashinfer flashinfer-states; do
    same "$rule averages" '3f800000 40000000 3f800000' "$(line $rule "$half")"
done
# Four parts: lse + log 4 in base e, two steps of log 2 and log(3/2) for those by pairs
four="$half | 00000000 00000000 00000000 | 00000000 00000000 00000000"
same 'four states' '40000000 3f800000 3f000000' "$(line flashinfer-states "$four")"
# A part without keys, and NaN: docs/spec/attend/merging.md has a column for each.
empty='ff800000 7fc00000 | 40400000 3f800000'
for rule in vllm vllm-triton flashinfer; do
    same "$rule, nothing beside a number" '40400000 7fc00000' "$(line $rule "$empty")"
done
same 'fa3 hides a part of weight 0' '40400000 3f800000' "$(line fa3 "$empty")"
both='ff800000 3f800000 | ff800000 40000000'
same 'vllm, nothing twice' 'ff800000 3f800000' "$(line vllm "$both")"
same 'vllm-triton, nothing twice' 'ff800000 00000000' "$(line vllm-triton "$both")"
same 'fa3, nothing twice' 'ff800000 00000000' "$(line fa3 "$both")"
# With sums 1 and 3, together 4: segments divide the channels by it; partitions multiply 1 1 and 3 3
# by 1 / (4 + 1e-6), which is 4 steps below 1/4: 2.5 less 2.5 steps, a tie.
same 'segments' '3fb17218 3f800000' "$(line segments '00000000 3f800000 3f800000 | 00000000 40400000 40400000')"
same 'partitions' '3fb17218 401ffffe' "$(line partitions '00000000 3f800000 3f800000 | 00000000 40400000 40400000')"
# The base: 1 in base 2 is log 2 in base e.
same 'base 2 for vllm' '3f800000 40000000 3f800000' "$(line vllm "$half" --base 2)"
same 'base e for flashinfer' '3f317218 40000000 3f800000' "$(line flashinfer "$half" --base e)"
same 'bf16' '3f317218 4000' "$(line vllm '00000000 3f80 | 00000000 4040' --from bf16)"
same 'to f16' '3f317218 4000' "$(line vllm '00000000 3f800000 | 00000000 40400000' --to f16)"
same 'remarks and blanks' '3f317218 40000000' \
    "$(line vllm "$(printf '# a remark\n\n  00000000 3f800000|00000000\t40400000 ')")"

# ---- files say what lines say

# number SEED: a word of f32 near 1.
number() { awk -v seed="$1" 'BEGIN { srand(seed); printf "%08x", 1065353216 + int(rand() * 8388608) }'; }
# Rows: 2 tokens of 3 heads, 2 channels, 3 parts.
: > rows.txt
for part in a b c; do : > $part.out; : > $part.lse; done
row=0
while [ $row -lt 6 ]; do
    text=
    for part in a b c; do
        lse=$(number 6$row)
        x=$(number 1$row) y=$(number 2$row)
        case $part in b) lse=$(number 7$row) x=$(number 3$row) ;; c) lse=$(number 8$row) y=$(number 9$row) ;; esac
        text="$text${text:+ | }$lse $x $y"
        words $x $y >> $part.out
        words $lse >> $part.lse
    done
    echo "$text" >> rows.txt
    row=$((row + 1))
done
for part in a b c; do
    { npy '<f4' '2, 3, 2' && cat $part.out; } > $part.npy
    { npy '<f4' '2, 3' && cat $part.lse; } > ${part}_lse.npy
    # heads first: places 0 3, 1 4, 2 5
    { npy '<f4' '3, 2' && for at in 0 3 1 4 2 5; do dd if=$part.lse bs=4 skip=$at count=1 2> dd.err; done; } > ${part}_turned.npy
done
files='a.npy a_lse.npy b.npy b_lse.npy c.npy c_lse.npy'
# shape FILE: that of a .npy file. data FILE: its words, as lines have them.
shape() { head -c 128 "$1" | tr -d '\0' | grep -ao "(.*)" ; }
data() { tail -c +129 "$1" | od -An -v -tx4 | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'; }
for rule in vllm vllm-triton flashinfer flashinfer-states fa3; do
    status "$rule, lines" 0 $merge --rule $rule rows.txt
    cp out lines.out
    status "$rule, files" 0 $merge --rule $rule $files -o out.npy --lse out_lse.npy
    same "$rule: the output" "$(cut -d ' ' -f 2- lines.out | tr '\n' ' ' | sed 's/ $//')" "$(data out.npy)"
    same "$rule: the lse" "$(cut -d ' ' -f 1 lines.out | tr '\n' ' ' | sed 's/ $//')" "$(data out_lse.npy)"
    cp out.npy $rule.npy
    cp out_lse.npy ${rule}_lse.npy
    cp lines.out $rule.txt
done
same 'the shape of the output' '(2, 3, 2)' "$(shape out.npy)"
same 'the shape of the lse' '(2, 3)' "$(shape out_lse.npy)"
turned='a.npy a_turned.npy b.npy b_turned.npy c.npy c_turned.npy'
status 'heads first' 0 $merge --rule fa3 $turned -o out.npy --lse out_lse.npy
same_file 'heads first: the output' fa3.npy out.npy
same 'heads first: the shape of the lse' '(3, 2)' "$(shape out_lse.npy)"
same 'heads first: its words' "$(data fa3_lse.npy | awk '{ print $1, $4, $2, $5, $3, $6 }')" "$(data out_lse.npy)"
status 'as text' 0 $merge --rule fa3 $files
same 'as text: rows' 6 "$(wc -l < out | tr -d ' ')"
# Both numbers the same: only --heads-first tells.
for part in a b; do
    { npy '<f4' '2, 2, 2' && head -c 32 $part.out; } > ${part}2.npy
    { npy '<f4' '2, 2' && head -c 16 $part.lse; } > ${part}2_lse.npy
    { npy '<f4' '2, 2' && for at in 0 2 1 3; do dd if=$part.lse bs=4 skip=$at count=1 2> dd.err; done; } > ${part}2_turned.npy
done
status 'a square' 0 $merge --rule vllm a2.npy a2_lse.npy b2.npy b2_lse.npy -o square.npy
status 'a square, heads first' 0 $merge --rule vllm a2.npy a2_turned.npy b2.npy b2_turned.npy --heads-first -o out.npy
same_file 'a square, heads first' square.npy out.npy

# ---- which rule it was

# named ARGUMENT...: the rules, with their build, that give every bit.
named() { $merge "$@" 2> err | sed -n 's/  e .*every bit$//p; s/  2 .*every bit$//p' | tr -s ' ' | tr '\n' ','; }
for rule in vllm flashinfer flashinfer-states fa3; do
    status "$rule is found" 0 $merge $files --compare $rule.npy --compare-lse ${rule}_lse.npy
    case $(named $files --compare $rule.npy --compare-lse ${rule}_lse.npy) in
    *"$rule fma"*) ;;
    *) failed "$rule is not named" ;;
    esac
    status "$rule is found in lines" 0 $merge rows.txt --compare $rule.txt
done
status 'without fma' 0 $merge --rule vllm --no-fma $files -o nofma.npy
same 'another build' 'vllm no fma,vllm-triton no fma,' "$(named $files --compare nofma.npy)"
{ npy '<f4' '2, 3, 2' && cat a.out; } > other.npy
status 'no rule' 1 $merge $files --compare other.npy
same 'no rule: it is said' 'no rule gives every bit' "$(tail -n 1 out)"
status 'the wrong lse' 1 $merge $files --compare vllm.npy --compare-lse a_lse.npy

# ---- the list

status 'the list' 0 "$softfp8" attend --rules
same 'the rules' 'rule vllm vllm-triton flashinfer flashinfer-states fa3 segments partitions' \
    "$(cut -d ' ' -f 1 out | xargs)"
same 'where one comes from' 1 "$(grep -c '^vllm  *e  *two at a time  *vLLM csrc/attention/merge_attn_states.cu$' out)"

# ---- what is refused: one line, and files stay as they were

echo kept > kept.npy
refuses 'no rule' 'rule NAME or --compare FILE is missing' $merge $files
refuses 'an unknown rule' "no rule 'vlm'; did you mean 'vllm'" $merge --rule vlm $files
refuses 'half a part' 'expected two parts or more, and for each part its output and its lse' $merge --rule vllm a.npy a_lse.npy b.npy
refuses 'one part' '2 files; expected two parts or more' $merge --rule vllm a.npy a_lse.npy
refuses 'no sums' 'its output, its largest scores and its sums' $merge --rule segments a.npy a_lse.npy b.npy b_lse.npy
refuses 'no file' 'cannot read none.npy' $merge --rule vllm a.npy a_lse.npy none.npy b_lse.npy -o kept.npy
refuses 'another shape' "a2.npy: shape \(2, 2, 2\), but a.npy has \(2, 3, 2\)" $merge --rule vllm a.npy a_lse.npy a2.npy a2_lse.npy -o kept.npy
refuses 'an lse of another shape' "a2_lse.npy: shape \(2, 2\); expected \(2, 3\) or, heads first, \(3, 2\)" \
    $merge --rule vllm a.npy a2_lse.npy b.npy b_lse.npy
refuses 'an lse turned, another not' "b_lse.npy: shape" $merge --rule vllm a.npy a_turned.npy b.npy b_lse.npy
refuses 'heads first, and it is not' '--heads-first expects \(3, 2\)' $merge --rule vllm $files --heads-first
refuses 'an output over an input' 'a.npy' $merge --rule vllm $files -o ./a.npy
refuses 'one file for two' 'x.npy' $merge --rule vllm $files -o x.npy --lse ./x.npy
refuses 'a base' 'expected one of e 2' $merge --rule vllm $files --base 10
refuses 'compare and write' '--compare writes no output' $merge $files --compare vllm.npy -o x.npy
refuses 'compare one rule' 'compare tries all rules' $merge $files --rule vllm --compare vllm.npy
refuses 'an lse of lines' 'lines contain the lse: leave out' $merge --rule vllm rows.txt --lse x.npy
refuses 'an output of another shape' "square.npy: shape \(2, 2, 2\); expected \(2, 3, 2\), as in the parts" $merge $files --compare square.npy
refuses_input 'a word too short' "standard input:1: '3f80': expected a channel of 8 hexadecimal digits" \
    '00000000 3f80 | 00000000 3f800000\n' $merge --rule vllm -o kept.npy
refuses_input 'no lse' "'0': expected an lse of 8" '0 3f800000 | 00000000 3f800000\n' $merge --rule vllm
refuses_input 'one part in a line' 'standard input:2: one part; expected two or more' \
    '# x\n00000000 3f800000\n' $merge --rule vllm
refuses_input 'parts unlike' 'part 2 has 2 channels, but part 1 has 1' \
    '00000000 3f800000 | 00000000 3f800000 3f800000\n' $merge --rule vllm
refuses_input 'rows unlike' 'standard input:2: 3 parts of 1 channels, but the first line has 2 of 1' \
    '00000000 3f800000 | 00000000 3f800000\n00000000 0000000a | 00000000 0000000a | 00000000 0000000a\n' $merge --rule vllm
refuses_input 'nothing' 'standard input: no row' '' $merge --rule vllm
refuses_input 'three segments' 'rule segments: 3 parts; expected 2, 4, 8' \
    '00000000 3f800000 0000000a | 00000000 3f800000 0000000a | 00000000 3f800000 0000000a\n' $merge --rule segments
same 'the output that was there' kept "$(cat kept.npy)"
[ ! -e x.npy ] || failed 'something was written'
