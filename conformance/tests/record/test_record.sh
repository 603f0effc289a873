# SPDX-License-Identifier: MIT
# test_record.sh -- records as conform replays them: right, wrong, stale, damaged
bin=${softfp8%/*}
make=$bin/softfp8-test-make_record
mend=$bin/softfp8-test-mend_record
name=cuda-device/halfraw_to_fp8/e4m3/satfinite
SOFTFP8_RECORDS=none
export SOFTFP8_RECORDS

replay() { "$softfp8" conform --records "$1" --only 'record/*'; }
list() { "$softfp8" conform --records "$1" --only 'record/*' --list; }

# changed NAME FILE SED: a copy of the record h200 with one of its files changed, in records/NAME.
changed() {
    rm -rf records
    mkdir records
    cp -r one/h200 "records/$1"
    sed -i "$3" "records/$1/$2"
}

mkdir one two
"$make" one/h200 "cuda-device/halfraw*_to_fp*"
"$make" two/h200 "$name"

# ---- what is right

status 'a record is replayed' 0 replay one
same 'the cases' "$(grep -c '^cuda-device/' one/h200/cases.txt)" \
    "$(sed -n 's/^\([0-9]*\) passed.*/\1/p' out)"
status 'a folder that is a record itself' 0 replay one/h200
status 'the list' 0 list one/h200/
same 'its name' "record/h200/$name" "$(cut -d ' ' -f 1 out | grep 'fp8/e4m3/satfinite$' | head -n 1)"
mkdir two/Rubbish two/.hidden
cp one/h200/tables.txt two/.hidden
status 'folders without a record' 0 replay two
cp -r two/h200 two/b100
status 'two records' 0 list two
same 'in order of their names' "record/b100/$name record/h200/$name" \
    "$(cut -d ' ' -f 1 out | tr '\n' ' ' | sed 's/ $//')"
mv one/h200 'one/UPPER'
(cd one/UPPER && list . | cut -d / -f 1-2 | sort -u) > names
same 'what it is called' record/here "$(cat names)"
mv one/UPPER one/h200

# Two records of the same codes are the same, byte for byte.
"$make" again "cuda-device/halfraw*_to_fp*"
for file in cases tables seconds; do
    same_file "$file of the same" one/h200/$file.txt again/$file.txt
done

# ---- the grammar, by the tools of the system

before=
while read -r line; do
    case $line in end\ *) break ;; esac
    text=${line% #*}
    same "the check of ${text%% *}" "${line##* #}" \
        "$(printf '%s\n%s' "$before" "$text" | sha256sum | cut -c 1-8)"
    before=${text%% *}
done < one/h200/cases.txt
last=$(tail -n 1 one/h200/cases.txt)
same 'the digest of the cases' "${last##*sha256=}" \
    "$(head -c -65 one/h200/cases.txt | sha256sum | cut -d ' ' -f 1)"
for file in tables seconds; do
    said=${last##* "$file"=}
    same "the digest of the $file" "${said%% *}" \
        "$(sha256sum < one/h200/$file.txt | cut -d ' ' -f 1)"
done
same 'the name of a table' "$(sed -n '2s/table \([0-9a-f]*\) .*/\1/p' one/h200/tables.txt)" \
    "$(awk 'NR == 2 { sub(/^table [0-9a-f]* /, ""); print; next }
         NR > 2 && /^(table|end)/ { exit }
         NR > 2' one/h200/tables.txt | sha256sum | cut -c 1-16)"

# ---- a chip that computes otherwise

# From 0.96875 (3bc0), halfway to the code below, to 1.0625 (3c40), halfway to the one above, the
# code of 1 is 38.
rm -rf records && mkdir records
"$make" records/chip "$name" alter "$name" 0 3bc0 40
status 'another code' 1 "$softfp8" conform --records records --only 'record/*' --json report
grep -qF '"record/chip/'"$name"'"' report || failed 'another code: the case'
same 'the inputs that differ' 1 "$(grep -c '"differ": *129' report)"
grep -qE '3bc0.*3c40' report || failed 'another code: the range'
status 'the table of it' 1 replay records
grep -q '^0 passed, 1 failed' out || failed 'another code: the count'
"$make" records/chip 'cuda-device/halfraw2_to_fp8x2/e4m3/satfinite' \
    alter cuda-device/halfraw2_to_fp8x2/e4m3/satfinite 1 3bc0 40
status 'another code in the second lane' 1 replay records

# ---- stale

changed h200 cases.txt 's/^source.fp8 .\{8\}/source.fp8 01234567/'
"$mend" records/h200
status 'another source' 1 replay records
grep -q 'the source of its kernel has changed since' out || failed 'another source: the reason'
grep -qE '[1-9][0-9]* stale' out || failed 'another source: the count'

changed h200 cases.txt "s|^$name |cuda-device/nothing |"
sed -i "s|^$name |cuda-device/nothing |" records/h200/seconds.txt
"$mend" records/h200
for form in html json junit; do
    status "a case that is no more, $form" 1 \
        "$softfp8" conform --records records --only 'record/*' --$form -
    grep -q 'the suite has no case cuda-device/nothing' out || failed "no case: the reason, $form"
done
status 'a case that is no more' 1 replay records

# A list of inputs that has changed since.
rm -rf records && mkdir records
"$make" records/set 'cuda-device/float_to_fp4/e2m1/rz'
sed -i 's/^emulated no/emulated yes/; s/inputs=set:\([0-9]*\):.\{8\}/inputs=set:\1:01234567/' \
    records/set/cases.txt
"$mend" records/set
status 'other inputs' 1 replay records
grep -q 'the inputs of the case have changed since' out || failed 'other inputs: the reason'

# A set of inputs where a GPU has to run all of them: accepted from an emulated device only.
rm -rf records && mkdir records
"$make" records/set 'cuda-device/float_to_fp4/e2m1/rz'
sed -i 's/^emulated no/emulated yes/' records/set/cases.txt
"$mend" records/set
status 'a set, emulated' 0 replay records
sed -i 's/^emulated yes/emulated no/' records/set/cases.txt
"$mend" records/set
status 'a set of inputs' 1 replay records
grep -q 'a set of inputs, where the suite asks all' out || failed 'a set of inputs: the reason'

# ---- damage

changed h200 cases.txt '12s/differ=0/differ=1/'
refuses 'a changed line' '^softfp8 conform: records/h200/cases.txt:12: ' replay records
changed h200 tables.txt '5s/.$/g/'
refuses 'a changed row' '^softfp8 conform: records/h200/tables.txt:5: ' replay records
changed h200 seconds.txt '3d'
refuses 'a lost line' '^softfp8 conform: records/h200/seconds.txt:3: ' replay records
changed h200 cases.txt '$d'
refuses 'the end cut off' 'cases.txt:[0-9]+: the file ends' replay records
for file in cases tables seconds; do
    changed h200 cases.txt ''
    rm records/h200/$file.txt
    refuses "no $file" "records/h200/$file.txt:1: cannot be read" replay records
    mkdir records/h200/$file.txt
    refuses "$file a folder" "records/h200/$file.txt:1: not a file" replay records
    rmdir records/h200/$file.txt
    mkfifo records/h200/$file.txt
    refuses "$file a pipe" "records/h200/$file.txt:1: not a file" replay records
    rm records/h200/$file.txt
    : > records/h200/$file.txt
    refuses "$file empty" "records/h200/$file.txt:1: the file ends" replay records
    cp two/h200/$file.txt records/h200/$file.txt
    refuses "the $file of another record" 'records/h200/[a-z]+.txt:[0-9]+: ' replay records
done
changed H200 cases.txt ''
refuses 'a name of a folder' 'records/H200/cases.txt:1: the folder of a record' replay records
changed 'a
b' cases.txt ''
refuses 'a name of two lines' 'cases.txt:1: the folder of a record' replay records
# The number of the tables is that of a hostile file: no memory is allocated for it.
changed h200 tables.txt '2s/rows=[0-9]*/rows=67000000/'
refuses 'rows that are not there' 'tables.txt:2: 67000000 rows' replay records

# ---- where they are

refuses 'no such folder' '^softfp8 conform: --records nowhere: No such file' replay nowhere
refuses 'a file' '^softfp8 conform: --records one/h200/cases.txt: not a folder' \
    replay one/h200/cases.txt
mkdir empty
refuses 'nothing in it' '^softfp8 conform: --records empty: no record in it' replay empty
refuses 'none' "no case 'record/\*'" replay none
SOFTFP8_RECORDS=two
status 'of the environment' 0 "$softfp8" conform --only 'record/*' --list
same 'two of them' 2 "$(wc -l < out)"
SOFTFP8_RECORDS=nowhere
refuses 'a wrong environment' '^softfp8 conform: SOFTFP8_RECORDS nowhere: No such file' \
    "$softfp8" conform --list
unset SOFTFP8_RECORDS
mkdir -p prefix/bin prefix/share/softfp8
cp "$softfp8" prefix/bin
cp -r two prefix/share/softfp8/records
status 'of the installation' 0 prefix/bin/softfp8 conform --only 'record/*' --list
same 'two of them, installed' 2 "$(wc -l < out)"

# A table that is intact, but not the one whose digest was recorded: it proves nothing.
changed other cases.txt "s,^\\(cuda-device/halfraw_to_fp8/e4m3/satfinite .* digest=\\)[0-9a-f]*,\\1$(printf '%064d' 7),"
"$mend" records/other
status 'another digest' 1 replay records
same 'another digest: the case' '1 broken' "$(grep -o '[0-9]* broken' out | tail -n 1)"
tests=$((tests + 1))
grep -q 'has not the digest' out || failed 'another digest: the reason'
