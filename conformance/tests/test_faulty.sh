# SPDX-License-Identifier: MIT
# test_faulty.sh -- planted faults are found and explained: their ranges, their cause as text, the
# exit status, the commands that reproduce them
#
# softfp8-test-faulty is the command conform over converters with faults. Ranges were computed by
# hand from the values of the formats: e4m3 has the smallest number 2^-9, the largest 448, and 1.125
# after 1.
faulty=$(dirname "$softfp8")/softfp8-test-faulty

# case_of NAME: its line in all.json. ranges_of NAME N: the first N ranges as FIRST..LAST GOT RIGHT.
case_of() {
    grep -F "{\"name\": \"faulty/$1\"," all.json
}
ranges_of() {
    case_of "$1" | grep -oE '"first": "[^}]*"expected": "[0-9a-f]+"' | head -n "$2" |
        sed -E 's/"[a-z]+": //g; s/[",]//g; s/ /../'
}
value_of() {
    case_of "$1" | sed -nE "s/.*\"$2\": \"?([^\",]*)\"?[,}].*/\1/p"
}
# explained NAME TEXT: the whole diagnosis, with N for the number of inputs.
explained() {
    same "$1: the diagnosis" "$2" "$(case_of "$1" |
        sed -nE 's/.*"diagnosis": (null|"([^"]*)").*/\2/p' | sed -E 's/on all [0-9,]+ /on all N /')"
}

status "all: a mismatch" 1 "$faulty" --limit 200 --only '*/*/[!h]*' \
    --json all.json --junit all.xml --html all.html
status "all, and one that hangs" 1 "$faulty" --limit 3 --only '*/[hr]*[gt]'
same "a hang ends that case alone" "1 passed, 0 failed, 0 known, 0 skipped, 1 broken" \
    "$(tail -n 1 out)"
same "a hang: the reason" "  no answer within 3 seconds" "$(grep 'no answer' out)"

# However the program ends, its processes that hang end too. Linux lists the children of a process.
"$faulty" --limit 100 --only '*/hang' > out 2> err &
program=$!
sleep 1
if [ -r "/proc/$program/task/$program/children" ]; then
    child=$(tr -d ' ' < "/proc/$program/task/$program/children")
    ended=0
    kill -s KILL "$program"
    wait "$program" 2> err || ended=$?
    sleep 1
    same 'the program was ended, its child had begun' '137 yes' "$ended ${child:+yes}"
    tests=$((tests + 1))
    # Z: it has ended, and nobody has read its status
    if grep -s '^State:' "/proc/$child/status" | grep -qv 'Z'; then
        failed 'a hang outlives the program'
        kill -s KILL "$child"
    fi
else
    kill -s KILL "$program"
fi

# ---- without a fault; a crash

same "right" passed "$(value_of f32_to_e4m3/right status)"
same "right: nothing to explain" '"diagnosis": null
"command": null' "$(case_of f32_to_e4m3/right | grep -oE '"(diagnosis|command)": null')"
# ---- known to differ

# Expected by its row: ties go away from zero. The first case does that; the second has another
# wrong code; the third no longer differs.
same "as is known" "known 126" \
    "$(value_of f32_to_e4m3/as-known status) $(value_of f32_to_e4m3/as-known differ)"
same "not as is known" "failed differs" \
    "$(value_of f32_to_e4m3/not-as-known status) $(value_of f32_to_e4m3/not-as-known why |
        grep -o '^differs')"
same "known no more" "failed now matches: remove its entry from the known differences" \
    "$(value_of f32_to_e4m3/no-more status) $(value_of f32_to_e4m3/no-more why)"
status "known alone" 0 "$faulty" --only '*/as-known'
same "the row says why" 1 "$(grep -c 'known: ties go away from zero there' out)"

status "right alone" 0 "$faulty" --only '*/right'
same "a crash" "broken ended by signal 6" \
    "$(value_of f32_to_e4m3/crash status) $(value_of f32_to_e4m3/crash why)"
same "all others failed" 38 "$(grep -c '"status": "failed"' all.json)"

# ---- one fault

# Ties lie between an even code and the odd one above it: 00 and 01, ... 7c and 7d, of both signs.
# Halfway between 0 and 2^-9; 3 * 2^-10 is between 01 and 02, and is 02 either way.
same "ties away: the first" "3a800000..3a800000 01 00
3ba00000..3ba00000 03 02" "$(ranges_of f32_to_e4m3/ties_away 2)"
same "ties away: how many" 126 "$(value_of f32_to_e4m3/ties_away range_count)"
same "ties away: 1.0625, one word" "3f880000..3f880000 39 38" \
    "$(ranges_of f32_to_e4m3/ties_away 64 | grep '^3f8')"
explained f32_to_e4m3/ties_away \
    "on all N inputs tried it does what ocp does with round=rna: ties go away from zero"

# e2m1 has 0 0.5 1 1.5 2 3 4 6: the ties 0.25 1.25 2.5 5 have an even code below, 0.75 1.75 3.5 not.
same "e2m1, ties away" "3e800000..3e800000 1 0
3fa00000..3fa00000 3 2
40200000..40200000 5 4
40a00000..40a00000 7 6
be800000..be800000 9 8
bfa00000..bfa00000 b a
c0200000..c0200000 d c
c0a00000..c0a00000 f e" "$(ranges_of f32_to_e2m1/ties_away_e2m1 64)"
explained f32_to_e2m1/ties_away_e2m1 \
    "on all N inputs tried it does what ocp does with round=rna: ties go away from zero"

# Values above the tie 2^-10 give 0, not 2^-9; 3 * 2^-10, a tie, gives 01 and not 02.
same "truncated" "3a800001..3affffff 00 01
3b400000..3b7fffff 01 02" "$(ranges_of f32_to_e4m3/truncates 2)"
explained f32_to_e4m3/truncates \
    "on all N inputs tried it does what ocp does with round=rz: rounds toward zero"

# Up to 464, halfway to the 480 that does not exist, numbers round to 448; 43e00000 is 448.
same "overflow before rounding" "43e00001..43e80000 7f 7e
c3e00001..c3e80000 7f fe" "$(ranges_of f32_to_e4m3/early 64)"
explained f32_to_e4m3/early "on all N inputs tried it does what ocp-nosat does with \
overflow_test=exact: overflow is tested before rounding"

same "saturated" "43e80001..7f800000 7e 7f
c3e80001..ff800000 fe 7f" "$(ranges_of f32_to_e4m3/saturates 64)"
explained f32_to_e4m3/saturates "on all N inputs tried it does exactly what the policy ocp does"

same "the sign of NaN" "ff800001..ffffffff ff 7f" "$(ranges_of f32_to_e4m3/nan_sign 64)"
explained f32_to_e4m3/nan_sign "on all N inputs tried it does what ocp does with nan_sign=signed: \
NaN keeps its sign; so do the policies torch-2.13, onnx-saturate, onnxruntime"

# e5m2: the smallest number is 2^-16; what is at 3.5 * 2^-16, a tie, is normal by then.
same "subnormal results flushed" "37000001..385fffff 00 01
b7000001..b85fffff 80 81" "$(ranges_of f32_to_e5m2/flush_outputs 64)"
explained f32_to_e5m2/flush_outputs "on all N inputs tried it does what ocp does with \
flush=outputs: subnormal results are flushed to zero"

# f16: 0080 is 2^-17, the tie below 2^-16; 0400 is the smallest normal number.
same "subnormal operands flushed" "0081..03ff 00 01
8081..83ff 80 81" "$(ranges_of f16_to_e5m2/flush_inputs 64)"
explained f16_to_e5m2/flush_inputs "on all N inputs tried it does what ocp does with \
flush=inputs: subnormal operands are flushed to zero"
same "subnormal operands of e4m3 lost" "01..07 0000 1800
81..87 8000 9800" "$(ranges_of e4m3_to_f16/lost 64)"
explained e4m3_to_f16/lost "on all N inputs tried it does what ocp-nosat does with \
flush=inputs: subnormal operands are flushed to zero"

# ---- two steps, two faults, none that has a name

same "rounded twice: the word above 1.0625" "3f880001 38 39" \
    "$(ranges_of f32_to_e4m3/twice 64 | sed -n 's/^\(3f880001\)\.\.[0-9a-f]*/\1/p')"
explained f32_to_e4m3/twice \
    "on all N inputs tried it does what ocp does with via=f16: rounds twice, first to f16"
same "rounded once: the word above 2^-10" "3f50000000000001 01 00" \
    "$(ranges_of f64_to_e4m3/once 1 | sed 's/\.\.[0-9a-f]*//')"
# No policy cuts before it rounds.
explained f32_to_e4m3/twice_cut \
    "on all N inputs tried it does what ocp does with via=f16:rz: truncates to f16 first, then rounds; so does the policy triton-sm89"
explained f64_to_e4m3/once \
    "on all N inputs tried it rounds once, straight from the operand, as ocp does"
# Below 3 * 2^-10 it does not round up to the tie, whose even side is above.
same "the first of two steps truncates: the word below 3 * 2^-10" "3f67ffffffffffff 01 02" \
    "$(ranges_of f64_to_e4m3/first_step 1 | sed 's/^[0-9a-f]*\.\.//')"
explained f64_to_e4m3/first_step "on all N inputs tried it does what ocp-nosat does with round=rz \
in the step f64_to_f32: rounds toward zero"
explained f64_to_e4m3/both_steps "on all N inputs tried it does what ocp does with nan_sign=signed \
in the step f32_to_e4m3 and round=rz in the step f64_to_f32: NaN keeps its sign, and rounds toward \
zero"
same "any NaN will do: its sign is not looked at" "43e80001..7f800000 7f 7e
c3e80001..ff800000 ff fe" "$(ranges_of f32_to_e4m3/open_nan 64)"
explained f32_to_e4m3/open_nan "on all N inputs tried it does exactly what the policy ocp-nosat does"
same "with a relu, ties away: how many" 63 "$(value_of f32_to_e4m3/relu range_count)"
explained f32_to_e4m3/relu \
    "on all N inputs tried it does what ocp does with round=rna: ties go away from zero"
# The tie 7.5 * 2^-9 is normal.
same "two faults" "3a800001..3c6fffff 00 01
ba800001..bc6fffff 80 81
ff800001..ffffffff ff 7f" "$(ranges_of f32_to_e4m3/two_faults 64)"
explained f32_to_e4m3/two_faults "on all N inputs tried it does what ocp does with \
nan_sign=signed flush=outputs: NaN keeps its sign, and subnormal results are flushed to zero"
# Three fields of the row, or another policy and one; three faults.
explained f32_to_e4m3/policy_ties_away \
    "on all N inputs tried it does what ocp does with round=rna: ties go away from zero"
explained f32_to_e4m3/three_faults "on all N inputs tried it does what ocp does with \
nan_sign=signed flush=outputs round=rna: NaN keeps its sign, and subnormal results are flushed to \
zero, and ties go away from zero"
# Integers; the first 64 ranges of the first are all of what is cut, none out of range.
explained f32_to_i32/indefinite "on all N inputs tried it does what ocp does with round=rz \
integer=indefinite: rounds toward zero, and NaN and what is out of range give the indefinite \
integer of x86"
explained i32_to_f32/integer_cut \
    "on all N inputs tried it does what ocp does with round=rz: rounds toward zero"
# At random, each lane with other words.
explained f16_to_e4m3/sr_bits "on all N inputs tried it does what ocp round=sr sr_rule=a does with \
sr_bits=6: stochastic rounding looks at another number of random bits"
explained f16_to_e4m3/sr_rule "on all N inputs tried it does what ocp round=sr sr_bits=8 does with \
sr_rule=b: stochastic rounding by rule B"
explained f16_to_e4m3/sr_nan_sign "on all N inputs tried it does what ocp round=sr sr_rule=a \
sr_bits=8 does with nan_sign=signed: NaN keeps its sign; so do the policies torch-2.13, \
onnx-saturate, onnxruntime"
# Faults that only identify knows: a defect that no field describes, another format.
same "ties up: 126 ties, of the negative ones those whose even side is above" 126 \
    "$(value_of f32_to_e4m3/ties_up range_count)"
explained f32_to_e4m3/ties_up \
    "on all N inputs tried it does what ocp does with ties_up: ties go toward +infinity"
explained f64_to_e4m3/second_step "on all N inputs tried it does what ocp does with ties_up in the \
step f32_to_e4m3: ties go toward +infinity"
# 240 is 77; halfway to the next number is 248, which is 43780000 and rounds up.
same "clamped" "43780000..7f800000 77 78
c3780000..ff800000 f7 f8" "$(ranges_of f32_to_e4m3/clamped 64)"
explained f32_to_e4m3/clamped "on all N inputs tried it does what ocp does with clamp: overflow is \
clamped to 77 (240), with a sign f7"
explained f16_to_e4m3/other_format \
    "on all N inputs tried it does what ocp does, but these are codes of e5m2"
explained f16_to_e4m3/other_format_cut "on all N inputs tried it does what ocp does with round=rz: \
rounds toward zero, but these are codes of e5m2"
explained f16_to_e4m3/other_bias \
    "on all N inputs tried it does what ocp does, but the codes have the exponent bias 8"
explained f16_to_e4m3/other_inputs \
    "on all N inputs tried it does what ocp does, but the inputs are those of bf16"
explained e4m3_to_f16/swapped_bytes \
    "on all N inputs tried it does what ocp does, but the codes have their bytes swapped"
# 3d is 1.625: from above the tie 1.5625 to below the tie 1.6875.
same "one code wrong" "3e41..3ebf 3c 3d
be41..bebf bc bd" "$(ranges_of f16_to_e4m3/mutant 64)"
nothing="nothing known explains it: no policy, no change of up to three of its fields, \
no rounding twice, no other format"
explained f16_to_e4m3/mutant "$nothing"
explained f32_to_e4m3/swapped "$nothing"
# A fault that has a name, and another one at 16 codes of each sign: the name explains too little
# and is not given.
same "many codes wrong" 34 "$(value_of f16_to_e4m3/many range_count)"
explained f16_to_e4m3/many "$nothing"
same "ties away and one code wrong" "no single rule explains all: in 63 of 64 ranges, by their \
first inputs, it does what ocp does with round=rna: ties go away from zero" \
    "$(case_of f32_to_e4m3/almost | sed -nE 's/.*"diagnosis": "([^";]*);.*/\1/p')"

# ---- every report says it, and the commands work

one=faulty/f32_to_e4m3/ties_away
status "the table" 1 "$faulty" --only "$one"
same "the table: the diagnosis" 1 "$(tr -s '\n ' ' ' < out |
    grep -c 'inputs tried it does what ocp does with round=rna: ties go away from zero ')"
same "the table: what came" "  3a800000 gave 01 instead of 00
  ba800000 gave 81 instead of 80" "$(sed -n 's/^\(.* gave [^:]*\):.*/\1/p' out)"
same "the table: the commands" \
    "  \$ softfp8 explain --as-codes --from f32 --to e4m3 --policy ocp 3a800000
  \$ softfp8 conform --only '$one'" "$(grep '^  \$' out)"
sed -n 's/^  \$ softfp8 explain/"$softfp8" explain/p' out > explain.sh
sed -n 's/^  \$ softfp8 conform/"$faulty" conform/p' out | sed 's/ conform / /' > again.sh
got=0
(. ./explain.sh) > explained 2>&1 || got=$?
same "explain: its status" 0 "$got"
same "explain: the tie, and the code to the even side" 1 \
    "$(tr '\n' ' ' < explained | grep -c '3a800000.* 0\.0009765625.* 00')"
got=0
(. ./again.sh) > again 2>&1 || got=$?
same "the case again: its status" 1 "$got"
same "the case again" "$(tail -n 1 out)" "$(tail -n 1 again)"
words="it does what ocp-nosat does with overflow_test=exact: overflow is tested before rounding"
same "JUnit" 2 "$(grep -c "$words" all.xml)"
same "HTML" 1 "$(grep -c "$words" all.html)"
same "JUnit: the commands, of each step" 39 "$(grep -c '^\$ softfp8 explain' all.xml)"
same "HTML: the commands, of each step" 40 "$(grep -o 'softfp8 explain --as-codes' all.html | wc -l | tr -d ' ')"
status "the full tier of a case of 2^16 inputs" 1 "$faulty" --tier full --only '*/mutant'
same "the same command for it" "  \$ softfp8 conform --only 'faulty/f16_to_e4m3/mutant'" \
    "$(grep '^  \$ softfp8 conform' out)"
