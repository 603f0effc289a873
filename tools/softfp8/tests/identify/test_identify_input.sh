# SPDX-License-Identifier: MIT
# test_identify_input.sh -- identify: CSV and .npy files
. "$source/tools/softfp8/tests/tensors.sh"
run="$softfp8 identify --from f16 --to e4m3"

# ---- CSV ----------------------------------------------------------------------------------------

"$softfp8" gen f16_to_e4m3 -o text
$run text | tail -n +2 > expected
for columns in operands,result,flags operands,result; do
    "$softfp8" gen f16_to_e4m3 --columns $columns --format csv -o file.csv
    status "CSV, $columns" 0 $run file.csv
    sed '/^flags/d; /^input/d' out > got
    grep -v '^flags' expected > wanted
    [ $columns = operands,result,flags ] && same_file "CSV, $columns" wanted got
done
printf '# a comment\n\n"input","code"\n0x3c00,0x38\n0x4000 , 0x40\n' > quoted.csv
status 'names in quotes, blanks' 0 $run quoted.csv
same 'two pairs' 1 "$(grep -c 'f16 to e4m3, 2 inputs$' out)"
printf '\357\273\277A,Result\r\n3c00,38\r\n4000,40\r\n' > marked.csv
status 'a byte order mark, and capitals' 0 $run marked.csv
same 'two pairs after the mark' 1 "$(grep -c 'pairs, f16 to e4m3, 2 inputs$' out)"
printf '# gr\303\266\303\237e\n3c00 38\n' > umlaut
status 'a comment that is not ASCII' 0 $run umlaut
same 'one pair' 1 "$(grep -c 'pairs, f16 to e4m3, 1 input$\|pairs, f16 to e4m3, 1 inputs$' out)"
printf '3c00,38\na,result\n' > late.csv
refuses 'names behind values' "^late.csv:2: 'result': expected a hexadecimal number" $run late.csv
"$softfp8" gen f16_to_e4m3 --round sr --format csv -o random.csv
refuses 'a column of random words' "^random.csv:1: columns 'a random result flags'; expected a,result" \
    $run random.csv

# ---- .npy ---------------------------------------------------------------------------------------

"$softfp8" gen f16_to_e4m3 --format bin --columns result -o codes
{ npy '|u1' '65536,'; cat codes; } > codes.npy
status 'codes of NumPy' 0 $run codes.npy
$run codes | tail -n +2 > wanted
tail -n +2 out > got
same_file 'codes of NumPy' wanted got
{ npy '|V1' '256, 256'; cat codes; } > square.npy
status 'a matrix of the type of ml_dtypes' 0 $run square.npy
{ npy '<f4' '16384,'; cat codes; } > floats.npy
refuses 'values' "^floats.npy: dtype '<f4': expected codes of 1 byte, such as .u1$" $run floats.npy
{ npy '<u2' '32768,'; cat codes; } > wide.npy
refuses 'wide codes' "^wide.npy: dtype '<u2': expected codes of 1 byte, such as .u1$" $run wide.npy
{ npy '|u1' '65535,'; cat codes; } > short.npy
head -c 65663 short.npy > cut.npy
refuses 'too few codes' '^cut.npy: expected 65536 bytes, .* found 65535$' $run cut.npy
"$softfp8" gen f16_to_e4m3 --format npy -o columns.npy
refuses 'columns' '^columns.npy: a .npy file with columns; expected an array of codes' $run columns.npy
