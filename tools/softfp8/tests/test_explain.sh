# SPDX-License-Identifier: MIT
# test_explain.sh -- softfp8 explain: known answers, every f16 word against the definition, bad input
#
# explain/*.txt hold commands, each after "$ ", and what they print. The steps in them were worked out
# from docs/spec in exact fractions, without the library. What block.txt says of other recipes for the
# same block was printed by the program: the proof and lib.products check these recipes.

explain="$softfp8 explain"

# ---- known answers

# Only products.txt shows what other policies give: a new policy changes no other text.
without_policies() {
    sed '/^  policies/,/^\( \{0,2\}[^ ]\|$\)/{/^  policies/d;/^       /d;}; s/,"policies":\[.*\]}$/}/'
}
texts=0
for text in "$source"/tools/softfp8/tests/explain/*.txt; do
    name=$(basename "$text" .txt)
    texts=$((texts + 1))
    sed -n 's/^\$ softfp8 //p' "$text" > commands
    first=1
    while read -r arguments; do
        [ "$first" = 1 ] || echo
        first=0
        echo "\$ softfp8 $arguments"
        # shellcheck disable=SC2086
        "$softfp8" $arguments
    done < commands 2>&1 | case $name in products) cat ;; *) without_policies ;; esac > got
    golden "explain $name" "tools/softfp8/tests/explain/$name.txt" got
    same "explain/$name.txt: no line over 96 columns" "" \
        "$(grep -v '^[${]' got | awk 'length > 96')"
done
same "there are golden texts" yes "$([ "$texts" -ge 10 ] && echo yes)"

# ---- two readers of text, the library's and this command's, on random decimals: the result is the
# ---- neighbour on whose side of the midpoint the value lies

cat > texts.awk << 'EOF'
BEGIN {
    srand(1)
    for (i = 0; i < 2000; i++) {
        text = rand() < 0.5 ? "-" : ""
        for (n = 1 + int(rand() * 40); n > 0; n--)
            text = text int(rand() * 10)
        print text "e" int(rand() * 90 - 70)
    }
}
EOF
cat > sides.awk << 'EOF'
function code_of(key) {
    match($0, "\"" key "\":{\"code\":\"[0-9a-f]*\"")
    if (RSTART == 0)
        return ""
    split(substr($0, RSTART, RLENGTH), part, "\"")
    return part[6]
}
{
    side = $0
    sub(/.*"side":"?/, "", side)
    sub(/[",].*/, "", side)
    result = code_of("result")
    below = code_of("below")
    above = code_of("above")
    if (side == "null") {
        exact += /"exact":true/
        next
    }
    nearest = side == "below" ? below : side == "above" ? above : below ~ /[02468ace]$/ ? below : above
    if (result != nearest)
        print "nearest is not " result ": " $0
    decided[side]++
}
END { print (decided["below"] > 500 && decided["above"] > 500 ? "both sides" : "too few") }
EOF
awk -f texts.awk > texts
for format in f64 f32; do
    $explain --to $format --json -- $(cat texts) > answers
    same "answers for $format" 2000 "$(wc -l < answers | tr -d ' ')"
    # Beyond the range of f32 there is nothing to choose.
    same "sides in $format" "both sides" \
        "$(grep -v '"overflow_range":true' answers | awk -f sides.awk | cut -c 1-200)"
done

# ---- every word of f16 to e4m3 by ocp, against the definition of both formats in plain arithmetic
# ---- (all values, midpoints and 464 are exact in a double)

cat > definition.awk << 'EOF'
function digit(c) { return index("0123456789abcdef", c) - 1 }
function word_of(text,    i, w) {
    w = 0
    for (i = 1; i <= length(text); i++)
        w = 16 * w + digit(substr(text, i, 1))
    return w
}
# "-0x1.8p-3"
function number_of(text,    s, v, p, i) {
    s = 1
    if (substr(text, 1, 1) == "-") {
        s = -1
        text = substr(text, 2)
    }
    if (text == "0")
        return 0
    p = index(text, "p")
    v = 1
    for (i = 5; i < p; i++)
        v += digit(substr(text, i, 1)) / 16 ^ (i - 4)
    return s * v * 2 ^ substr(text, p + 1)
}
# The text between `before` and the next quote, of what follows `key`.
function after(key, before,    rest) {
    rest = substr($0, index($0, "\"" key "\":") + length(key) + 3)
    rest = substr(rest, index(rest, before) + length(before))
    return substr(rest, 1, index(rest, "\"") - 1)
}
function bits(code, n,    text) {
    for (text = ""; n > 0; n--) {
        text = code % 2 text
        code = int(code / 2)
    }
    return text
}
function check(what, want, got) {
    if (want != got && wrong++ < 10)
        printf "%s of %s: %s instead of %s\n", what, given, got, want
}
function check_result(code, flags) {
    check("result", sprintf("%02x", code), after("result", "code\":\""))
    check("fields", bits(int(code / 128), 1) " " bits(int(code / 8) % 16, 4) " " bits(code % 8, 3),
        after("result", "fields\":\""))
    check("flags", flags, after("result", "bits\":\""))
}
function check_absent() {
    check("neighbours", 1, index($0, "\"below\":null,\"above\":null,\"gap\":null,\"midpoint\":null,\"side\":null") > 0)
}
function check_neighbour(key, code, value) {
    check(key " code", code, index($0, "\"" key "\":{\"code\":null") ? "none" : after(key, "code\":\""))
    check(key, value, number_of(after(key, "value\":\"")))
}
BEGIN {
    # e4m3: 8 subnormals of 2^-9, then 2^(e-7) (1 + m/8); 480 would follow 448.
    for (m = 0; m <= 127; m++)
        value[m] = m < 8 ? m * 2 ^ -9 : 2 ^ (int(m / 8) - 7) * (1 + m % 8 / 8)
    side[-1] = "below"
    side[0] = "at"
    side[1] = "above"
}
{
    given = after("given", "\"")
    w = word_of(given)
    seen[w]++
    sign = w >= 32768
    e = int(w / 1024) % 32
    f = w % 1024
    top = 128 * sign
    if (e == 31) {
        check_absent()
        if (f)
            check_result(127, f < 512 ? "10" : "00")
        else
            check_result(top + 126, "10")
        next
    }
    x = e ? 2 ^ (e - 15) * (1 + f / 1024) : 2 ^ -24 * f
    for (lo = 0; lo < 126 && value[lo + 1] <= x;)
        lo += lo + 16 <= 126 && value[lo + 16] <= x ? 16 : 1
    check("exact", value[lo] == x, index($0, "\"exact\":true") > 0)
    check("value", sign ? -x : x, number_of(after("sign", "value\":\"")))
    if (value[lo] == x) {
        check_absent()
        check_result(top + lo, "00")
        next
    }
    middle = (value[lo] + value[lo + 1]) / 2
    lo_code = sprintf("%02x", top + lo)
    hi_code = lo == 126 ? "none" : sprintf("%02x", top + lo + 1)
    check_neighbour(sign ? "above" : "below", lo_code, (sign ? -1 : 1) * value[lo])
    check_neighbour(sign ? "below" : "above", hi_code, (sign ? -1 : 1) * value[lo + 1])
    check("gap", value[lo + 1] - value[lo], number_of(after("gap", "\"")))
    check("midpoint", sign ? -middle : middle, number_of(after("midpoint", "\"")))
    check("side", side[(x > middle) - (x < middle) - 2 * sign * ((x > middle) - (x < middle))],
        after("side", "\""))
    up = x > middle || (x == middle && lo % 2 == 1)
    # Tiny: to 4 bits with an unbounded exponent still below 2^-6.
    if (lo == 126)
        check_result(top + 126, up ? "05" : "01")
    else
        check_result(top + lo + up, x < 2 ^ -6 - 2 ^ -11 ? "03" : "01")
}
END {
    for (w = 0; w < 65536; w++)
        distinct += seen[w] == 1
    print NR, "lines,", distinct, "words,", wrong + 0, "wrong"
}
EOF
awk 'BEGIN { for (i = 0; i < 65536; i++) printf "%04x\n", i }' > words
same "every f16 word to e4m3" "65536 lines, 65536 words, 0 wrong" \
    "$(xargs -n 8192 $explain --to e4m3 --from f16 --as-codes --json < words | awk -f definition.awk)"

# ---- operations of e4m3 by ocp, against the definition in plain arithmetic: all pairs, and triples
# ---- drawn at random. An exact result is compared with v as a number that is exact in a double: x/y as
# ---- x - v y, a root as x - v v.

cat > operations.awk << 'EOF'
function magnitude(code) { return value[code % 128] }
function number(code) { return code >= 128 ? -magnitude(code) : magnitude(code) }
# The sign of the magnitude of the exact result minus v.
function compare(v,    d) {
    if (op == "div")
        d = magnitude(x) - v * magnitude(y)
    else if (op == "sqrt")
        d = number(x) - v * v
    else
        d = (total < 0 ? -total : total) - v
    return (d > 0) - (d < 0)
}
# The code, flags and side of a finite result of this sign.
function round_it(sign,    top, lo, c, up) {
    top = 128 * sign
    for (lo = 0; lo < 126 && compare(value[lo + 1]) >= 0;)
        lo += lo + 16 <= 126 && compare(value[lo + 16]) >= 0 ? 16 : 1
    if (compare(value[lo]) == 0)
        return sprintf("%02x 00 null", top + lo)
    c = compare((value[lo] + value[lo + 1]) / 2)
    up = c > 0 || (c == 0 && lo % 2 == 1)
    c = sign ? -c : c
    c = c < 0 ? "below" : c > 0 ? "above" : "at"
    if (lo == 126)
        return up ? sprintf("%02x 05 %s", top + 126, compare(480) < 0 ? c : sign ? "below" : "above") \
            : sprintf("%02x 01 %s", top + 126, c)
    return sprintf("%02x %s %s", top + lo + up, compare(2 ^ -6 - 2 ^ -11) < 0 ? "03" : "01", c)
}
function expected(    signs) {
    signs = (x >= 128) != (y >= 128)
    if (x % 128 == 127 || y % 128 == 127 || z % 128 == 127)
        return "7f 00 null"
    if (op == "sqrt")
        return x > 128 ? "7f 10 null" : x == 128 ? "80 00 null" : round_it(0)
    if (op == "div" && y % 128 == 0)
        return x % 128 == 0 ? "7f 10 null" : sprintf("%02x 08 null", signs ? 254 : 126)
    if (op == "mul" || op == "div") {
        total = number(x) * number(y)
        return round_it(signs)
    }
    if (op == "add")
        total = number(x) + number(y)
    else {
        total = number(x) * number(y) + number(z)
    }
    if (total == 0)
        return (op == "add" ? x == 128 && y == 128 : signs && magnitude(x) * magnitude(y) == 0 && z == 128) ? \
            "80 00 null" : "00 00 null"
    return round_it(total < 0)
}
function digit(c) { return index("0123456789abcdef", c) - 1 }
function word_of(text) { return 16 * digit(substr(text, 1, 1)) + digit(substr(text, 2, 1)) }
# The text between `before` and the next quote or comma, of what follows `key`.
function after(key, before,    rest) {
    rest = substr($0, index($0, "\"" key "\":") + length(key) + 3)
    rest = substr(rest, index(rest, before) + length(before))
    sub(/[",].*/, "", rest)
    return rest
}
BEGIN {
    for (m = 0; m <= 127; m++)
        value[m] = m < 8 ? m * 2 ^ -9 : 2 ^ (int(m / 8) - 7) * (1 + m % 8 / 8)
}
{
    split(after("given", "\""), part, " ")
    op = substr(part[1], 6)
    x = word_of(part[2])
    y = z = 0
    if (op != "sqrt")
        y = word_of(part[3])
    if (op == "fma")
        z = word_of(part[4])
    seen[part[2] part[3] part[4]] = 1
    side = after("side", index($0, "\"side\":null") ? "" : "\"")
    got = after("result", "code\":\"") " " after("result", "bits\":\"") " " side
    want = expected()
    if (got != want && wrong++ < 10)
        print part[1], part[2], part[3], part[4] ": " got " instead of " want
}
END {
    for (s in seen)
        distinct++
    print NR, distinct, wrong + 0 " wrong"
}
EOF
pairs='BEGIN { for (i = 0; i < 256; i++) for (k = i % step; k < 256; k += step) printf "%02x\n%02x\n", i, k }'
step=1 triples=8192
[ "${SOFTFP8_TIER:-quick}" != short ] || step=32 triples=2048
awk -v step=$step "$pairs" > pairs
for op in add mul div; do
    same "every pair of e4m3_$op" "$((65536 / step)) $((65536 / step)) 0 wrong" \
        "$(xargs -n 8192 $explain e4m3_$op --json < pairs | awk -f operations.awk)"
done
same "every square root of e4m3" "256 256 0 wrong" \
    "$(awk 'BEGIN { for (i = 0; i < 256; i++) printf "%02x\n", i }' |
        xargs $explain e4m3_sqrt --json | awk -f operations.awk)"
awk -v n=$triples 'BEGIN { srand(1); for (i = 0; i < 3 * n; i++) printf "%02x\n", int(rand() * 256) }' > triples
same "fma of e4m3" "$triples lines, nearly all distinct, 0 wrong" \
    "$(xargs -n 6144 $explain e4m3_fma --json < triples | awk -f operations.awk |
        awk -v n=$triples '{ $2 = $2 > 0.97 * n ? "lines, nearly all distinct," : $2; print }')"
# Other formats: code and flags are those of gen, and the code is the neighbour that the side says.
for function in e5m2_sub e4m3fnuz_div ue4m3_mul e8m0_add e3m2_div; do
    "$softfp8" gen $function | tr '[:upper:]' '[:lower:]' | awk 'NR % 16 == 5' > lines
    cut -d' ' -f1,2 lines | xargs -n 8192 $explain $function --json > answers
    same "results of $function" "$(cut -d' ' -f1,2,3,4 lines | cksum)" \
        "$(sed 's/^{"given":"[a-z0-9_]* \([^"]*\)".*"result":{"code":"\([^"]*\)".*"bits":"\([^"]*\)","names".*/\1 \2 \3/' answers | cksum)"
    same "JSON of $function" "" "$(sed 's/"policies".*/"policies":[]}/' answers | grep -vc '"operation":"[^"]*"' | grep -v '^0$')"
done
status "a conversion by its name" 0 $explain f32_to_e4m3 3a800000
$explain --to e4m3 --from f32 --as-codes 3a800000 > named
same_file "a conversion by its name" named out
refuses "a comparison" "^softfp8 explain: e4m3_lt: expected a conversion between formats, or add, sub" \
    $explain e4m3_lt 38 3c
refuses "an unknown function" "no function 'e4m3_mull'" $explain e4m3_mull 38 3c
refuses "an operand too few" \
    "^softfp8 explain: e4m3_mul: expected 2 hexadecimal codes for each result, found 3$" \
    $explain e4m3_mul 38 3c 40
refuses "no operand" "e4m3_sqrt: expected 1 hexadecimal code for each result, found 0$" $explain e4m3_sqrt
refuses "an operand too wide" "'138': too wide; e4m3 has 8 bits" $explain e4m3_mul 138 3c
refuses "an operand that is no code" "'1.5': expected hexadecimal digits, found '.' at offset 1" \
    $explain e4m3_mul 1.5 3c
refuses "a source for a function" "^softfp8 explain: --from and --as-codes cannot be combined with a FUNCTION" \
    $explain --from f32 e4m3_mul 38 3c

# ---- JSON: an object a value, strings closed, braces matched

cat > json.awk << 'EOF'
{
    line = $0
    gsub(/"([^"\\]|\\.)*"/, "s", line)
    gsub(/s|true|false|null|[:,]/, "", line)
    while (gsub(/\{\}|\[\]/, "", line) > 0)
        ;
    if (line != "")
        print NR ": " line
}
EOF
for format in e4m3 e5m2 e2m1 e8m0 ue4m3 e4m3fnuz p3109_k8p4se p3109_k3p1uf f16 f32 f64; do
    $explain --to $format --json 0 -0 1 -1 500 -500 inf -inf nan -nan 1e-99 1e999999 > answers
    same "JSON of $format" "" "$(awk -f json.awk answers)"
    same "objects of $format" 12 "$(wc -l < answers | tr -d ' ')"
done


# Policies for e8m0 or for f64 are listed for these formats, or if they are named.
status "a policy for f64, from f32" 0 $explain --to e4m3 --from f32 inf
same "a policy for f64, from f32: none" 0 "$(grep -c 'f64\|e8m0' out)"
status "a policy for f64, from f64" 0 $explain --to e4m3 --from f64 --json inf
same "a policy for f64, from f64: some" 1 "$(grep -c 'cuda-nosat-f64' out)"
status "a policy for e8m0 that is named" 0 $explain --to e4m3 --policy ort-e8m0 464 --json
same "a policy for e8m0 that is named: listed" 1 "$(sed 's/.*"policies"//' out | grep -c '"ort-e8m0"')"
