# SPDX-License-Identifier: MIT
# test_published.sh -- the cases published/* and models/*: all of them, wrong results, damaged files
folder=$source/conformance/records/published
unset SOFTFP8_PUBLISHED SOFTFP8_SILICON
conform() { SOFTFP8_PUBLISHED=$PWD/here "$softfp8" conform "$@"; }
# count FILE...: the number of cases in files.
count() { cat "$@" | grep -c '^case ' | tr -d ' '; }
files() { grep -l "^$1 " "$folder"/*.txt; }

# ---- all of them, from the folder of the sources
status "hardware" 0 "$softfp8" conform --only 'published/*' --json report.json
same "all passed" "$(count $(files hardware)) passed, 0 failed, 0 known, 0 skipped" "$(tail -n 1 out)"
same "each says what it is from" "$(count $(files hardware))" \
    "$(grep -c '"place": "published".*"origin": ".*; https://github.com/.* at [0-9a-f]' report.json)"
status "models" 0 "$softfp8" conform --only 'models/*'
same "all passed" "$(count $(files model)) passed, 0 failed, 0 known, 0 skipped" "$(tail -n 1 out)"
status "both" 0 "$softfp8" conform --only '[mp][ou][db][el][li]*/[crz]*/*' --json report.json --html page.html
same "the kinds of evidence" "replayed from hardware of others $(count "$folder"/rtx*.txt)
replayed from models of others $(count "$folder"/[cz]*.txt)
skipped 0" "$(sed -n '/^evidence /,/^$/p' out | sed '1d; /^$/d; s/  */ /g; s/ [0-9,]*$//; s/ skipped$/&/' |
        sed 's/^skipped$/skipped 0/')"
same "3 MiB at most" 1 "$(cat "$folder"/* | wc -c | awk '{ print $1 < 3 * 1024 * 1024 }')"
for file in "$folder"/*.txt; do
    name=$(basename "$file")
    same "README: $name" "$(count "$file")" "$(sed -n "s/^| \[\{0,1\}\`\{0,1\}$name.*| \([0-9]*\) |\$/\1/p" "$folder/README.md")"
    same "README: the commit of $name" 1 \
        "$(grep "$name" "$folder/README.md" | grep -c "$(sed -n 's/^commit \(............\).*/\1/p' "$file")")"
done

# ---- a folder that is not there
mkdir here
status "no files" 3 conform --only 'published/*'
same "it is said" 1 "$(grep -c "^skipped: published, 1 case: no published results in $PWD/here" out)"

# ---- one result changed: plant FILE CASE COMMAND... makes a file of its own in the folder
plant() {
    file=$1
    case=$2
    shift 2
    rm -f here/*
    "$@" "$folder/$file" > here/$file
    status "planted: $case" 1 conform --only "$case"
    same "it failed: $case" "0 passed, 1 failed, 0 known, 0 skipped" "$(tail -n 1 out)"
}
plant h100.txt published/h100/e4m3-fp32-wgmma \
    sed '/^case e4m3-fp32-wgmma /{n;s/......$/123400/;}'
same "the row" 1 "$(grep -c 'line [0-9]*: the GPU gave ..123400, not ........$' out)"
same "rules that explain it were looked for" 1 "$(grep -c 'explained: ' out)"
same "where it is from" 1 "$(grep -c 'recorded on: NVIDIA H100; https://github.com/north-num' out)"
plant rtx3060-half.txt published/rtx3060/cvt.rn.f16.f32 sed '/^case cvt.rn.f16.f32 /s/hash=./hash=0/'
same "both hashes" 1 "$(grep -c "is 7b7844bb74f9b1bc, the hardware's 0b7844bb74f9b1bc" out)"
plant vixl.txt published/vixl/f16-fadd sed '/^case f16-fadd /{n;s/^0000 0400/0000 0401/;}'
same "the operands" 1 "$(grep -c 'f16_add of 0000 0400: published was 0401, not 0400' out)"
plant vixl.txt published/vixl/f16-fmadd sed '/^case f16-fmadd /s/digest=./digest=g/'
same "results that are not in the file" 1 \
    "$(grep -c 'the digest of all 54872 does, the first 608 are equal' out)"
plant rtx5080.txt published/rtx5080/nvfp4-2 sed '/^case nvfp4-2 /s/scales=./scales=0/'
same "the recipe" 1 "$(grep -c 'the digest of the scales of nvfp4-flashinfer is c0a97b' out)"
plant cvw.txt models/cvw/add-rz sed '/^case add-rz /{n;s/ ..$/ 1f/;}'
same "flags" 1 "$(grep -c 'f16_add of .*: published was 001f, not 00' out)"

# ---- a set without the rows against a rival
rm -f here/*
awk '/^case / && seen == 0 { sub(/rows=[0-9]*/, "rows=1"); print; getline; print; skip = 1; seen = 1; next }
    /^case |^end / { skip = 0 } !skip' "$folder/v100.txt" > here/v100.txt
status "one row" 1 conform --only 'published/v100/fp16-fp32'
same "a rival is not ruled out" 1 "$(grep -c 'its 1 rows do not rule out the rival' out)"

# ---- what is no file of results

r=rtx3060-forms.txt
q=rtx5080.txt
rm -f here/*
i=0
while [ $i -lt 65 ]; do
    cp "$folder/mi355x.txt" here/$i.txt
    i=$((i + 1))
done
refuses "65 files" "here/[0-9]*.txt:1: expected at most 64 files" conform --only 'published/*'
rm -f here/*
mkdir here/$r
refuses "a folder in place of a file" "here/$r:1: not a file of at most" \
    conform --only 'published/*'
rmdir here/$r
echo "not read" > here/notes.md
cp "$folder/$q" here/
status "other files are not read" 0 conform --only 'published/*'
same "3 cases" "3 passed, 0 failed, 0 known, 0 skipped" "$(tail -n 1 out)"
