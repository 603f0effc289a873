# SPDX-License-Identifier: MIT
# test_readme.sh -- README.md shows what the command does: each of its commands is run, and what it shows is printed
. "$source/tools/softfp8/tests/tensors.sh"

# ---- what its commands read: the eight values of the chain; two numbers; blocks whose scales are linear
{ npy "<f4" "1, 8"; words 4174cccd 4195999a 4141999a 419c0000 41866666 41a00000 41633333 418f3333; } > k.npy
{ npy "<f2" "2,"; words 3c00 4000; } > w.npy
mkdir layout
{ npy "<f4" "32, 128"; words $(awk 'BEGIN { for (i = 0; i < 4096; i++) printf "%04x0000 ", 15616 + 128 * (i % 7) + i * 37 % 128 + 128 * int(i / 32) % 1024 }'); } > layout/w.npy
"$softfp8" quantize --recipe mxfp4-floor --codes layout/c.bin --scales layout/s.bin layout/w.npy 2> /dev/null

# ---- shown output: the lines behind "$ COMMAND", of which "..." stands for any, come in this order
sed -n '/^    /s/^    //p' "$source/README.md" > block
grep '^\$ build/bin/softfp8 ' block | sed 's/^\$ build\/bin\/softfp8 //; s/   *.*//' > commands
same "commands with their output" "explain --to e4m3 500 464 200 nan -0 1e-3
kv chain
kv doctor --scale 0.025 k.npy" "$(cat commands)"
while read -r command; do
    # shellcheck disable=SC2086
    "$softfp8" $command > printed
    awk -v first="\$ build/bin/softfp8 $command" '
        index($0, first) == 1 { shows = 1; next }
        /^\$ / || /^export / || /^[a-z]* / && shows && /softfp8/ { shows = 0 }
        shows' block > shown
    tests=$((tests + 1))
    awk 'NR == FNR { line[++n] = $0; next }
        $0 == "..." || $0 == "" { next }
        { while (++at <= n && line[at] != $0) { } if (at > n) { print "not printed: " $0; exit 1 } }' printed shown ||
        failed "what $command prints"
    tests=$((tests + 1))
    [ "$(grep -vc '^\.\.\.$' shown)" -ge 4 ] || failed "too little is shown of $command"
done < commands

# ---- the lines without: all of them, up to the two blanks before what is said of them
sed -n '/^    export PATH=/,/^$/p' "$source/README.md" | sed '1d; $d; s/^    //; s/   *.*//' > commands
tests=$((tests + 1))
[ "$(wc -l < commands)" -ge 12 ] || failed "only $(wc -l < commands) commands"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$softfp8" > softfp8
chmod +x softfp8
PATH=$PWD:$PATH
while read -r command; do
    folder=.
    case $command in *layout*) folder=layout ;; esac
    status "$command" 0 sh -c "cd $folder && $command"
    case $command in
    *convert*) same "convert" 7e "$(cat out)" ;;
    *" ver "*) same "gen and ver" \
        "In 65536 tests, no errors found in e4m3_mul, rounding near_even, tininess after rounding, policy ocp." "$(cat out)" ;;
    *identify\ --from*) same "names it" 1 "$(grep -c cuda-nosat out)" ;;
    *quantize*) same "1 2" "1 2" "$("$softfp8" dequantize w.q)" ;;
    *layout*) same "as it is believed" explained: "$(head -n 1 out | cut -d ' ' -f 1)" ;;
    *"mma --unit"*) same "a word" 1 "$(wc -l < out | tr -d ' ')" ;;
    *"kv bytes"*) same "bf16" 327680 "$(sed -n 's/^bf16 *\([0-9]*\) .*/\1/p' out)" ;;
    *conform*) same "8 links" 1 "$(grep -c '^8 passed, 0 failed, 0 known, [0-9]* not run$' out)" ;;
    esac
done < commands

# ---- two screens
tests=$((tests + 1))
[ "$(wc -l < "$source/README.md")" -le 102 ] || failed "README.md has $(wc -l < "$source/README.md") lines"

# ---- the program in C, where the library that was built can be linked by cc as it is
sed -n '/^```c$/,/^```$/p' "$source/README.md" | sed '1d; $d' > example.c
library=${softfp8%/bin/*}/lib/libsoftfp8.a
if cc -I "$source/lib/include" -I "$source/lib/core" example.c "$library" -lm -o example 2> /dev/null; then
    same "the example" "7e = 448, 7f flags 05" "$(./example)"
    same "says so" 1 "$(grep -c '# 7e = 448, 7f flags 05$' "$source/README.md")"
else
    echo "not run: the example in C: cc does not link this library"
fi
