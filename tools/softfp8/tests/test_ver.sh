# SPDX-License-Identifier: MIT
# test_ver.sh -- what ver says besides TestFloat's report: cases that are missing or too many, results
# that a simulator does not know, files about something else, values

hint="softfp8 ver: --as-numbers adds line numbers, codes and decimal values to the errors"

# ---- a chosen set that is not whole: said, not an error
"$softfp8" gen f32_to_e4m3 > cases
present() { echo "softfp8 ver: $1 of the 4210 cases that gen writes were present"; }
head -n 1000 cases > part
status "a chosen set, cut short" 0 "$softfp8" ver f32_to_e4m3 part
same "its success" "In 1000 tests, no errors found in f32_to_e4m3, rounding near_even, tininess after rounding, policy ocp." "$(cat out)"
same "how many" "$(present 1000)" "$(cat err)"
status "the whole set" 0 "$softfp8" ver f32_to_e4m3 cases
same "nothing to say" "" "$(cat err)"
sort -r cases > part
status "the whole set in another order" 0 "$softfp8" ver f32_to_e4m3 part
same "nothing to say" "" "$(cat err)"
sed '2000,2009d' cases > part
status "ten in the midst are missing" 0 "$softfp8" ver f32_to_e4m3 part
same "how many" "$(present 4200)" "$(cat err)"
tail -n 3000 cases | sort -r > part
status "the end alone, in another order" 0 "$softfp8" ver f32_to_e4m3 part
same "how many" "$(present 3000)" "$(cat err)"
cat part part > twice
status "each of these twice" 0 "$softfp8" ver f32_to_e4m3 twice
same "twice is not more" "$(present 3000)" "$(cat err)"
# 1.07 and its like are no boundaries: gen writes none of them; 1 is one
printf '%s\n' '3F88F5C3 39 01' '3F88F5C4 39 01' '3F800000 38 00' > part
status "cases of one's own" 0 "$softfp8" ver f32_to_e4m3 part
same "are no part of gen's" "" "$(cat err)"
{ cat cases; head -n 2 part; } > more
status "gen's and more" 0 "$softfp8" ver f32_to_e4m3 more
same "nothing is missing" "" "$(cat err)"
"$softfp8" gen f32_to_e4m3 --round sr > random
head -n 10 random > part
status "the random bits are an operand" 0 "$softfp8" ver f32_to_e4m3 --round sr part
same "how many" "$(present 10)" "$(cat err)"
# 0 is 0 with any of them
head -n 1 random | sed 's/^00000000 ......../00000000 00000001/' > part
status "other random bits" 0 "$softfp8" ver f32_to_e4m3 --round sr part
same "are another case" "" "$(cat err)"
"$softfp8" gen f32_mul > more
head -n 75263 more > part
status "two operands" 0 "$softfp8" ver f32_mul part
same "how many" "softfp8 ver: 75263 of the 75264 cases that gen writes were present" "$(cat err)"
"$softfp8" gen f32_mul -seed 2 > part
status "another seed" 0 "$softfp8" ver f32_mul part
same "five of six are others" "" "$(cat err)"

# ---- a whole table: one line for all that are missing
"$softfp8" gen e4m3_add > whole
head -n 100 whole > part
status "100 of 65536" 1 "$softfp8" ver e4m3_add part
same "the report" "Errors found in e4m3_add, rounding near_even, tininess after rounding, policy ocp:
65436 cases are missing; the first is +0.0  +C.4" "$(cat out)"
same "the summary" "softfp8 ver: 100 tests performed; 65436 errors found.
softfp8 ver: -partial accepts a part of the table
$hint" "$(cat err)"
status "-errors 1 is no limit for them" 1 "$softfp8" ver e4m3_add -errors 1 part
same "the summary" "softfp8 ver: 100 tests performed; 65436 errors found." "$(head -n 1 err)"

# ---- a limit of errors
sed 's/^\(.. ..\) .. ..$/\1 00 00/' whole > wrong
status "more than 20 errors" 1 "$softfp8" ver e4m3_add wrong
same "where it stopped" "stopped after 20 errors; -errors 0 shows all" "$(sed -n '2s/^softfp8 ver: //p' err)"
status "-errors 1" 1 "$softfp8" ver e4m3_add -errors 1 wrong
same "where it stopped" "stopped after 1 error; -errors 0 shows all" "$(sed -n '2s/^softfp8 ver: //p' err)"
status "-errors 0" 1 "$softfp8" ver e4m3_add -errors 0 wrong
lacks "no limit" stopped err
# 512 sums are 0 without a flag: x and -x, and one of the two zeros is +0 only beside +0 or -x
right=$(grep -c ' 00 00$' whole)
same "all are counted" "softfp8 ver: 65536 tests performed; $((65536 - right)) errors found." "$(head -n 1 err)"
"$softfp8" gen f32_to_e4m3 --steps --round rz > table
status "a step table" 1 "$softfp8" ver --steps --round rne table -errors 2
same "stops, too" "stopped after 2 errors; -errors 0 shows all" "$(sed -n '2s/^softfp8 ver: //p' err)"

# ---- -inorder
{ cat whole; head -n 5 whole; } > more
status "rows behind the last one" 1 "$softfp8" ver -inorder e4m3_add more
same "the report" "5 cases too many, behind the 65536 of gen; the first is +0.0  +0.0" "$(sed 1d out)"
same "the summary" "softfp8 ver: 65541 tests performed; 5 errors found." "$(head -n 1 err)"
{ cat whole; head -n 1 whole; } > more
status "one row" 1 "$softfp8" ver -inorder e4m3_add more
same "the report" "1 case too many, behind the 65536 of gen; the first is +0.0  +0.0" "$(sed 1d out)"
"$softfp8" gen e4m3_add -n 65600 > more
status "gen -n goes on at random" 0 "$softfp8" ver -inorder e4m3_add more
sed '7d' whole > holes
status "a hole" 1 "$softfp8" ver -inorder e4m3_add -errors 1 holes
same "is reported where it is" "+0.0  +0.7  is not the next case, expected +0.0  +0.6" "$(sed 1d out)"

# ---- what a simulator does not know
sed 's/^38 38 .. ../38 38 xx 00/; s/^00 63 .. ../00 63 6X Zz/' whole > unknown
status "x and z" 1 "$softfp8" ver e4m3_add unknown
same "the report" "+0.0  +C.3  => 6X Zz  expected +C.3 .....
+7.0  +7.0  => xx .....  expected +8.0 ....." "$(sed 1d out)"
same "the rest is judged" "softfp8 ver: 65536 tests performed; 2 errors found." "$(head -n 1 err)"
printf '38 38 xx 00\n' > unknown
status "any NaN is not anything" 1 "$softfp8" ver e4m3_add -partial -nocheckNaNs unknown
printf '7f 38 XX 00\n' > unknown
status "not beside NaN either" 1 "$softfp8" ver e4m3_add -partial -nocheckNaNs unknown
printf '00_00_zz\n' > unknown
status "readmemh" 1 "$softfp8" ver e4m3_add -partial --columns operands,result --format readmemh unknown
same "the report" "+0.0  +0.0  => zz  expected +0.0" "$(sed 1d out)"
printf 'a,b,result,flags\n0x00,0x00,0x00,0xxx\n' > unknown
status "csv" 1 "$softfp8" ver e4m3_add -partial --format csv unknown
same "the report" "+0.0  +0.0  => +0.0 xx  expected +0.0 ....." "$(sed 1d out)"
refuses_input "x in an operand" ":1: '00 xx 00 00': expected 4 columns" '00 xx 00 00\n' "$softfp8" ver e4m3_add
refuses_input "too many of them" ":1: '00 00 xxx 00': expected 4 columns" '00 00 xxx 00\n' "$softfp8" ver e4m3_add
refuses_input "another letter" ":1: '00 00 xy 00': expected 4 columns" '00 00 xy 00\n' "$softfp8" ver e4m3_add

# ---- columns: what a bad line lacks

# lacking LINE REASON FUNCTION OPTION...: the end of the message.
lacking() {
    reason=$2
    printf '%s\n' "$1" > row
    shift 2
    refuses "columns of '$(cat row)'" "^row:1: '.*': expected [1-4] columns? of .* hexadecimal digits: $reason$" \
        "$softfp8" ver "$@" row
}
four="a, b, result and flags"
lacking '38 38 40' "$four; flags is missing \(--columns operands,result: a file without flags\)" e4m3_add
lacking '38	38' "$four; result and flags are missing" e4m3_add
lacking '38' "$four; b, result and flags are missing" e4m3_add
lacking '39 01' "a, result and flags; a is missing" f32_to_e4m3
lacking '3f800000 38 00' "a, random, result and flags; random is missing" f32_to_e4m3 --round sr
lacking '3f800000' "a and result; result is missing" f32_to_f16 --columns operands,result
lacking '00' "result and flags; flags is missing \(--columns result: a file without flags\)" e4m3_add --columns result,flags
lacking '38 38 40 00 00' "$four; the line has 5" e4m3_add
lacking '0 1 2 3 4 5 6 7 8' "$four; the line has more" e4m3_add
lacking '38 3g 40 00' "$four; b is '3g'" e4m3_add
lacking '38 38 x0 000' "$four; flags is '000'" e4m3_add
lacking '38 xx 40 00' "$four; b is 'xx'" e4m3_add
lacking '00 40 00 00' "$four; b is '40', which does not fit into 6 bits" e3m2_add

# ---- a file that says that it is about something else
"$softfp8" gen -header e4m3_mul > titled
refuses "another function" "^titled:1: the file has cases of e4m3_mul; expected e4m3_add$" "$softfp8" ver e4m3_add titled
status "the same" 0 "$softfp8" ver e4m3_mul titled
"$softfp8" gen -header f32_to_e4m3 --round rz > titled
refuses "another policy" "^titled:2: the file has the policy 'ocp round=rz'; expected 'ocp', as the options say$" \
    "$softfp8" ver f32_to_e4m3 titled
status "the same by TestFloat's name" 0 "$softfp8" ver f32_to_e4m3 -rminMag titled
status "the same by other options" 0 "$softfp8" ver f32_to_e4m3 --policy "ocp round=rz" titled
sed -i 's/^# policy: .*/# policy: nobodys/' titled
refuses "a policy that nobody has" "the policy 'nobodys'; expected 'ocp'" "$softfp8" ver f32_to_e4m3 titled
for form in readmemh c; do
    "$softfp8" gen e4m3_mul --format $form --round rz -o titled
    refuses "another function, $form" "^titled:1: the file has cases of e4m3_mul; expected e4m3_add$" \
        "$softfp8" ver e4m3_add --round rz --format $form titled
    refuses "another policy, $form" "^titled:1: the file has the policy 'ocp round=rz'; expected 'ocp'" \
        "$softfp8" ver e4m3_mul --format $form titled
done
"$softfp8" gen f16_to_e4m3 --steps --round rz > table
"$softfp8" expand --format c table > titled
status "expand names the policy whole" 0 "$softfp8" ver f16_to_e4m3 --round rz --format c titled
"$softfp8" gen e2m1_add -header --round sr > titled
refuses "another number of random bits" "the policy 'ocp round=sr sr_bits=16'; expected 'ocp round=sr sr_bits=8'" \
    "$softfp8" ver e2m1_add -rstoch 8 titled
printf '%s\n' '# function: e4m3_add' '# of my bench, policy of the house: none' '00 00 00 00' > titled
status "other remarks" 0 "$softfp8" ver -partial e4m3_add titled

# ---- the form of a file that is no text
for form in csv readmemh c npy; do
    "$softfp8" gen e4m3_add --format $form -o table
    refuses "$form" "expected 4 columns of 2, 2, 2 and 2 hexadecimal digits: a, b, result and flags; .* --format $form$" "$softfp8" ver e4m3_add table
done
"$softfp8" gen e2m1_add --format json -o table.json
refuses_input "a table in a later row" "^standard input:2: .* digits: a, b, result and flags; a is 'a'$" '00 00 00 00\na,b,result,flags\n' "$softfp8" ver e4m3_add
refuses "JSON and a function" "; JSON needs --format json and no function$" "$softfp8" ver e2m1_add table.json
refuses "JSON from standard input" "^softfp8 ver: '-' is standard input: expected .* --format json for JSON$" "$softfp8" ver -

# ---- values
printf '%s\n' '# x' '7E 7E 7F 00' '38 B8 80 00' '38 38 40 01' '08 C0 xx 00' > wrong
status "values" 1 "$softfp8" ver e4m3_add -partial --as-numbers wrong
same "the report" "+F.6  +F.6  => +F.7 .....  expected +F.6 ..o.x
  line 2: 7e = 448, 7e = 448 => 7f = NaN, expected 7e = 448; flags 00 none, expected 05 overflow inexact
+7.0  -7.0  => -0.0 .....  expected +0.0 .....
  line 3: 38 = 1, b8 = -1 => 80 = -0, expected 00 = 0
+7.0  +7.0  => +8.0 ....x  expected +8.0 .....
  line 4: 38 = 1, 38 = 1 => 40 = 2; flags 01 inexact, expected 00 none
+1.0  -8.0  => xx .....  expected -8.0 ....x
  line 5: 08 = 0.015625, c0 = -2 => xx, expected c0 = -2; flags 00 none, expected 01 inexact" "$(sed 1d out)"
lacks "no hint where it was followed" values err
sed '1000d' whole > holes
status "of what is missing" 1 "$softfp8" ver e4m3_add --as-numbers holes
same "the report" "1 case is missing: +0.3  -C.7
  03 = 0.005859375, e7 = -60" "$(sed 1d out)"
printf '\200\000\000' > wrong
status "of bytes" 1 "$softfp8" ver ui8_to_e4m3 -partial --as-numbers --format bin wrong
same "the report" "80  => +0.0 .....  expected +E.0 .....
  row 1: 80 = 128 => 00 = 0, expected 70 = 128" "$(sed 1d out)"
printf '80 00 00\n' > wrong
status "of negative integers" 1 "$softfp8" ver i8_to_e4m3 -partial --as-numbers wrong
same "the report" "  line 1: 80 = -128 => 00 = 0, expected f0 = -128" "$(sed 1,2d out)"
printf '3F840000 00000000 39 01\n' > wrong
status "of random bits" 1 "$softfp8" ver f32_to_e4m3 --round sr --as-numbers wrong
same "the report" "  line 1: 3f840000 = 1.03125, random 00000000 => 39 = 1.125, expected 38 = 1" "$(sed 1,2d out)"
status "the hint" 1 "$softfp8" ver e4m3_add -partial --format csv unknown
same "is the last line" "$hint" "$(tail -n 1 err)"
