# SPDX-License-Identifier: MIT
# test_silicon.sh -- the cases silicon/*: files of results, good and bad
#
# The rows are sums that can be computed by hand; each of them refutes rivals of its unit.
name=h100-e4m3-fp32-wgmma
case=silicon/$name
conform() { SOFTFP8_SILICON=$PWD/here "$softfp8" conform "$@"; }

# repeat N TEXT
repeat() {
    i=0
    while [ $i -lt "$1" ]; do
        printf %s "$2"
        i=$((i + 1))
    done
}
# row "a..." "b..." D: the other products are 0.
row() {
    printf '%s%s %s%s 00000000 %s\n' "$1" "$(repeat $((32 - ${#1} / 2)) 00)" \
        "$2" "$(repeat $((32 - ${#2} / 2)) 00)" "$3"
}
write() {
    echo "# gpu H100  instruction wgmma (QGMMA), c not used (zero)  inputs E4M3  result fp32  K 32"
    echo "# columns: a b c d"
    # 2^14 - 2^14 in k 0 and 15, 2^-18 elsewhere: blocks of 16 or of 8 would keep the last sixteen
    printf '70%sf0%s 70%s70%s 00000000 00000000\n' "$(repeat 14 01)" "$(repeat 16 01)" \
        "$(repeat 14 01)" "$(repeat 16 01)"
    # 1 - 1 - 1.5 * 2^-14, rounded down it would be -2^-13
    row 38b88c 383802 00000000
    # 2.25 - 2.25 + 2^-13: products are not normalised
    row 3cbc08 3c3c04 39000000
    # 1 - 1 + 2^-13, 1 - 1 + 2^-14: 13 bits
    row 38b808 383804 39000000
    row 38b804 383804 00000000
    # 31 times 1.875^2 and 2^-12: 13 bits of mantissa
    row "$(repeat 31 3f)08" "$(repeat 31 3f)08" 42d9f800
}
mkdir here
write > here/$name.txt

# ---- a file that is right
status "the file" 0 conform --only $case
same "it passed" "1 passed, 0 failed, 0 known, 0 skipped" "$(tail -n 1 out)"
same "its rows" "silicon 6" "$(awk '$1 == "silicon" { print $1, $8 }' out)"
same "every rival" 9 "$(sed -n '/^silicon\/h100/,/^$/p' out | tr -s ' \n' '\n' | grep -c =)"
same "of a rival" 1 "$(sed -n '/^silicon\/h100/,/^$/p' out | tr -s ' \n' ' ' | grep -c ' fraction=12 2 ')"
status "JSON" 0 conform --only $case --json -
same "JSON has the unit, and whose it is" 1 "$(grep -c \
    '"subject": "hopper-qgmma", "place": "silicon", "domain": "rows".*"inputs": 6, "differ": 0.*"origin": "H100  instr' out)"
status "the page" 0 conform --only $case --html page.html
same "the page has it" 1 "$(grep -c "{\"name\": \"$case" page.html)"
same "the list" "$case  rows  hopper-qgmma e4m3 to f32" "$("$softfp8" conform --list --only $case)"
same "52 files" 52 "$("$softfp8" conform --list --only 'silicon/*' | wc -l | tr -d ' ')"

# ---- files and folders that are not there
status "the others" 3 conform --only 'silicon/*'
same "counted as not run" "1 passed, 0 failed, 0 known, 51 skipped" "$(tail -n 1 out)"
same "why" 1 "$(grep -c '^skipped: silicon, 51 cases: the folder that SOFTFP8_SILICON names has no such file' out)"
status "no folder" 3 env SOFTFP8_SILICON= "$softfp8" conform --only $case
same "which variable" 1 "$(grep -c '^skipped: silicon, 1 case: SOFTFP8_SILICON names no folder' out)"
status "JUnit" 3 env SOFTFP8_SILICON= "$softfp8" conform --only $case --junit -
same "skipped" 1 "$(grep -c '<skipped message="skipped: SOFTFP8_SILICON' out)"
refuses "a folder that does not exist" "SOFTFP8_SILICON .*nowhere: No such file" \
    env SOFTFP8_SILICON=$PWD/nowhere "$softfp8" conform --only $case
refuses "a file as the folder" "not a folder" \
    env SOFTFP8_SILICON=$PWD/here/$name.txt "$softfp8" conform --only $case
status "not asked for" 0 env SOFTFP8_SILICON=$PWD/nowhere "$softfp8" conform --list

# ---- one result changed
sed '6s/39000000$/39000400/' here/$name.txt > wrong
cp wrong here/$name.txt
status "a wrong word" 1 conform --only $case
same "it failed" "0 passed, 1 failed, 0 known, 0 skipped" "$(tail -n 1 out)"
same "where" 1 "$(grep -c 'line 6: the GPU gave 39000400, not 39000000' out)"
same "the unit" 1 "$(grep -c 'the unit hopper-qgmma, e4m3 to f32, against published results' out)"
same "how many" 1 "$(grep -c '1 of 6 inputs differ' out)"
same "no rule gives that" 1 "$(grep -c 'explained: no rule of [0-9]* tried explains' out)"
sed '3s/00000000$/38800000/' here/$name.txt | sed '6s/39000400$/39000000/' > blocks
cp blocks here/$name.txt
status "sums of 16" 1 conform --only $case
same "it is named" 1 "$(grep -c 'explained: unit=ada-qmma explains all 6 rows, the unit 5; or ' out)"
status "kept" 1 conform --only $case --keep kept
status "merged" 1 "$softfp8" conform --join kept
same "and the same" "0 passed, 1 failed, 0 known, 0 skipped" "$(grep ' failed, ' out)"

# ---- rows that do not refute a rival
write | sed '4d' > here/$name.txt
status "no row against rounding down" 1 conform --only $case
same "it is said" 1 "$(grep -c 'its 5 rows do not rule out the rival cut=down' out)"
same "broken" "0 passed, 0 failed, 0 known, 0 skipped, 1 broken" "$(tail -n 1 out)"

# ---- results of f16: 2048 + 1 + 1 in one sum is 2050
f16=v100-fp16-fp16
echo "68003c003c000000 3c003c003c000000 00000000 45002000" > here/$f16.txt
status "f16" 0 conform --only silicon/$f16
same "refuted" 1 "$(grep -c 'volta-hmma; rows on which rivals fail: length=2 1' out)"
echo "68003c003c000000 3c003c003c000000 00000000 45002001" > here/$f16.txt
refuses "no result of f16" "$f16.txt:1: d: 45002001 is not an f16 result" conform --only silicon/$f16

# ---- lines as every command reads them
write | sed -e '4s/ /, /g' -e '5s/^/0x/; 5s,$, // a comment,' | sed 'G' > here/$name.txt
status "commas, 0x, a comment and empty lines" 0 conform --only $case

# ---- invalid files

# bad WHAT PATTERN COMMAND...: the file is what the command makes of the right one.
bad() {
    what=$1
    pattern=$2
    shift 2
    write | "$@" > here/$name.txt
    refuses "$what" "here/$name.txt:$pattern" conform --only $case
}
bad "no digit" "5: a: code 0 is not a code of e4m3" sed '5s/^3c/3g/'
bad "three words" "5: expected a row 'a b c d'" sed '5s/ 39000000$//'
bad "five words" "5: expected a row 'a b c d'" sed '5s/$/ 0/'
bad "31 codes" "5: a: 62 digits, 2 for a code of e4m3, are no row of hopper-qgmma|5: a: 31 codes" sed '5s/^3c//'
bad "half a code" "5: a: 63 digits, 2 for a code of e4m3, are no row of" sed '5s/^3//'
bad "a short word" "5: d '3900000': expected 8 hexadecimal digits of f32" sed '5s/39000000$/3900000/'
bad "no accumulator" "5: c '0000000x': expected 8 hexadecimal digits of f32" sed '5s/ 00000000 / 0000000x /'
bad "cut off" "4: the file is cut off: its last line does not end" head -c 400
bad "other operands" "1: inputs 'e5m2': expected those of e4m3" sed '1s/E4M3/E5M2/'
bad "other results" "1: result 'fp16': expected that of f32" sed '1s/fp32/fp16/'
bad "another K" "3: a: 32 codes, where the head says K 16" sed '1s/K 32/K 16/'
bad "no rows" "2: no rows" head -n 2
bad "an empty file" "1: no rows" true
rm here/$name.txt
mkdir here/$name.txt
refuses "a folder in its place" "here/$name.txt:1: not a file" conform --only $case
