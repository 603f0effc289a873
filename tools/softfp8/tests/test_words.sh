# SPDX-License-Identifier: MIT
# test_words.sh -- lines of words are read in one way by every command
#
# A plain file is dressed up: words with 0x and without, commas, tabs and blanks, comments of both
# kinds. Each command gives the same for both.

# dressed FILE: the words of its lines, otherwise written.
dressed() {
    awk 'BEGIN { print "# a comment"; print "  // another, with a comma"; print "" }
    {
        line = NR % 2 ? "" : "\t"
        for (i = 1; i <= NF; i++) {
            is_word = $i ~ /^[0-9A-Fa-f]+$/
            between = NR % 3 == 0 ? "," : NR % 3 == 1 ? " , " : "\t "
            line = line (i == 1 || $(i - 1) == "|" || $i == "|" ? " " : between) \
                   (is_word && (NR + i) % 2 ? (NR % 5 ? "0x" : "0X") $i : $i)
        }
        print line (NR % 4 == 0 ? " # 38 38" : NR % 4 == 1 ? "// 38" : NR % 4 == 2 ? "," : "")
        if (NR % 7 == 0) print "# 38 38 38"
    }
    END { print "//" }' "$1"
}

# both WHAT COMMAND...: plain.txt and dressed.txt, as standard input, give the same but for the
# numbers of lines.
both() {
    what=$1
    shift
    dressed plain.txt > dressed.txt
    for kind in plain dressed; do
        got=0
        "$@" < $kind.txt > out 2> $kind.err || got=$?
        sed 's/line [0-9]*/line N/' out > $kind.out
        echo "status $got" >> $kind.out
    done
    same_file "$what" plain.out dressed.out
    same "$what: it is read" 0 "$(grep -c '^status 2' plain.out)"
}

# some FUNCTION [OPTION...]: each 331st case.
some() { "$softfp8" gen "$@" 2> err | awk 'NR % 331 == 1'; }

some f16_to_e4m3 | cut -d ' ' -f 1 > plain.txt
both 'convert' "$softfp8" convert --from f16 --to e4m3
both 'expand --words' sh -c 'f=$(mktemp); cat > "$f"; "$1" gen f16_to_e4m3 --steps | "$1" expand --words "$f" -; rm "$f"' sh "$softfp8"
sed 's/$/ 12345678/' plain.txt > random.txt
mv random.txt plain.txt
both 'convert --round sr' "$softfp8" convert --from f16 --to e4m3 --round sr
"$softfp8" convert --from f16 --to e4m3 --round sr plain.txt > codes
cut -d ' ' -f 1 plain.txt | awk '{ printf "%s %04x\n", $0, NR * 257 }' > random.txt
paste -d ' ' random.txt codes > plain.txt
both 'identify --stochastic' "$softfp8" identify --stochastic --from f16 --to e4m3 -
printf '%s\n' 1 -0.5 1e3 inf 0x1.8p3 > plain.txt
printf '%s\n' '# numbers' '1 // one' ' -0.5,' '1e3# a thousand' '' 'inf' '	0x1.8p3' > dressed
for file in plain.txt dressed; do
    "$softfp8" convert --as-numbers --to e4m3 $file > $file.codes || failed "--as-numbers $file"
done
same_file 'convert --as-numbers' plain.txt.codes dressed.codes
same 'numbers keep their 0x' '38b07e7e54' "$(tr -d '\n' < dressed.codes)"

some e4m3_mul > plain.txt
both 'ver' "$softfp8" ver -partial e4m3_mul
both 'identify --function' "$softfp8" identify --function e4m3_mul -
awk 'NR % 3 == 0 { $3 = "xZ" } 1' plain.txt > unknown
mv unknown plain.txt
both 'ver, with x' "$softfp8" ver -partial e4m3_mul
cut -d ' ' -f 1,2 plain.txt > operands
mv operands plain.txt
both 'gen --operands' "$softfp8" gen e4m3_mul --operands -
some e4m3_mul --columns operands,result > plain.txt
both 'ver without flags' "$softfp8" ver -partial --columns operands,result e4m3_mul
some f16_to_e4m3 > plain.txt
both 'identify, with flags' "$softfp8" identify --from f16 --to e4m3 -
cut -d ' ' -f 1,2 plain.txt > pairs
mv pairs plain.txt
both 'identify, pairs' "$softfp8" identify --from f16 --to e4m3 -
"$softfp8" gen e4m3_to_e5m2 --columns result > plain.txt
both 'identify, words' "$softfp8" identify --from e4m3 --to e5m2 -

ones=$(printf '38%.0s' $(seq 32))
printf '%s\n' "$ones $ones 3f800000" "$ones $(printf '%064d' 0) 00000000" "$ones $ones 40490fdb" > plain.txt
mma='mma --unit hopper-qgmma --in e4m3 --result f32'
both 'mma' "$softfp8" $mma
"$softfp8" $mma plain.txt | paste -d ' ' plain.txt - > results
mv results plain.txt
both 'mma --diagnose' "$softfp8" $mma --diagnose
nibbles=$(printf '2%.0s' $(seq 64))
printf '%s\n' "$nibbles $nibbles 38383838 38383838 3f800000" > plain.txt
both 'mma with scales' "$softfp8" mma --unit sm120-mxf4nvf4 --in e2m1 --result f32
printf '%s\n' '00000000 3f800000 | 00000000 40400000' '3f800000 3f800000 | 00000000 40400000' > plain.txt
both 'attend --merge' "$softfp8" attend --merge --rule vllm

# The example of two commands that took one file differently.
printf '0x38 0x38 0x38\n' > one
status 'identify --function' 0 "$softfp8" identify --function e4m3_mul one
status 'ver' 0 "$softfp8" ver -partial --columns operands,result e4m3_mul one

# What is wrong is named with its place, in each.
printf '# a comment\n38, 0x3g\n' > wrong
for command in 'ver --columns operands,result e5m2_to_e4m3' 'identify --from e5m2 --to e4m3 --input pairs' \
    'identify --function e4m3_sqrt'; do
    refuses "$command" "wrong:2: .*3g'" "$softfp8" $command wrong
done
refuses 'convert' "wrong:2: '0x3g?'?|wrong:2: '0x3g': expected the end of the line" "$softfp8" convert --from e4m3 --to e5m2 wrong
refuses 'mma' "wrong:2: row '38, 0x3g': expected 'a b c'" "$softfp8" $mma wrong
refuses 'attend --merge' "wrong:2: '38': expected an lse of 8 hexadecimal digits" "$softfp8" attend --merge --rule vllm wrong
