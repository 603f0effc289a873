# SPDX-License-Identifier: MIT
# test_gen_ver.sh -- gen and ver: TestFloat's lines and reports, literal cases, bad usage

# ---- TestFloat's own lines are accepted as they are: its NaNs are those of x86
printf '%s\n' '3F800000 3C00 00' '477FEFFF 7BFF 01' '477FF000 7C00 05' '33000000 0000 03' \
    '33000001 0001 03' '7F800001 7E00 10' 'FFC00000 FE00 00' 'FF800000 FC00 00' > f32_to_f16
status "f32_to_f16 of TestFloat" 0 "$softfp8" ver f32_to_f16 f32_to_f16
same "its report" "In 8 tests, no errors found in f32_to_f16, rounding near_even, tininess after rounding, policy ocp-nosat." "$(cat out)"
printf '%s\n' '87FF E850 E850 01' '0001 0001 0002 00' 'FC00 7C00 FE00 10' > f16_add
status "f16_add of TestFloat" 0 "$softfp8" ver f16_add f16_add
printf '%s\n' '3F80 3F800000 00' '7F81 7FC10000 10' 'FFFF FFFF0000 00' > bf16_to_f32
status "bf16_to_f32 of TestFloat" 0 "$softfp8" ver bf16_to_f32 bf16_to_f32
printf '%s\n' '7F800001 FE01 10' > nan
status "another quiet NaN" 0 "$softfp8" ver f32_to_f16 nan
status "-checkNaNs" 1 "$softfp8" ver -checkNaNs f32_to_f16 nan
printf '%s\n' '7F800001 7C01 10' > nan
status "a signaling NaN" 1 "$softfp8" ver f32_to_f16 nan
printf '%s\n' '3F800000 7E00 00' > nan
status "NaN for 1" 1 "$softfp8" ver f32_to_f16 nan
printf '%s\n' '3F808000 3F80 01' '3F818000 3F82 01' '7F7FFFFF 7F80 05' > f32_to_bf16
status "f32_to_bf16 of TestFloat" 0 "$softfp8" ver f32_to_bf16 f32_to_bf16
# 1.5 -> 2; NaN gives what the machine gives, and is invalid
printf '%s\n' '3E00 00000002 00' '7E00 80000000 10' 'FC00 80000000 10' > f16_to_i32
status "f16_to_i32 of TestFloat" 0 "$softfp8" ver f16_to_i32 f16_to_i32
printf '%s\n' '7E00 12345678 10' > invalid
status "an invalid integer that nobody gives" 1 "$softfp8" ver f16_to_i32 invalid
printf '%s\n' '7E00 FFFFFFFF 10' 'BC00 FFFFFFFF 10' > invalid
status "invalid unsigned integers" 0 "$softfp8" ver f16_to_ui32 invalid
status "its invalid integers, all bits" 1 "$softfp8" ver f16_to_i32 -checkInvInts f16_to_i32
printf '%s\n' '7C01 3C00 0 10' '7E00 3C00 0 10' > f16_lt
status "f16_lt is signaling" 0 "$softfp8" ver f16_lt f16_lt
status "f16_lt_quiet is not" 1 "$softfp8" ver f16_lt_quiet f16_lt
printf '%s\n' '33000000 0001 03' > f32_rounding
status "-rmax" 0 "$softfp8" ver -rmax f32_to_f16 f32_rounding
status "-rnear_maxMag" 0 "$softfp8" ver f32_to_f16 -rnear_maxMag f32_rounding
status "-rodd" 0 "$softfp8" ver -rodd f32_to_f16 f32_rounding
status "-rminMag" 1 "$softfp8" ver -rminMag f32_to_f16 f32_rounding
# round to odd overflows to the largest number there, and rounds to integers toward zero
printf '%s\n' '7F000000 7BFF 05' > odd
status "-rodd overflows to the largest" 0 "$softfp8" ver -rodd f32_to_f16 odd
status "-roddinf to infinity" 1 "$softfp8" ver -roddinf f32_to_f16 odd
printf '%s\n' '3E00 3C00 00' > odd
status "-rodd to an integer" 0 "$softfp8" ver f16_roundToInt -rodd odd
# 2^-14 (1 - 2^-12) is tiny before rounding to f16, and 2^-14 after
printf '%s\n' '387FF000 0400 01' > tiny
status "tininess after" 0 "$softfp8" ver f32_to_f16 tiny
status "tininess before" 1 "$softfp8" ver f32_to_f16 -tininessbefore tiny
printf '%s\n' '3E00 4000 01' > exact
status "-exact" 0 "$softfp8" ver f16_roundToInt -exact exact
status "-notexact" 1 "$softfp8" ver f16_roundToInt exact

# ---- operands that a file has
# 1.125 * 1.5 = 1.6875, a tie of 1.625 and 1.75; 448 * 448 overflows
printf '39 3c\n7e 7e\n' > operands
same "operands of a file" "39 3C 3E 01 7E 7E 7E 05" "$("$softfp8" gen e4m3_mul --operands operands | xargs)"
same "by another policy, the result alone" "3E 7F" \
    "$("$softfp8" gen e4m3_mul --operands - --policy ocp-nosat --columns result < operands | xargs)"
same "a random word: 255 of 256 rounds the tie up, 0 does not" "3E 3D" "$(printf '%s\n' '39 3c 000000ff' '39 3c 00000000' |
    "$softfp8" gen e4m3_mul --operands - -rstoch 8 --columns result | xargs)"
for function in e4m3_mul f16_to_i8 e2m1_mulAdd; do
    same "$function: all operands give all cases" "$("$softfp8" gen $function -hash)" \
        "$("$softfp8" gen $function --columns operands | "$softfp8" gen $function --operands - -hash)"
done
refuses_input "no operands" "^standard input: the file has no cases" "" "$softfp8" gen e4m3_mul --operands -
refuses_input "one operand" "standard input:1: .*expected" "39\n" "$softfp8" gen e4m3_mul --operands -
refuses "with -n" "--operands FILE says which cases" "$softfp8" gen e4m3_mul --operands operands -n 3
refuses "a type" "--operands needs a function, but 'e4m3' is a type" "$softfp8" gen e4m3 2 --operands operands
refuses "C" "--operands needs --format text, csv or bin" "$softfp8" gen e4m3_mul --operands operands --format c
refuses "over the input" "would overwrite the input" "$softfp8" gen e4m3_mul --operands operands -o operands

# ---- reports in TestFloat's form
echo 'B7FF 3C01 3800 01' > wrong
status "an error" 1 "$softfp8" ver f16_add wrong
same "its report" "Errors found in f16_add, rounding near_even, tininess after rounding, policy ocp-nosat:
-0D.3FF  +0F.001  => +0E.000 ....x  expected +0E.002 ....x" "$(cat out)"
same "its count" "softfp8 ver: 1 tests performed; 1 error found." "$(head -n 1 err)"
printf '7e 7E 7F 00\n' > wrong
status "e4m3: saturation" 1 "$softfp8" ver e4m3_add -partial wrong
same "its report" "+F.6  +F.6  => +F.7 .....  expected +F.6 ..o.x" "$(sed 1d out)"
"$softfp8" gen e4m3_add --columns operands > operands
sed 's/$/ 00 00/' operands > wrong
status "20 errors are enough" 1 "$softfp8" ver e4m3_add wrong
same "21 lines" 21 "$(wc -l < out)"
status "-errors 3" 1 "$softfp8" ver e4m3_add -errors 3 wrong
same "4 lines" 4 "$(wc -l < out)"

# ---- literal cases, from docs/spec and the definitions of the formats
cases() {
    function=$1
    shift
    printf '%s\n' "$@" > cases
    status "$function: $*" 0 "$softfp8" ver "$function" -partial cases
}
cases e4m3_mul '38 38 38 00' '7E 40 7E 05' '80 01 80 00' '01 01 00 03' '7F 00 7F 00'
cases e5m2_add '7C FC 7E 10' '3C 3C 40 00' '7B 7B 7B 05'
cases e2m1_mulAdd '2 2 2 4 00' '7 7 F 7 05'
cases e4m3_div '38 00 7E 08' '00 00 7F 10'
cases e4m3_sqrt '40 3B 01' 'B8 7F 10'
cases e2m1_to_e4m3 '7 4C 00' 'F CC 00' '8 80 00'
cases e4m3_to_f32 '7E 43E00000 00' '01 3B000000 00'
cases e8m0_to_f32 '7F 3F800000 00' '00 00400000 00' 'FF 7FC00000 00'
cases i32_to_e4m3 '00000011 58 01' 'FFFFFFFF B8 00' '80000000 FE 05'
cases e4m3_class '01 7 00' '7F 1 00' '80 5 00'
cases e4m3_next_up '80 01 00' '7E 7E 00'
cases e3m2_negate '00 20 00' '3F 1F 00'
cases f64_to_e4m3 '407D000000000000 7E 01' '407D000000000001 7E 05'

# e8m0 has no zero: what rounds to 0 is the smallest number under nan-exact, for it is no exact zero
printf '%s\n' '7D 00 03' '7F 7F 00' > one
status "e8m0_roundToInt of 0.25" 0 "$softfp8" ver e8m0_roundToInt -partial --set missing_zero=nan-exact one
printf '%s\n' '7D FF 10' > one
status "the same, every zero is NaN" 0 "$softfp8" ver e8m0_roundToInt -exact -partial --set missing_zero=nan one

# ---- policies by option
printf '43E80001 7F 05\n' > one
status "464 and a little more: -sat none" 0 "$softfp8" ver f32_to_e4m3 -sat none one
status "the same by name" 0 "$softfp8" ver f32_to_e4m3 --policy cuda-nosat one
status "the same by --overflow" 0 "$softfp8" ver f32_to_e4m3 --overflow=ieee one
status "-sat finite" 1 "$softfp8" ver f32_to_e4m3 -sat finite one
printf '7F800000 7F 00\n' > one
status "infinity: -sat finite" 1 "$softfp8" ver f32_to_e4m3 -sat all one
status "infinity: cuda-nosat" 0 "$softfp8" ver f32_to_e4m3 --policy cuda-nosat one
printf 'FFC00000 FF 00\n' > one
status "-nansign keep" 0 "$softfp8" ver f32_to_e4m3 -nansign keep one
status "-nansign pos" 1 "$softfp8" ver f32_to_e4m3 -nansign pos one
status "--set" 0 "$softfp8" ver f32_to_e4m3 --set nan_sign=signed one

# ---- the cases of gen
same "e4m3_add has all pairs" 65536 "$("$softfp8" gen e4m3_add -count)"
same "e2m1_mulAdd has all triples" 4096 "$("$softfp8" gen e2m1_mulAdd -count)"
"$softfp8" gen e2m1 2 > pairs
same "a type twice" "0 0
F F" "$(sed -n '1p;$p' pairs)"
same "its number" 256 "$(wc -l < pairs)"
"$softfp8" gen e4m3_add | cut -d ' ' -f 1,2 > pairs
same_file "operands of a function" operands pairs
same "-prefix" "hello" "$("$softfp8" gen e2m1_add -prefix hello | head -n 1)"
same "-header" "# function: e2m1_add
# policy: ocp round=rz" "$("$softfp8" gen e2m1_add -header -rminMag | head -n 2)"
same "-n beyond the whole table" 70000 "$("$softfp8" gen e4m3_add -n 70000 | wc -l)"
"$softfp8" gen e4m3_add -n 70000 > more
status "they are right too" 0 "$softfp8" ver e4m3_add more
same "-seed" "$("$softfp8" gen f32_add -seed 7 -hash)" "$("$softfp8" gen -seed=7 f32_add | sha256sum | cut -c 1-64)"
for option in "" "-level 2" "-rstoch 8" "-critical"; do
    for function in f32_to_e4m3 f64_to_e2m1 f16_to_e8m0; do
        "$softfp8" gen $function $option > cases
        status "$function $option" 0 "$softfp8" ver $function $option -inorder cases
    done
done
# every boundary of f32 -> e4m3: 1 + 2^-4 is halfway between 38 and 39
"$softfp8" gen f32_to_e4m3 > cases
same "the critical set around a tie" "3F87FFFF 38 01
3F880000 38 01
3F880001 39 01
3F880002 39 01" "$(grep -A 3 '^3F87FFFF' cases)"

# ---- stochastic rounding says how many bits count
same "in a header" "# policy: ocp round=sr sr_bits=16" "$("$softfp8" gen e4m3_add -header --round sr | sed -n 2p)"
same "in JSON" '"policy": "ocp round=sr sr_bits=8"' "$("$softfp8" gen e2m1_add --format json -rstoch 8 | grep -o '"policy": "[^"]*"')"
same "in a comment" "// e2m1_add, policy ocp round=sr sr_bits=16: 256 words of 52 bits, {a[3:0], b[3:0], random[31:0], result[3:0], flags[7:0]}" \
    "$("$softfp8" gen e2m1_add --format readmemh --round sr | head -n 1)"
"$softfp8" gen e2m1_add --round sr > cases
status "ver, too" 0 "$softfp8" ver e2m1_add --round sr cases
same "its report" "In 256 tests, no errors found in e2m1_add, rounding stochastic, tininess after rounding, policy ocp round=sr sr_bits=16." "$(cat out)"

# The tie at the end of the range, from integers: 464; halves of an ulp around 100.5, to integers
same "i32_to_e4m3 at 463 464 465" "000001CF 000001D0 000001D1" \
    "$("$softfp8" gen i32_to_e4m3 | cut -d ' ' -f 1 | grep -xE '000001(CF|D0|D1)' | sort -u | tr '\n' ' ' | sed 's/ $//')"
same "f32_to_i8 at 100.5 and its neighbours" "42C8FFFF 42C90000 42C90001" \
    "$("$softfp8" gen f32_to_i8 | cut -d ' ' -f 1 | grep -xE '42C8FFFF|42C9000[01]' | sort -u | tr '\n' ' ' | sed 's/ $//')"
same "f32_to_i32 at 2^31 and its neighbours" "4EFFFFFF 4F000000 4F000001" \
    "$("$softfp8" gen f32_to_i32 | cut -d ' ' -f 1 | grep -xE '4EFFFFFF|4F00000[01]' | sort -u | tr '\n' ' ' | sed 's/ $//')"

# ---- a whole table has each case once
"$softfp8" gen e4m3_add > whole
sed '1000d' whole > holes
status "a case is missing" 1 "$softfp8" ver e4m3_add holes
same "the report" "1 case is missing: +0.3  -C.7" "$(sed 1d out)"
status "-partial: said, not an error" 0 "$softfp8" ver e4m3_add -partial holes
same "the note" "softfp8 ver: 65535 of the 65536 cases of the whole table were present" "$(cat err)"
{ cat holes; sed -n 999p holes; } > twice
status "one twice in place of another" 1 "$softfp8" ver e4m3_add twice
same "the report" "1 case is missing: +0.3  -C.7" "$(sed 1d out)"
status "-inorder" 1 "$softfp8" ver e4m3_add -inorder holes

# ---- bad usage and bad input
refuses "no function" "no function or type given" "$softfp8" gen
refuses "an unknown function" "no function 'e4m3_ad'; did you mean 'add'" "$softfp8" gen e4m3_ad
refuses "an unknown format" "no function 'e4m4_add'.*'e4m3'" "$softfp8" ver e4m4_add
refuses "capital letters" "no function 'E4M3_add'.*'e4m3'" "$softfp8" ver E4M3_add
refuses "capital letters in an operation" "no function 'e4m3_FMA'; did you mean 'fma'" "$softfp8" gen e4m3_FMA
refuses "f64 has no arithmetic" \
    "'f64_add': arithmetic needs a format of at most 24 bits of precision, such as f32\$" "$softfp8" gen f64_add
for function in hif8_add hif8_to_i8 i8_to_hif8 hifloat8_mul; do
    refuses "$function" "'$function': hif8 has only conversions to and from formats, such as f32_to_hif8\$" \
        "$softfp8" gen $function
done
refuses "steps of hif8" "f32_to_hif8: hif8 has no step tables; without --steps gen writes test cases\$" \
    "$softfp8" gen f32_to_hif8 --steps
refuses "too many steps" "f64_to_f32 has too many steps for a table: one of its formats must have 20 bits" \
    "$softfp8" gen f64_to_f32 --steps
refuses "hif8 in explain" "can only be converted, by .*, and shown by 'softfp8 table'" \
    "$softfp8" explain --to hif8 3
refuses "an unknown option" "no option '-rup'" "$softfp8" gen e4m3_add -rup
refuses "an option that begins alike" "no option '--rounding'; did you mean '--round'\?$" "$softfp8" gen e4m3_add --rounding rz
refuses "an unknown policy" "no policy 'cuda-nosta'; did you mean 'cuda-nosat'" "$softfp8" gen e4m3_add --policy cuda-nosta
refuses "an unknown rounding" "--round up: expected one of $("$softfp8" policies --fields | sed -n 's/^round *//p')" "$softfp8" gen e4m3_add --round up
refuses "an unknown field" "no such field" "$softfp8" gen e4m3_add --set sign=1
refuses "once early" "no such field; it is overflow_test now" "$softfp8" gen e4m3_add --set early=yes
refuses "once band, in a text" "it is beyond_max now" "$softfp8" gen e4m3_add --policy "ocp band=max"
refuses "an unknown form" "expected one of text bin" "$softfp8" gen e4m3_add --format hex
refuses "an unknown column" "a list of operands, result and flags" "$softfp8" gen e4m3_add --columns a
refuses "level 3" "from 1 to 2" "$softfp8" gen e4m3_add -level 3
refuses "too few cases" "-n 65535: too few cases; expected at least 65536" "$softfp8" gen e4m3_add -n 65535
refuses "no value" "needs a value" "$softfp8" gen e4m3_add -seed
refuses "a number that is too large" "-seed 18446744073709551616" "$softfp8" gen e4m3_add -seed 18446744073709551616
refuses "steps of a product" "--steps needs a conversion between two formats" "$softfp8" gen e4m3_mul --steps
refuses "steps of chosen columns" "a step table holds all cases" "$softfp8" gen f32_to_e4m3 --steps --columns result
refuses "count and hash" "exclude each other" "$softfp8" gen e4m3_add -count -hash
refuses "hash to a file" "write no file" "$softfp8" gen e4m3_add -hash -o file
refuses "results of a type" "operands only" "$softfp8" gen e4m3 --columns result
refuses "a random word of 33 bits" "of 32 bits" "$softfp8" gen f32_to_e4m3 --steps -rstoch 16 -seed 4294967297
refuses "two ways to expand" "exclude each other" "$softfp8" expand --all --edges table
refuses "too many steps" "too many steps" "$softfp8" gen f64_to_f32 --steps
refuses "a critical set of a product" "no critical set" "$softfp8" gen e4m3_mul -critical
refuses "output that is a directory" "is a directory" "$softfp8" gen e4m3_add -o .
refuses "output in no directory" "cannot write no/where" "$softfp8" gen e4m3_add -o no/where
refuses "no such input" "cannot read nothing" "$softfp8" ver e4m3_add nothing
refuses "input that is a directory" "is a directory" "$softfp8" ver e4m3_add .
bad_line() { refuses_input "$1" "^standard input:2: '.*': expected" "$2" "$softfp8" ver e4m3_add; }
bad_line "a digit" '00 00 00 00\n00 0g 00 00\n'
bad_line "a short word" '00 00 00 00\n00 0 00 00\n'
bad_line "a long word" '00 00 00 00\n000 00 00 00\n'
bad_line "a word too few" '00 00 00 00\n00 00 00\n'
bad_line "a word too many" '00 00 00 00\n00 00 00 00 00\n'
bad_line "flags that do not exist" '00 00 00 00\n00 00 00 20\n'
bad_line "an end in the midst" '00 00 00 00\n00 00 00 0'
bad_line "a zero byte" '00 00 00 00\n00 00\0000 00\n'
refuses_input "a code beyond the format" ":1: '40 00 00 00'" '40 00 00 00\n' "$softfp8" ver e3m2_add
yes 0 | tr -d '\n' | head -c 100000 > long
refuses "a line without end" "long:1: the line is longer than" "$softfp8" ver e4m3_add long
printf '\t38\t\t38   40 \t 00 \n' > row
status "blanks and tabs" 0 "$softfp8" ver -partial e4m3_add row
same "four columns" "In 1 tests" "$(cut -d ' ' -f 1-3 out | tr -d ,)"
printf '# a remark\r\n00 00 00 00\r\n\n# 00 00 00\n00 01 01 00' > dos
status "CRLF, remarks, blank lines, no last end" 0 "$softfp8" ver e4m3_add -partial dos
refuses "nothing at all" "standard input: the file has no cases" "$softfp8" ver e4m3_add
refuses "nothing at all, a wide source" "standard input: the file has no cases" "$softfp8" ver f32_to_f16
printf '3C 40 47 00\nzz\n' > in
got=0
"$softfp8" ver e4m3_add in > out 2> err || got=$?
same "an error before a bad line is shown" "2 2 in:2: 'zz': expected 4 columns of 2, 2, 2 and 2 hexadecimal digits: a, b, result and flags; b, result and flags are missing" \
    "$got $(wc -l < out) $(cat err)"

printf 'zz\n' > "$(printf 'bad\nname')"
refuses "a name of two lines is shown as one" "^bad.name:1: 'zz'" "$softfp8" ver e4m3_add "$(printf 'bad\nname')"

# ---- output is complete or absent
echo before > real
ln -s real link
status "a symbolic link" 0 "$softfp8" gen e2m1_abs -o link
same "stays one" real "$(readlink link)"
same "and its file is written" 16 "$(wc -l < real)"
echo before > kept
refuses "a bad option leaves the file" "expected" "$softfp8" gen e4m3_add -o kept --round up
same "as it was" before "$(cat kept)"
if [ -c /dev/full ]; then
    tests=$((tests + 1))
    "$softfp8" gen e4m3_add > /dev/full 2> err && failed "a full disk"
    same "its message" "softfp8 gen: cannot write standard output: No space left on device" "$(cat err)"
fi
"$softfp8" gen e4m3_mulAdd 2> err | head -n 1 > out
same "a closed pipe is quiet" "" "$(cat err)"
"$softfp8" gen e4m3_mulAdd -o big & pid=$!
sleep 0.1
kill $pid
got=0
wait $pid 2> /dev/null || got=$?
same "a run that was killed" 143 $got
same "leaves nothing" "" "$(ls | grep '^big' || true)"

# ---- large tables in jobs: as the uninterrupted gen, whoever wrote which job
# jobs WHAT N OPTION...: the jobs of N shards together
jobs() {
    what=$1
    n=$2
    shift 2
    rm -rf part.*
    "$softfp8" gen "$@" > want
    for i in $(seq "$n" -1 1); do
        status "$what: shard $i" 0 "$softfp8" gen --keep "part.$i" --shard "$i/$n" "$@"
    done
    status "$what: together" 0 "$softfp8" gen --join part.*
    same_file "$what: the table" want out
}
jobs 'all cases' 3 f16_add -n 2200000 --columns operands --header -prefix start
same 'one job in each of three folders' '1-of-3 2-of-3 3-of-3' "$(echo $(ls part.1/cases part.2/cases part.3/cases | grep of))"
jobs 'random bits' 2 e4m3_add -rstoch 8 -n 2200000 --format csv
jobs 'a whole table with random bits' 2 e3m4_div -rstoch 8
jobs 'binary' 2 f32_to_e4m3 -n 1200000 --format npy
status 'the whole in one folder' 0 "$softfp8" gen f32_to_e4m3 -n 1200000 --format npy --keep part.1
status 'the folder alone' 0 "$softfp8" gen --join part.1 -o got
same_file 'its table' want got
refuses 'a job is missing' '1 of 2 jobs are missing, the first is f32_to_e4m3, part 1 of 2' \
    "$softfp8" gen --join part.2
refuses 'another table' "part.1 is the folder of another run: there policy is 'ocp', not 'ocp round=rz'" \
    "$softfp8" gen f32_to_e4m3 -n 1200000 --format npy --round rz --keep part.1
refuses 'another seed' "there seed is '1', not '2'" \
    "$softfp8" gen f32_to_e4m3 -n 1200000 --format npy -seed 2 --keep part.1
printf 'x' >> part.1/cases/2-of-2
refuses 'an edited job' 'part.1/cases/2-of-2: expected the cases that part.1/f32_to_e4m3@2-of-2.job' \
    "$softfp8" gen --join part.1 -o edited
rm part.1/cases/2-of-2
refuses 'no job' 'part.1/cases/2-of-2' "$softfp8" gen --join part.1 -o edited
[ ! -e edited ] || failed 'a damaged table was written'
"$softfp8" gen f32_mul -n 60000000 --columns operands --keep stopped 2> err &
pid=$!
sleep 1
kill -s TERM "$pid"
stopped=0
wait "$pid" || stopped=$?
same 'the status of SIGTERM' 3 "$stopped"
tests=$((tests + 1))
grep -qE '^softfp8 gen: stopped by SIGTERM; [0-9]+ of 58 jobs are left; the same command' err || failed 'its message'
touch -d '1 hour ago' stopped/cases/58-of-58.abcdef
touch stopped/cases/57-of-58.abcdef
status 'a budget' 3 "$softfp8" gen f32_mul -n 60000000 --columns operands --keep stopped --budget 1
same 'what a killed run left is removed, what is being written stays' 57-of-58.abcdef \
    "$(cd stopped/cases && echo *.abcdef)"
status 'how far it is' 0 "$softfp8" gen --status stopped
grep -qE '^[0-9]+ of 58 jobs are written, in [0-9]+ core-seconds$' out || failed 'what is done'
grep -qE '^[0-9]+ are left, about [0-9]+ core-seconds by the pace so far$' out || failed 'what is left'
status 'how far a whole table is' 0 "$softfp8" gen --status part.1
same 'no more to do' '2 of 2 jobs are written' "$(cut -d , -f 1 out)"
refuses '--keep with -o' '--keep keeps jobs of cases: leave out' "$softfp8" gen f32_mul --keep a -o b
refuses '--shard alone' '--shard and --budget need --keep' "$softfp8" gen f32_mul --shard 1/2
refuses 'no such shard' '--shard 3/2: expected I/N with I from 1 to N' "$softfp8" gen f32_mul --keep a --shard 3/2
refuses '--join without folders' '--join: expected the folders of --keep' "$softfp8" gen --join
refuses '--join with a choice' '--join: expected the folders of --keep' "$softfp8" gen --join -seed 3 part.1
refuses 'a folder of another program' "not a folder of gen --keep, but of 'prove'" sh -c \
    "sed 's/program gen/program prove/; /^end /d' part.2/plan.txt > p; { cat p; printf 'end sha256=%s\n' \"\$(sha256sum < p | cut -d ' ' -f 1)\"; } > part.2/plan.txt; rm part.2/*.job; exec '$softfp8' gen --join part.2"
