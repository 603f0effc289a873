# SPDX-License-Identifier: MIT
# test_kernel_cost.sh -- tools/kernel-cost: paths through machine code written by hand
#
# A loop at 0010 loads 16 bytes by one instruction or, from 0060 on, by two of 8 bytes. It calls a
# slow division in a case that is left out. Its inner loop at 00d0 stores 4
# bytes and runs as often as the table of kernels says. The iteration has 24 instructions: 5 up to
# the branch at 0050, a load and 2 more, 3 in the inner loop, 12 sums, a branch. That is 6 clocks
# for (16 + 4) * 32 bytes, or 106.7 a clock.
command -v python3 > /dev/null || skip "no python3"
cost() { "$source/tools/kernel-cost" --tables . "$@"; }

code() {
    cat << 'END'
		Function : _ZN4shim5warpsIN4cost6row_0_EEEvT_
        /*0000*/                   MOV R1, c[0x0][0x28] ;                  /* 0x00000a00ff017b82 */
        /*0010*/                   IADD3 R2, R2, 0x1, RZ ;
        /*0020*/                   ISETP.NE.AND P0, PT, R3, RZ, PT ;
        /*0030*/              @P1  BRA 0x420 ;
        /*0040*/                   IMAD R4, R2, 0x10, R5 ;
        /*0050*/             @!P0  BRA 0x90 ;
        /*0060*/                   LDG.E.64 R8, desc[UR4][R4.64] ;
        /*0070*/                   LDG.E.64 R10, desc[UR4][R4.64+0x8] ;
        /*0080*/                   BRA 0xa0 ;
        /*0090*/                   LDG.E.128 R8, desc[UR4][R4.64] ;
        /*00a0*/                   FMUL R8, R8, R12 ;
        /*00b0*/                   F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R8, R8, R9, RZ ;
        /*00d0*/                   VIADD R6, R6, 0x4 ;
        /*00e0*/                   STG.E desc[UR4][R6.64], R8 ;
        /*00f0*/              @P2  BRA 0xd0 ;
END
    i=$((0x100))
    while [ "$i" -lt $((0x100 + 16 * 12)) ]; do
        printf '        /*%04x*/   FADD R8, R8, R9 ;\n' "$i"
        i=$((i + 16))
    done
    printf '        /*0400*/              @P3  BRA 0x10 ;\n        /*0410*/    EXIT ;\n'
    printf '        /*0420*/    CALL.REL.NOINC 0x500 ;\n        /*0430*/    BRA 0x40 ;\n'
}

code > sass
printf ' Function _ZN4shim5warpsIN4cost6row_0_EEEvT_:\n  REG:40 SHARED:1024 LOCAL:0\n' > usage
echo 'load | warps any | 20 | G16 1, G4 1 | STG 1 | 0 | 26 | 50 2.3' > rows.txt

status "the table" 0 cost
same "what is counted" "load 24 13 1 3 0 1 2 0 0 0 4 0 640 106.7 106.7 issue 26 40 0 6" \
    "$(sed -n 's/  */ /g; s/ $//; 2p' out)"
status "the page" 0 cost --markdown
same "a line of it" "| load | 24 | 640 | 106.7 | issue | 26 | 5.0 | 40 | 6 |" "$(tail -n 1 out)"
status "the instructions" 0 cost --code
same "the wide load alone" "90" "$(sed -n 's/^ *\([0-9a-f]*\) .*LDG.*/\1/p' out)"
lacks "no slow division" CALL out

# Stores: 16 bytes a lane by four iterations of the inner loop.
echo 'load | warps any | 32 | G16 1, G4 4 | STG 4 | 0 | - | -' > rows.txt
status "four iterations" 0 cost --code
same "of three instructions" 33 "$(grep -c '^ ' out)"
echo 'load | warps any | 32 | G16 0, G4 4 | STG 4 | 0 | - | -' > rows.txt
status "no wide load" 0 cost --code
same "two others" "60 70" "$(sed -n 's/^ *\([0-9a-f]*\) .*LDG.*/\1/p' out | paste -sd ' ' -)"
echo 'load | warps any | 32 | G16 2 | STG 4 | 0 | - | -' > rows.txt
status "a kernel of another form" 1 cost
same "is named" "kernel-cost: load: no loop has {'G16': 2}; see its line in rows.txt" "$(cat err)"

# A loop that becomes slower by more than 10 % fails the check, and one of 24 does not.
echo 'load | warps any | 20 | G16 1, G4 1 | STG 1 | 0 | 26 | -' > rows.txt
cost --accept
same "predicted" "load 106.7" "$(tail -n 1 predicted.txt)"
status "as predicted" 0 cost --check
cp sass before
# add COUNT OPCODE: so many instructions behind the product.
add() {
    awk -v n="$1" -v opcode="$2" '{ print } /\*00a0\*/ {
        for (i = 1; i <= n; i++)
            printf "        /*00a%d*/  %s R8, R8 ;\n", i, opcode
    }' before > sass
}
add 1 FADD
status "4 % slower" 0 cost --check
add 3 FADD
status "11 % slower" 1 cost --check
same "the message" "load: at most 94.8 bytes a clock, by issue; predicted: 106.7" "$(head -n 1 out)"
add 4 MUFU.EX2
status "a slower pipe" 1 cost --check
same "is named" "load: at most 80.0 bytes a clock, by mufu; predicted: 106.7" "$(head -n 1 out)"
: > predicted.txt
status "no prediction" 1 cost --check

# The page shows what the tables predict.
page=$source/docs/benchmarks/kernel-cost.md
while read -r line; do
    same "$page: $line" "${line##* }" \
        "$(grep -F "| ${line% *} |" "$page" | cut -d'|' -f5 | tr -d ' ')"
done << END
$(grep -v '^#' "$source/python/cost/predicted.txt")
END
