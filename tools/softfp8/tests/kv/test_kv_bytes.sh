# SPDX-License-Identifier: MIT
# test_kv_bytes.sh -- softfp8 kv bytes: published figures, odd sizes, options, what it refuses
bytes="$softfp8 kv bytes"

# row TYPE: its line in out, with single blanks.
row() { grep "^$1 " out | tr -s ' '; }

# ---- 80 layers, 8 heads of 128: 320 KiB a token of bf16, 40 GiB for 131,072; half of it in FP8. A scale of 4 bytes
# ---- for 128 elements is 132 of 256 bytes; nvfp4 has 72 for 128 elements, kivi-int4 .625 an element.
status "a model" 0 $bytes --layers 80 --heads 8 --size 128 --tokens 131072 --memory 40G
same "bf16" "bf16 327680 1.00000 42949672960 40.000 131072 as the model" "$(row bf16)"
same "fp8" "fp8 163840 0.50000 21474836480 20.000 262144 vLLM fp8, SGLang, TensorRT-LLM" "$(row fp8)"
same "a scale of each head" "fp8-per-token-head 168960 0.51562 22145925120 20.625 254200 vLLM" "$(row fp8-per-token-head)"
same "nvfp4" "nvfp4 92160 0.28125" "$(row nvfp4 | cut -d ' ' -f 1-3)"
same "kivi-int4" "kivi-int4 102400 0.31250" "$(row kivi-int4 | cut -d ' ' -f 1-3)"
same "types" 14 "$(sed 1d out | wc -l | tr -d ' ')"
lacks "no latent ones" '^mla|^indexer' out
lacks "120 columns" '.{121}' out
# -- 28 layers: 114,688 bytes; 43,928 tokens of them and of one byte less
status "memory" 0 $bytes --layers 28 --heads 8 --size 128 --memory 5038014464 --type bf16
same "all fit" "bf16 114688 1.00000 43928 as the model" "$(row bf16)"
status "memory" 0 $bytes --layers 28 --heads 8 --size 128 --memory 5038014463 --type bf16
same "the last does not" "bf16 114688 1.00000 43927 as the model" "$(row bf16)"
same "one type" 2 "$(wc -l < out | tr -d ' ')"
for memory in 1073741824 1048576K 1024M 1G; do
    status "$memory" 0 $bytes --layers 1 --heads 1 --size 256 --memory $memory --type bf16
    same "2^30 / 1024: $memory" "bf16 1024 1.00000 1048576 as the model" "$(row bf16)"
done
status "a terabyte" 0 $bytes --layers 1 --heads 1 --size 256 --memory 1T --type bf16
same "2^40 / 1024" "bf16 1024 1.00000 1073741824 as the model" "$(row bf16)"

# ---- MLA: 61 layers of 512 + 64 elements; fp8_ds_mla has 656 bytes a layer; an indexer 132
status "latent" 0 $bytes --layers 61 --latent 512 --rope 64 --index 128
same "four" "mla-bf16 70272 1.00000
mla-fp8 35136 0.50000
mla-fp8-ds 40016 0.56944
indexer 8052 vLLM" "$(sed 1d out | tr -s ' ' | cut -d ' ' -f 1-3)"
status "an indexer alone" 0 $bytes --layers 1 --index 130
same "138" "indexer 138" "$(row indexer | cut -d ' ' -f 1-2)"

# ---- parts of a byte: kivi-int4 of 4 elements, 2 + 1/2 for a key, 2 + 4 for a value; three tokens are 25.5
status "a fraction" 0 $bytes --layers 1 --heads 1 --size 4 --type kivi-int4 --tokens 3
same "8.5" "kivi-int4 8.5 0.53125 26" "$(row kivi-int4 | cut -d ' ' -f 1-4)"
status "codes of 4 bits" 0 $bytes --layers 1 --heads 1 --size 127
same "say so" "nvfp4 its codes do not fill whole bytes" "$(row nvfp4)"
same "others do" "fp8 254 0.50000" "$(row fp8 | cut -d ' ' -f 1-3)"

# ---- JSON
$bytes --layers 1 --heads 1 --size 4 --type kivi-int4 --tokens 3 --memory 100 --json > out
same "one type" '{"layers": 1, "heads": 1, "size": 4, "latent": 0, "rope": 0, "index": 0,
 "types": [
  {"name": "kivi-int4", "source": "KIVI, without its tail", "numerator": 17, "denominator": 2, "of_bf16": 0.53125, "bytes": 26, "tokens_fit": 11}]}' "$(cat out)"
$bytes --layers 2 --heads 1 --size 4 --json -o got.json
same "to a file" 18 "$(grep -c '"name"' got.json)"
same "which needs what" 3 "$(grep -c '"needs": "--latent"' got.json)"
if command -v python3 > /dev/null; then
    status "JSON reads" 0 python3 -m json.tool got.json
fi
same "every type of the library is listed" "$("$softfp8" kv bytes --layers 1 --heads 1 --size 32 --latent 128 --index 128 | sed '1d; s/ .*//' | sort)" \
    "$(sed -n 's/.*"name": "\([^"]*\)".*/\1/p' got.json | sort)"

# ---- what is wrong
model="--layers 80 --heads 8 --size 128"
refuses "nothing" "--layers is missing: the number of layers" $bytes
refuses "layers alone" "--heads and --size are needed, or --latent, or --index" $bytes --layers 80
refuses "no size" "--heads 8 needs --size too" $bytes --layers 80 --heads 8
refuses "no heads" "--size 128 needs --heads too" $bytes --layers 80 --size 128
refuses "no size beside a latent vector" "--heads 8 needs --size too" \
    $bytes --layers 80 --heads 8 --latent 512
for option in layers heads size latent index; do
    refuses "$option 0" "--$option 0: expected a number from 1 to 65535" $bytes --$option 0
    refuses "$option beyond" "--$option 65536: expected a number from 1 to 65535" $bytes --$option 65536
done
refuses "rope alone" "--rope 64 needs --latent too" $bytes $model --rope 64
refuses "rope beyond" "--rope 65536: expected a number from 0 to 65535" $bytes --rope 65536
refuses "a type" "no type 'fp7'; did you mean 'fp8'\?" $bytes $model --type fp7
refuses "a type that is not near" "no type 'zzzzzzz'; without --type all types are listed" $bytes $model --type zzzzzzz
refuses "a type that needs more" "--type mla-fp8 needs --latent" $bytes $model --type mla-fp8
refuses "a type that needs less" "--type bf16 needs --heads" $bytes --layers 61 --latent 512 --type bf16
refuses "a type that does not fit" "--type nvfp4: its codes do not fill whole bytes" $bytes --layers 1 --heads 1 --size 127 --type nvfp4
for memory in "" 1P 1GB G -1 1.5G 72057594037927936 65536T 99999999999999999999; do
    refuses "memory '$memory'" "--memory $memory: expected a number of bytes below 2\^56" $bytes $model --memory="$memory"
done
status "the most memory" 0 $bytes $model --memory 65535T
refuses "no tokens" "--tokens 0: expected a number from 1" $bytes $model --tokens 0
refuses "too many" "--tokens 1099511627776: too many: their bytes must be below 2\^64" $bytes --layers 65535 --heads 65535 --size 128 --tokens 1099511627776
refuses "an option" "kv bytes: no option '--layer'" $bytes --layer 80
refuses "an operand" "unexpected '80': this command takes options only" $bytes 80
echo kept > file
refuses "bad input leaves the file" "--layers is missing" $bytes -o file
same "the file" kept "$(cat file)"
