# SPDX-License-Identifier: MIT
# test_readers.sh -- the readers of examples/readers agree with `softfp8 ver`, and find a wrong digit
#
# $SOFTFP8_READER is the reader in C, made by the build. The one in Python has its test in
# python/tests; the one in JavaScript is skipped without node.
readers=$source/examples/readers
json=$source/vectors/json

c_reader() { "$SOFTFP8_READER" "$1"; }
js_reader() { node "$readers/reader.mjs" "$1"; }

# agrees READER FILE: the reader accepts the file; after a digit of a result is changed it names the
# case that ver names.
agrees() {
    status "$1 accepts $2" 0 "$1" "$json/$2"
    changed=0
    for line in 6 40 200; do
        for digit in 0 1; do
            sed "$line s/\"result\": \"./\"result\": \"$digit/" "$json/$2" > wrong.json
            cmp -s "$json/$2" wrong.json || changed=$((changed + 1))
            ver=0
            reader=0
            "$softfp8" ver wrong.json > by_ver 2> /dev/null || ver=$?
            "$1" wrong.json > by_reader || reader=$?
            same "$1, $2, line $line, digit $digit: the status" "$ver" "$reader"
            same "$1, $2, line $line, digit $digit: the case" \
                "$(sed -n 's/: result.*//p' by_ver)" "$(grep -v ' cases, ' by_reader | cut -d : -f 1)"
        done
    done
    same "$1, $2: digits were changed" yes "$([ "$changed" -ge 3 ] && echo yes)"
}

for file in f32_to_e4m3-ocp e4m3_to_f32-ocp e4m3_sqrt-ocp e2m1_add-ocp p3109_k3p2sf_mulAdd-ocp; do
    agrees c_reader $file.json
done
"$softfp8" gen e2m1_mul --round sr --set sr_bits=4 --format json -o sr.json
same "random numbers, fields of a policy" "256 cases, 0 wrong" "$(c_reader sr.json)"
"$softfp8" gen e4m3_roundToInt -exact --format json -o exact.json
same "exact" "256 cases, 0 wrong" "$(c_reader exact.json)"

for file in reader.c reader.mjs reader.py; do
    same "$file has less than 60 lines" yes "$([ "$(wc -l < "$readers/$file")" -lt 60 ] && echo yes)"
done

if command -v node > /dev/null 2>&1; then
    agrees js_reader f32_to_e4m3-ocp.json
    agrees js_reader e4m3_to_f32-ocp.json
else
    echo "skipped: the reader in JavaScript needs node"
    finish
    exit 77
fi
