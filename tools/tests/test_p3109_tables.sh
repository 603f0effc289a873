# SPDX-License-Identifier: MIT
# test_p3109_tables.sh -- tools/p3109-tables: the table of one format, and mistakes in it
#
# The table is that of Binary4p2se in github.com/P3109/Public, 26df0d0.

tables="$source/tools/p3109-tables"

table() {
    echo codepoint,value,subnormal
    code=0
    for value in 0x0p+0 0x0.4p+0 0x1p-1 0x1.8p-1 0x1p+0 0x1.8p+0 0x1p+1 Inf \
        NaN -0x0.4p+0 -0x1p-1 -0x1.8p-1 -0x1p+0 -0x1.8p+0 -0x1p+1 -Inf; do
        printf '0x%02x,%s, \n' $code "$value"
        code=$((code + 1))
    done
}

mkdir -p all/K4 wrong
table > all/K4/Binary4p2se.csv
echo codepoint,value,subnormal > all/Binary16p1ue.csv
status "one format, and one with 15 bits of exponent" 0 "$tables" all "$softfp8"
same "what it says" "16 codes: 1 passed, 0 failed, 1 skipped" "$(cat out)"

# mistaken TEXT SED: one code has another value.
mistaken() {
    table | sed "$2" > wrong/Binary4p2se.csv
    status "$1" 1 "$tables" wrong "$softfp8"
    same "$1: $2" "$1" "$(head -n 1 out)"
}
mistaken "p3109_k4p2se: the table has 0x1p+0 as the code 2; softfp8 encodes it as 4, and decodes 2 as f64 3fe0000000000000" \
    's/0x02,0x1p-1/0x02,0x1p+0/'
mistaken "p3109_k4p2se: the table has 0x1.81p+0 as the code 5; softfp8 encodes it as 5, and decodes 5 as f64 3ff8000000000000" \
    's/,0x1.8p+0/,0x1.81p+0/'
mistaken "p3109_k4p2se: the table has Inf as the code 8; softfp8 encodes it as 7, and decodes 8 as f64 7ff8000000000000" \
    's/NaN/Inf/'

# unreadable WHAT TEXT SED
unreadable() {
    table | sed "$3" > wrong/Binary4p2se.csv
    refuses "$1" "$2" "$tables" wrong "$softfp8"
}
unreadable "a line is missing" "and 16 lines such as" 5d
unreadable "another head" "expected 'codepoint,value" '1s/value/number/'
unreadable "a code in digits" "and 16 lines such as" 's/0x0a/10/'
unreadable "a value that is none" "value 3: .one.: expected a number" 's/0x1p-1/one/'
rm wrong/*
refuses "an empty folder" "there is none" "$tables" wrong "$softfp8"
table > wrong/Binary4.csv
refuses "another name" "expected a name such as Binary8p4se.csv" "$tables" wrong "$softfp8"
refuses "no folder" "expected a folder" "$tables" none "$softfp8"
refuses "no argument" "expected FOLDER" "$tables"
