# SPDX-License-Identifier: MIT
# test_readme.sh -- README.md shows what the command does

# ---- explain: the lines that are shown begin what it prints
sed -n '/^    \$ build\/bin\/softfp8 explain/,/^    \.\.\.$/p' "$source/README.md" | sed 's/^    //' > block
line=$(sed -n '1s/^\$ build\/bin\/softfp8 //p' block)
same "the line of explain" "explain --to e4m3 500 464 200 nan -0 1e-3" "$line"
sed '1d;$d' block > shown
# shellcheck disable=SC2086
"$softfp8" $line | head -n "$(wc -l < shown)" > printed
same_file "what explain prints" printed shown

# ---- the other lines run
same "convert" 7e "$(echo 43fa0000 | "$softfp8" convert --from f32 --to e4m3)"
for command in "table e2m1" formats policies "policies cuda-nosat" "policies --for e4m3" recipes \
    "explain --recipe nvfp4-te --g 448 6 2.5 -1"; do
    # shellcheck disable=SC2086
    status "$command" 0 "$softfp8" $command
done
same "gen and ver" \
    "In 65536 tests, no errors found in e4m3_mul, rounding near_even, tininess after rounding, policy ocp." \
    "$("$softfp8" gen e4m3_mul | "$softfp8" ver e4m3_mul)"
size=$("$softfp8" gen f32_to_e4m3 --steps | wc -c)
same "12 KB" 12 $((size / 1000))
"$softfp8" gen f16_to_e4m3 --policy cuda-nosat --format bin --columns result > codes.bin
status "identify" 0 "$softfp8" identify --from f16 --to e4m3 codes.bin
same "names it" 1 "$(grep -c 'cuda-nosat' out)"
{
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }"
    printf '\000\074\000\100'
} > w.npy
status "quantize" 0 "$softfp8" quantize --recipe nvfp4-te --g auto -o w.q w.npy
status "dequantize" 0 "$softfp8" dequantize -o back.npy w.q
same "1 2" "1 2" "$("$softfp8" dequantize w.q)"
for command in 'quantize --recipe nvfp4-te --g auto -o w.q w.npy' 'dequantize -o back.npy w.q' \
    'explain --recipe nvfp4-te --g 448 6 2.5 -1' 'convert --from f32 --to e4m3' 'gen e4m3_mul | softfp8 ver e4m3_mul' \
    'gen f32_to_e4m3 --steps' 'identify --from f16 --to e4m3 codes.bin' \
    'gen f16_to_e4m3 --policy cuda-nosat --format bin --columns result'; do
    same "README.md has it: $command" 1 "$(grep -c -F "softfp8 $command" "$source/README.md")"
done
