# SPDX-License-Identifier: MIT
# test_device_program.sh -- softfp8-device can be carried: one stripped file that needs the C library
# alone
#
# $softfp8 is softfp8-device. The checks for compute-sanitizer beside it can be carried too.
for program in "$softfp8" "$softfp8"-check_attend "$softfp8"-check_kv "$softfp8"-check_mma \
    "$softfp8"-check_merge "$softfp8"-check_blocks; do
    name=${program##*/}
    readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p' > needed
    tests=$((tests + 1))
    grep -q '^libc\.' needed || failed "$name: its libraries cannot be read"
    # libdl, libpthread and librt are parts of the C library that older versions have as files.
    same "$name needs only" '' "$(grep -vE '^(ld-linux.*|libc|libm|libdl|libpthread|librt)\.so\.[0-9]$' needed)"
    same "$name is stripped" 0 "$(readelf -S -W "$program" | grep -c '\.symtab\|\.debug')"
done

# It has the subcommands that are needed there. Where there is no GPU all programs say so.
for command in conform record; do
    status "$command --help" 0 "$softfp8" $command --help
done
if ! "$softfp8" record --keep made --only 'ptx/cvt.rn.satfinite.e4m3x2.f32' > out 2> err; then
    why=$(sed -n 's/^softfp8 record: //p' err)
    same 'one line' 1 "$(wc -l < err)"
    for check in attend kv mma merge blocks; do
        status "check_$check" 3 "$softfp8-check_$check"
        same "why check_$check stops" "$why" "$(cat err)"
    done
fi
