# SPDX-License-Identifier: MIT
# test_verdict_vectors.sh -- what explain, gen and ver say about other policies, large tables and parts
# of a table

# The rounding that an option sets is that of all policies shown: 470 lies between 448 and 480.
policies() { "$softfp8" explain --to e4m3 "$@" | sed -n '/^  policies/,$p' | head -n 2; }
same "a rounding given for all policies" \
    "  policies  all 31 policies for these formats, each with round=rz, give 7e" \
    "$(policies --policy "ocp-nosat round=rz" 470)"
same "policies that differ under a given rounding" \
    "  policies  each with round=ru instead of its own rounding:
            7f  NaN  ocp-nosat cuda-nosat torch-2.12 ml_dtypes llvm onnx-nosat hip-nosat riscv" \
    "$(policies --round ru 470)"
same "no rounding given" "  policies  all 31 policies for these formats give 38" "$(policies 1)"
same "another field given" "  policies  all 31 policies for these formats give 38" \
    "$(policies --set overflow=special 1)"

# 2^24 cases of about 120 bytes.
warned='softfp8 gen: e4m3_mulAdd has 16777216 cases, about 2.0 GB of JSON; for fewer, list their operands
 in a file: --operands FILE with --format text, csv or bin'
"$softfp8" gen e4m3_fma --format json 2> err | head -n 4 > out # head ends it, before 2 GB
same "the size is said first" "$(echo "$warned" | tr -d '\n')" "$(head -n 1 err)"
same "the number is right" 16777216 "$("$softfp8" gen e4m3_fma --format json -count 2> err)"
same "a number says nothing" "" "$(cat err)"
"$softfp8" gen e4m3_mul --format json 2> err > out
same "a small table says nothing" "" "$(cat err)"
"$softfp8" gen e4m3_fma --format json -n 16777216 2> err | head -n 4 > out
lacks "a number of cases that was asked for" "GB of JSON" out
same "a number of cases that was asked for, on stderr" "" "$(grep GB err)"
printf '38 38 38\n00 7e 01\n' > operands
"$softfp8" gen e4m3_fma --operands operands > cases
same "the advice gives fewer cases" 2 "$(grep -c . cases)"

# A part of a table.
status "a part of a table" 1 "$softfp8" ver e4m3_fma cases
same "how to accept it" "softfp8 ver: -partial accepts a part of the table" "$(sed -n 2p err)"
status "a part of a table that is accepted" 0 "$softfp8" ver e4m3_fma -partial cases
lacks "nothing to advise" "-partial" err
printf '38 38 38 41 00\n' > cases
status "a wrong result in a part" 1 "$softfp8" ver e4m3_fma -partial cases
lacks "a part was accepted" "-partial" err

finish
