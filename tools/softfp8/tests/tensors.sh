# SPDX-License-Identifier: MIT
# tensors.sh -- what the scripts about blocks share: bytes and words as files, a golden block

quantize="$softfp8 quantize"
dequantize="$softfp8 dequantize"

# bytes HEX...: these bytes.
bytes() {
    # shellcheck disable=SC2059
    printf "$(printf '%s\n' "$@" | tr ' ' '\n' | awk '
        function digit(c) { return index("0123456789abcdef", c) - 1 }
        $0 != "" { printf "\\%03o", 16 * digit(substr($0, 1, 1)) + digit(substr($0, 2, 1)) }')"
}

# words HEX...: words of 4 or 8 digits, the least byte first.
words() {
    bytes "$(printf '%s\n' "$@" | tr ' ' '\n' | awk '{
        for (i = length($0) - 1; i > 0; i -= 2) print substr($0, i, 2) }')"
}

# tensors FILE HEAD BYTES...: a .safetensors file. The data may be appended instead.
tensors() {
    file=$1 head=$2
    shift 2
    {
        bytes "$(printf '%016x' ${#head} | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/\8 \7 \6 \5 \4 \3 \2 \1/')"
        printf '%s' "$head"
        bytes "$@"
    } > "$file"
}
# entry NAME DTYPE SHAPE FROM TO: that of a tensor in the head.
entry() { printf '"%s":{"dtype":"%s","shape":[%s],"data_offsets":[%s,%s]}' "$1" "$2" "$3" "$4" "$5"; }

hex() { od -An -v -tx1 "$1" | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'; }
repeat() { awk -v n="$1" -v text="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s%s", i ? " " : "", text }'; }

# npy DTYPE SHAPE: the head of a .npy file, version 1, of 128 bytes.
npy() {
    bytes 93 4e 55 4d 50 59 01 00 76 00
    printf '%-117s\n' "{'descr': '$1', 'fortran_order': ${3-False}, 'shape': ($2), }"
}

# .25 -.5 .75 1 -1.5 2 2.5 -3 3.5 4 -5 6 0 -.125 5.25 -0
golden="3e800000 bf000000 3f400000 3f800000 bfc00000 40000000 40200000 c0400000
40600000 40800000 c0a00000 40c00000 00000000 be000000 40a80000 80000000"

# A .gguf file is what these write, one after the other: gguf_head VERSION TENSORS METADATA, gguf_text
# and gguf_number for metadata, gguf_tensor NAME TYPE PLACE AXIS..., gguf_data ALIGNMENT FILE to fill up
# the file so far.
# shellcheck disable=SC2059
u32() { printf "$(printf '\\%03o\\%03o\\%03o\\%03o' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24 & 255)))"; }
u64() { u32 $(($1 & 4294967295)) && u32 $(($1 >> 32 & 4294967295)); }
gguf_head() { printf GGUF && u32 "$1" && u64 "$2" && u64 "$3"; }
gguf_text() { u64 ${#1} && printf '%s' "$1"; }
gguf_number() { gguf_text "$1" && u32 4 && u32 "$2"; }
gguf_tensor() {
    gguf_text "$1"
    u32 $(($# - 3))
    name_type=$2 place=$3
    shift 3
    for axis; do u64 "$axis"; done
    u32 "$name_type"
    u64 "$place"
}
gguf_data() { head -c $((($1 - $(wc -c < "$2") % $1) % $1)) /dev/zero >> "$2"; }
