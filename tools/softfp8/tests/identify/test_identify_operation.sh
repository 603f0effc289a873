# SPDX-License-Identifier: MIT
# test_identify_operation.sh -- softfp8 identify --function: which policy an operation follows
identify="$softfp8 identify"

# first: the first rule that explains all.
first() { sed -n '/^explained by$/{n;s/^  \([0-9]*\) of \1  //p;}' out; }

# 1.125 * 1.5 is the tie of 3d and 3e; 1.125 * 1.125 = 1.265625 lies between 3a = 1.25 and 3b; 448 *
# 2 overflows
for known in "rne 3e 3a 7e" "rz 3d 3a 7e" "ru 3e 3b 7e" "rna 3e 3a 7e"; do
    # Words.
    # shellcheck disable=SC2086
    set -- $known
    printf '39 3c %s\n39 39 %s\n7e 40 %s\n' $2 $3 $4 > rows
    status "$known" 0 $identify --function e4m3_mul rows
    same "$1 is among them" 1 "$(grep -c "^  3 of 3  ocp, $1$" out)"
done
same "what cannot be is not" 0 "$(grep -c 'ocp-nosat\|, rz\|, ru' out)"

# All pairs, of each rounding and of policies; the flags decide where codes do not.
for rule in "ocp rne" "ocp rd" "ocp ro" "ocp rnz" "ocp-nosat rne"; do
    "$softfp8" gen e4m3_mul --policy "${rule% *}" --round "${rule#* }" > rows
    status "$rule" 0 $identify --function e4m3_mul rows
    same "$rule first" "${rule% *}, ${rule#* }" "$(first)"
done
"$softfp8" gen e4m3_mul -tininessbefore > rows
status "tininess" 0 $identify --function e4m3_mul rows
same "the flags decide" "arm-sat, rne" "$(first)"
same "where they do not" 1 "$(grep -c '^  65536 of 65536  ocp, rne; the flags differ in [0-9]*$' out)"
"$softfp8" gen e4m3_add --set flush=both > rows
status "a field" 0 $identify --function e4m3_add rows
same "it is named" "ocp, rne, with flush=both" "$(first)"
"$softfp8" gen e4m3_to_i8 --round ru > rows
status "integers" 0 $identify --function e4m3_to_i8 rows
same "their rounding" "ocp, ru" "$(first)"
"$softfp8" gen e2m1_mulAdd --round rz --columns operands,result > rows
status "three operands" 0 $identify --function e2m1_fma rows
same "rz" 1 "$(grep -c ' ocp, rz$' out)"
"$softfp8" gen e4m3_mul | sed 's/^39 3C 3E/39 3C 3D/' > rows
status "one that is wrong" 1 $identify --function e4m3_mul rows
same "the best" 1 "$(grep -c '^  65535 of 65536  ocp, rne$' out)"
same "which it is" "line 14653 gives 3d, not 3e" "$(sed -n 's/^  \(line .*\)/\1/p' out)"
# Few policies round like this one, so that there is room for changes of it.
"$softfp8" gen e4m3_mul --policy torch-2.12 --columns operands,result | sed 's/^39 3C 3E/39 3C 3D/' > rows
status "one that is wrong, of fewer policies" 1 $identify --function e4m3_mul rows
same "changes that give no more are left out" 0 "$(grep -c '65535 of 65536 .*, \(with\|computed\) ' out)"

# 0.029296875 + 0.5625 = 0.591796875 lies below 0.59375, the middle of 31 and 32. In bf16 it is a tie
# and becomes that middle, which then goes to the even code 32. No single rounding gives all three.
printf '0f 31 32\n8f b1 b2\n0f b1 b0\n38 38 40\n' > rows
status "computed in bf16" 0 $identify --function e4m3_add rows
same "it is named" "ocp, rne, computed in bf16 and rounded again" "$(first)"
same "no other width is" 0 "$(grep -c 'computed in f' out)"
# 2^24 + 2^16 + 1 lies above the middle of 4b80 and 4b81. In f32 it is a tie and becomes that middle.
# 2^24 + 3 * 2^16 - 1 lies below the middle of 4b81 and 4b82, and becomes it, too.
printf '01010001 4b80\n0102ffff 4b82\n' > rows
status "an integer by f32" 0 $identify --function i32_to_bf16 rows
same "f32 is named" "ocp, rne, computed in f32 and rounded again" "$(first)"
# NaN with the other sign than the operand's, both ways; then a wrong number, too
printf '7f 38 ff\nff 38 7f\n38 38 40\n' > rows
status "signs of NaN" 1 $identify --function e4m3_add rows
same "only NaN" 1 "$(grep -c '^all of these are NaN, as they should be: only the code of NaN differs$' out)"
printf '38 38 41\n38 40 41\n' >> rows
status "signs of NaN, and a number" 1 $identify --function e4m3_add rows
lacks "not all are NaN" 'all of these are NaN' out
same "some are" 1 "$(grep -c '^in [12] of these both codes are NaN$' out)"

refuses "a conversion" "a conversion; give its formats by --from and --to" $identify --function f16_to_e4m3 rows
refuses "no function" "no function 'e4m3_mull'" $identify --function e4m3_mull rows
refuses "with --from" "--function excludes the other options" $identify --function e4m3_mul --from e4m3 rows
echo '39 3c' > short
refuses "no result" "short:1: 2 words; expected 2 operands, the result" $identify --function e4m3_mul short
printf '39 3c 3e 01\n39 3c 3e\n' > mixed
refuses "flags in one line" "mixed:2: 3 words; expected 2 operands" $identify --function e4m3_mul mixed
echo '39 3c 3e 41' > flags
refuses "no flags" "flags:1: flags '41'" $identify --function e4m3_mul flags
: > empty
refuses "nothing" "empty: no lines" $identify --function e4m3_mul empty
