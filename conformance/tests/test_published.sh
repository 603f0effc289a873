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

# ---- damaged files

# bad FILE PATTERN COMMAND...: the file is what the command makes of the right one.
bad() {
    file=$1
    pattern=$2
    shift 2
    rm -f here/*
    "$@" "$folder/$file" > here/$file
    refuses "$file: $pattern" "here/$file:$pattern" conform --only '[mp][ou][db][el][li]*'
}
r=rtx3060-forms.txt
bad $r "1: expected 'softfp8-published 1'" sed '1s/1/2/'
bad $r "2: expected 'hardware TEXT' or 'model TEXT'" sed '2s/hardware/host/'
bad $r "3: the name 'RTX': expected characters a-z 0-9" sed '3s/rtx3060/RTX/'
bad $r "4: expected 'source TEXT'" sed 4d
bad $r "5: the commit '6e.*': expected 40 digits 0-9 a-f" sed '5s/.$//'
bad $r "6: expected 'licence TEXT'" sed 6d
bad $r "7: expected 'measured TEXT'" sed '/^measured/d'
bad $r "9: expected 'case NAME KEY=VALUE...', 'list NAME KEY=VALUE...' or 'end 0'" sed '9s/case/cases/'
bad $r "9: 'by': expected a property KEY=VALUE" sed '9s/by=/by /'
bad $r "9: the property by stands there twice" sed '9s/$/ by=ptx/'
bad $r "9: 'fma/rn': expected a name" sed '9s/fma.rn.f32/fma\/rn/'
bad $r "10: fma.rn.f32 stands there twice" sed '10s/fma.rn.sat.f32/fma.rn.f32/'
bad $r "9: expected words of printable ASCII" sed '9s/ /  /'
bad $r "9: expected words of printable ASCII" sed '9s/$/ /'
bad $r "9: fma.rn.f32: expected by=mma, ptx, call or quantize" sed '9s/by=ptx/by=px/'
bad $r "9: hash=f3: expected 16 digits 0-9 a-f" sed '9s/hash=.*/hash=f3/'
bad $r "9: fma.rn.f32: expected a property hash=" sed '9s/ hash=.*//'
bad $r "9: fma.rn.f32 has no property lanes" sed '9s/$/ lanes=2/'
bad $r "9: fma.rn.f32: by=ptx has no rows" sed '9s/$/ rows=1\nff/'
bad $r "9: fma.rq.f32: expected an instruction of PTX" sed '9s/fma.rn/fma.rq/'
bad $r "51: expected 'end 42'" sed 's/^end 42/end 41/'
bad $r "50: expected 'end 41'" sed 9d
bad $r "51: the file ends without 'end 42'" sed '$d'
bad $r "51: text behind the end" sed '$s/$/\nend 42/'
bad $r "50: the file is cut off" head -c 2560
bad $r "1: expected 'softfp8-published 1'" sed '1,$d'
v=vixl.txt
bad $v "11: f16: expected words of 4 digits" sed '11s/^..../000/'
bad $v "10: f16: expected a property words=" sed '10s/ words=38//'
bad $v "10: f16 has no property nan" sed '10s/$/ nan=any/'
bad $v "[0-9]*: rows=0: expected a number from 1 to 999999" sed '10s/rows=2/rows=0/'
bad $v "12: f16: 37 words: expected 38" sed '12s/.....$//'
bad $v "11: f16: more than 19 words|12: f16: more than 19 words" sed '10s/words=38/words=19/'
bad $v "[0-9]*: call=f16_ad: expected a function" sed 's/call=f16_add/call=f16_ad/'
bad $v "[0-9]*: policy=ocpn: expected the name of a policy" sed 's/^\(case f16-fadd .*\)policy=ocp-nosat/\1policy=ocpn/'
bad $v "[0-9]*: inputs: no list f17" sed 's/^\(case f16-fadd .*\)inputs=f16,f16/\1inputs=f16,f17/'
bad $v "[0-9]*: type=f32: f16_mulAdd takes another operand" sed '10s/type=f16/type=f32/'
bad $v "[0-9]*: inputs: expected 2 lists" sed 's/^\(case f16-fadd .*\)inputs=f16,f16/\1inputs=f16/'
bad $v "[0-9]*: results=1443: the lists of inputs make 1444" sed 's/^\(case f16-fadd .*\)results=1444/\1results=1443/'
bad $v "[0-9]*: f16-fadd has no property flush" sed 's/^\(case f16-fadd .*\)nan=any/\1flush=all/'
bad $v "[0-9]*: nan=all: expected any" sed 's/^\(case f16-fadd .*\)nan=any/\1nan=all/'
bad $v "[0-9]*: negate: expected operands from 1 to 3" sed 's/^\(case f16-fmsub .*\)negate=1/\1negate=4/'
bad cvw.txt "9: word 2: expected 4 digits 0-9 a-f" sed '9s/ .... / 123 /'
bad cvw.txt "9: word 4: expected 2 digits 0-9 a-f|9: word 3: expected 4 digits" sed '9s/ ..$//'
q=rtx5080.txt
bad $q "[0-9]*: recipes: no recipe nvfp5" sed 's/nvfp4-te/nvfp5/'
bad $q "[0-9]*: g=3: expected 0.5, 1 or 2" sed 's/g=2/g=3/'
bad $q "[0-9]*: layout=64x4: expected a layout" sed 's/128x4/64x4/'
bad $q "[0-9]*: width=65: expected a multiple of 16" sed 's/width=64/width=65/'
bad $q "[0-9]*: height=9999: expected a number from 1 to 4096" sed 's/height=128/height=9999/'
h=v100.txt
bad $h "11: a: code 0 is not a code of f16" sed '11s/^..../xyz0/'
bad $h "10: no set v100-fp17-fp32" sed '10s/fp16-fp32/fp17-fp32/'
bad $h "11: expected a row 'a b c d'" sed '11s/ [^ ]*$//'
bad $h "[0-9]*: fp16-fp32: expected a property digest=" sed '10s/digest=[^ ]* //'
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
