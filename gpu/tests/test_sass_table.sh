# SPDX-License-Identifier: MIT
# test_sass_table.sh -- the instructions of a kernel, read from what a disassembler prints
#
# $softfp8 is sass_table. The sample has the form of `cuobjdump -sass`, written by hand.
cat > sample.sass << 'END'

Fatbin elf code:
================
arch = sm_90a
code version = [1,8]
host = linux
compile_size = 64bit

	code for sm_90a
		Function : _ZN4shim4gridIN3gpu6sampleILi3EEEEEvT_
	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                                   /* 0x00000a00ff017b82 */
                                                                                            /* 0x000fe20000000800 */
        /*0090*/                   F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R3, R4, R5, RZ ;   /* 0x000000050403723e */
        /*00a0*/              @!P0 F2F.F64.F32 R4, R3 ;                                      /* 0x0000000300048310 */
        /*00b0*/                   F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R6, R7, R8, RZ ;   /* 0x000000080706723e */
        /*00c0*/                   FADD.FTZ R3, R3, R4 ;                                      /* 0x0000000403037221 */
        /*00d0*/                   F2F.F64.F32.FTZ R4, R3;
        /*00e0*/                   I2F.S64 R4, R2 ;
        /*00f0*/                   HADD2.F32 R4, -RZ, R4.H0_H0 ;
        /*0100*/                   HADD2 R4, R4, R5 ;
		..........

		Function : _ZN4shim4gridIN3gpu7examineIhEEEEvT_
        /*0010*/                   F2F.F32.F64 R3, R4 ;
		Function : _ZN4shim4gridIN3gpu6sampleILi0EEEEEvT_
        /*0010*/                   MOV R1, c[0x0][0x28] ;
END
printf '\tFunction:x\n Function : _ZN3gpu6sampleILi5EEE\n/*10*/ {I2FP.F32.S32 R1,R2 ;\n/*20*/ @P1 F2I.U32.TRUNC.NTZ R1, R2 }\n' > more.sass

rows() { sed -n 's/^    \(".*"\|NULL\),$/\1/p' table.c; }
count() { sed -n 's/^const int gpu_sass_rows = \([0-9]*\);$/\1/p' table.c; }

status 'a sample' 0 "$softfp8" table.c sample.sass
same 'rows of the sample' '4' "$(count)"
same 'the sample' '""
NULL
NULL
"F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C F2F.F64.F32 F2F.F64.F32.FTZ I2F.S64 HADD2.F32"' "$(rows)"

status 'two files' 0 "$softfp8" table.c more.sass sample.sass
same 'rows of both' '6' "$(count)"
same 'the second' '"I2FP.F32.S32 F2I.U32.TRUNC.NTZ"' "$(rows | tail -n 1)"

status 'no disassembler' 0 "$softfp8" table.c
same 'no rows' '0' "$(count)"

"$softfp8" table.c sample.sass
cp table.c before.c
printf 'nothing of the kind\n' > other.txt
refuses 'another text' "^sass_table: other.txt has no line 'Function :'" "$softfp8" table.c other.txt
refuses 'no file' '^sass_table: missing.sass cannot be read$' "$softfp8" table.c missing.sass
same_file 'the output after an error' before.c table.c
refuses 'no arguments' '^sass_table: .-mma | -sparse. OUTPUT' "$softfp8"

# Instructions of matrix units: what computes, and how often.
cat > mma.sass << 'END'
		Function : _ZN4shim6groupsIN3mma8multiplyILi1EEEEEvT_
        /*0010*/                   F2FP.F16.E4M3.UNPACK_B R4, R8 ;
        /*0020*/                   HMMA.16816.F32 R4, R4, R6, RZ ;
        /*0030*/                   F2FP.F16.E4M3.UNPACK_B R5, R8.H1 ;
        /*0040*/                   HMMA.16816.F32 R4, R4, R6, R4 ;
        /*0050*/                   FADD R3, R3, R4 ;
        /*0060*/              @!P0 FADD R5, R5, R4.reuse ;
        /*0070*/                   IADD3 R5, R5, R4, RZ ;
		Function : _ZN4shim4gridIN3gpu6sampleILi0EEEEEvT_
        /*0010*/                   FADD R1, R2, R3 ;
		Function : _ZN4shim6groupsIN3mma8multiplyILi3EEEEEvT_
        /*0010*/                   MOV R1, R2 ;
END
status 'matrix units' 0 "$softfp8" -mma table.c mma.sass
same 'their rows' 'NULL
"2xF2FP.F16.E4M3.UNPACK_B 2xHMMA.16816.F32 2xFADD"
NULL
""' "$(rows)"
same 'their table' 1 "$(grep -c '^const int gpu_mma_opcodes_rows = 4;$' table.c)"

cat > sparse.sass << 'END'
		Function : _ZN4shim6groupsIN3mma6sparseILi1EEEEEvT_
        /*0010*/                   QGMMA.SP.64x8x64.F32.E4M3.E4M3 R4, gdesc[UR4], R4, R2, !UPT ;
		Function : _ZN4shim6groupsIN3mma8multiplyILi0EEEEEvT_
        /*0010*/                   QGMMA.64x8x32.F32.E4M3.E4M3 R4, gdesc[UR4], R4, !UPT ;
END
status 'sparse ones' 0 "$softfp8" -sparse table.c sparse.sass
same 'their rows' 'NULL
"1xQGMMA.SP.64x8x64.F32.E4M3.E4M3"' "$(rows)"
same 'their table' 1 "$(grep -c '^const int gpu_mma_sparse_opcodes_rows = 2;$' table.c)"

# The script around it: a disassembler that prints the sample, one that fails, one of another kind.
table_by() {
    printf '#!/bin/sh\n%s\n' "$1" > cuobjdump
    chmod +x cuobjdump
    rm -f table.c
    status "$1" 0 "${CMAKE:-cmake}" -DCUOBJDUMP="$PWD/cuobjdump" -DTABLE="$softfp8" \
        -DOUTPUT=table.c -DOBJECTS="$PWD/a.o,$PWD/b.o" -P "$source/gpu/sass.cmake"
    count
}
same 'disassembled' 6 "$(table_by "case \$2 in */a.o) cat '$PWD/sample.sass' ;; *) cat '$PWD/more.sass' ;; esac")"
same 'fails' 0 "$(table_by 'echo no nvdisasm >&2; exit 1')"
same 'prints something else' 0 "$(table_by 'echo hello')"
