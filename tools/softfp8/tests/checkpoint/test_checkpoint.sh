# SPDX-License-Identifier: MIT
# test_checkpoint.sh -- softfp8 checkpoint: the schemes, findings, errors, and files that are wrong
#
# Bytes and values come from the formats' definitions, by hand. What the products themselves return
# is in the evidence of each scheme: softfp8 checkpoint --schemes.
. "$source/tools/softfp8/tests/tensors.sh"
checkpoint="$softfp8 checkpoint"

# values NAME FILE...: of a layer, as words of f32, the most significant digit first.
values() {
    name=$1
    shift
    $checkpoint --tensor "$name" -o values.npy "$@" || return
    tail -c +129 values.npy | od -An -v -tx4 | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'
}
table="00000000 3f000000 3f800000 3fc00000 40000000 40400000 40800000 40c00000
80000000 bf000000 bf800000 bfc00000 c0000000 c0400000 c0800000 c0c00000"

# ---- sizes: many layers, many rows without values, one long row, and tiles of both kinds
awk 'BEGIN { printf "{"; n = 60000
    for (i = 0; i < n; i++)
        printf "%s\"m.%d.weight\":{\"dtype\":\"F8_E4M3\",\"shape\":[1],\"data_offsets\":[%d,%d]}", i ? "," : "", i, i, i + 1
    for (i = 0; i < n; i++)
        printf ",\"m.%d.weight_scale\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[%d,%d]}", i, n + 4 * i, n + 4 * i + 4
    printf "}" }' > heading
{
    bytes "$(printf '%08x' "$(($(wc -c < heading)))" | sed 's/\(..\)\(..\)\(..\)\(..\)/\4 \3 \2 \1/') 00 00 00 00"
    cat heading
    yes '' | head -c 300000
} > many
status "60,000 layers within seconds" 0 sh -c 'ulimit -t 8; "$@"' sh $checkpoint many
same "all are read" "120000 tensors in 1 file, 60000 quantized layers" "$(head -n 1 out)"
tensors empty "{$(entry l.weight F8_E4M3 9007199254740992,0 0 0),$(entry l.weight_scale F32 '' 0 4)}" "00 00 80 3f"
status "2^53 rows of nothing" 0 sh -c 'ulimit -t 8; "$@"' sh $checkpoint --list empty
same "no value" 0 "$(awk '$1 == "l" { print $NF }' out)"
size=100000000
tensors long "{$(entry l.weight F8_E4M3 1,$size 4 $((size + 4))),$(entry l.weight_scale F32 '' 0 4)}" "00 00 80 3f"
at=$(wc -c < long)
{ bytes 40; printf '8'; } | dd of=long bs=1 seek=$((at + size - 2)) conv=notrunc 2> /dev/null
status "a row of 100,000,000" 0 $checkpoint --list long
same "its largest value is at its end" "l 2" "$(awk '$1 == "l" { print $1, $NF }' out)"
# 128 rows of 8200 columns are more than one tile; each block of 128 x 128 has a scale of its own, as
# does each row of the second file. Block 64, the first of the second tile, is not 1 but 2
tensors tiles "{$(entry l.weight F8_E4M3 128,8200 0 1049600),$(entry l.weight_scale_inv F32 1,65 1049600 1049860)}"
{ yes 8 | tr -d '\n' | head -c 1049600; words "$(repeat 64 3f800000)" 40000000; } >> tiles
status "two tiles" 0 $checkpoint --tensor l -o values.npy tiles
same "the scales of each" "8192 3f800000 8 40000000 8192 3f800000" \
    "$(tail -c +129 values.npy | od -An -v -w4 -tx4 | uniq -c | head -n 3 | xargs)"
same "all rows alike" "1048576 3f800000 1024 40000000" "$(tail -c +129 values.npy | od -An -v -w4 -tx4 | sort | uniq -c | xargs)"
tensors tiles.ref "{$(entry l.weight F32 128,8200 0 4198400)}"
tail -c +129 values.npy >> tiles.ref
status "and of the reference" 0 $checkpoint --reference tiles.ref tiles
same "is equal" "inf 0 1.0000 2 l" "$(tail -n 1 out | xargs)"
