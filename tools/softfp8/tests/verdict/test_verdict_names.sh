# SPDX-License-Identifier: MIT
# test_verdict_names.sh -- file names that would move the cursor, clear the screen, turn the text
# around, or add a line of their own: on a terminal they are shown with '?' in such places
. "$source/tools/softfp8/tests/tensors.sh"

# ESC [2J; CSI as one character of Latin-1 and of Unicode; right to left; a line that lies
evil=$(printf 'a\033[2J\302\2331m\342\200\256b\342\201\246\302\205\233c\nok 1')
# clean WHAT: out and err have no such byte, and no line of the name's own.
clean() {
    tests=$((tests + 1))
    if cat out err | LC_ALL=C grep -qE "$(printf '\033|\302[\200-\237]|\342\200\256|\342\201\246|\233c|^ok 1')"; then
        failed "$1: raw characters"
        cat -v out err | head -n 5
    fi
}
# shown WHAT EXPECTED COMMAND...: its status; the name is there, and is clean.
shown() {
    what=$1
    status "$@"
    clean "$what"
    tests=$((tests + 1))
    cat out err | grep -q 'a?\[2J?1m?b?' || failed "$what: the name is not shown"
}

{ npy '<f4' '1, 16'; words "$golden"; } > w.npy
$quantize --recipe nvfp4-te --global-scale 448 --codes codes --scales scales w.npy > /dev/null 2>&1
for end in npy codes scales; do
    if [ $end = npy ]; then cp w.npy "$evil.npy"; else cp $end "$evil.$end"; fi
done
awk 'BEGIN { for (i = 0; i < 64; i++) printf "%08x %02x\n", 1065353216 + i * 65536, 56 + i / 16 }' > "$evil.txt"
echo '38 38 40' > "$evil.mul"
tensors "$evil" "{$(entry l.weight F8_E4M3 1,1 0 1),$(entry l.weight_scale F32 '' 1 5)}" "7f 00 00 80 3f"

# ---- on standard output
shown "identify" 0 "$softfp8" identify --from f32 --to e4m3 "$evil.txt"
shown "identify --function" 1 "$softfp8" identify --function e4m3_mul "$evil.mul"
shown "kv doctor" 0 "$softfp8" kv doctor "$evil.npy"
shown "checkpoint" 1 "$softfp8" checkpoint "$evil"

# ---- in messages
shown "convert" 2 "$softfp8" convert --from e4m3 --to f32 "$evil.txt"
shown "dequantize" 2 "$softfp8" dequantize "$evil.txt"
shown "layout identify" 2 "$softfp8" layout identify --recipe nvfp4-te --global-scale 448 --codes "$evil.txt" --scales "$evil.scales" --expected "$evil.npy"
shown "an output" 2 "$softfp8" kv doctor --json "$evil.npy" "$evil.npy"
shown "an option" 2 "$softfp8" kv doctor "--$evil" w.npy
status "names of tensors" 2 "$softfp8" checkpoint --tensor "$evil" -o x.npy "$evil"
clean "names of tensors"
tensors names "{$(entry 'e\u009b\u202e\u2067s.weight' F8_E4M3 1,1 0 1),$(entry 'e\u009b\u202e\u2067s.weight_scale' F32 '' 1 5)}" "7f 00 00 80 3f"
status "names in a file" 1 "$softfp8" checkpoint names
same "are shown" "  e???s: NaN codes: 1" "$(grep '^  e' out)"

# ---- other letters stay
for name in 'ä日本-é' '😀' 'नमस्ते'; do
    cp w.npy "$name"
    status "$name" 0 "$softfp8" kv doctor "$name"
    same "as it is" "tensor $name" "$(grep '^tensor' out | xargs)"
done
# bytes that are no UTF-8: a zero in two bytes, a character cut off
for name in "$(printf 'a\300\200b')" "$(printf 'a\343\201')"; do
    cp w.npy "$name"
    status "no UTF-8" 0 "$softfp8" kv doctor "$name"
    same "no such byte" 0 "$(LC_ALL=C grep -c "$(printf '[\200-\377]')" out)"
done
