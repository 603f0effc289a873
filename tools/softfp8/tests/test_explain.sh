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

# ---- the exact value of the text decides: 1 + 2^-53 is halfway between two f64

half=1.00000000000000011102230246251565404236316680908203125
side() {
    $explain --to "$1" --json -- "$2" | sed 's/.*"side":"\([a-z]*\)".*"result":{"code":"\([0-9a-f]*\)".*/\1 \2/'
}
same "halfway" "at 3ff0000000000000" "$(side f64 $half)"
same "a last digit above" "above 3ff0000000000001" "$(side f64 ${half}0000000000000000000000000001)"
same "below" "below 3ff0000000000000" "$(side f64 ${half%5}49999999999999999999999999999999)"
same "below zero" "below bff0000000000001" "$(side f64 -${half}0000000000000000000000000001)"
same "hexadecimal, 26 digits" "above 39" "$(side e4m3 0x1.100000000000000000000001p0)"
same "1e23 is 5^23 of 54 bits: halfway" "at 44b52d02c7e14af6" "$(side f64 1e23)"
long=$(awk 'BEGIN { for (i = 0; i < 20000; i++) printf "0" }')
same "20000 digits" "above 75" "$(side e4m3 200.${long}1)"
same "20000 zeros and an exponent" "at 74" "$(side e4m3 0.${long}2e20003)"
same "far too large" "above 7e" "$(side e4m3 1e99999999999999999999)"
same "far too small" "below 00" "$(side e4m3 1e-99999999999999999999)"

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
    "$(xargs -n 8192 $explain --to e4m3 --from f16 --codes --json < words | awk -f definition.awk)"

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

# ---- bad input

refuses "a bad number" "explain: '4x8': expected a number, found 'x' at offset 1$" $explain --to e4m3 4x8
refuses "a number cut off" "'1e': .*it ends at offset 2$" $explain --to e4m3 1e
refuses "an empty number" "'': .*it ends at offset 0$" $explain --to e4m3 ""
refuses "two lines" "'1\?2': .* at offset 1$" $explain --to e4m3 "1
2"
refuses "the third value" "'3z'" $explain --to e4m3 1 2 3z
refuses "an unknown format" "no format 'e4m4'; did you mean 'e4m3'\?" $explain --to e4m4 1
refuses "an unknown source" "no format 'f33'; did you mean 'f32'\?" $explain --to e4m3 --from f33 1
refuses "an unknown policy" "no policy 'ocp-nosta'; did you mean 'ocp-nosat'\?" \
    $explain --to e4m3 --policy ocp-nosta 1
refuses "no value" "no VALUE" $explain --to e4m3
refuses "no target" "--to FORMAT or --recipe NAME is missing" $explain 1
status "infinity in a wider format" 0 $explain --to f32 --from e5m2 --policy ocp --codes 7c
same "infinity in a wider format: why" 1 "$(grep -c 'f32 holds every number of the operand.s format and keeps infinity' out)"
refuses "codes of nothing" "--codes needs --from" $explain --to e4m3 --codes 3c00
refuses "a code too wide" "'1ffff': too wide; f16 has 16 bits" $explain --to e4m3 --from f16 --codes 1ffff
refuses "a code of e2m1 too wide" "'10': too wide; e2m1 has 4 bits" $explain --to e4m3 --from e2m1 --codes 10
refuses "a code wider than all" "too wide; f64 has 64 bits" \
    $explain --to e4m3 --from f64 --codes 10000000000000000
refuses "a code with a wrong digit" "'3g00': expected hexadecimal digits, found 'g' at offset 1" \
    $explain --to e4m3 --from f16 --codes 3g00
refuses "a random word too wide" "too wide; the random word has 32 bits" \
    $explain --to e4m3 --round sr --random 100000000 1
refuses "a random word that is not used" "--random has an effect only with stochastic rounding" \
    $explain --to e4m3 --random 7 1
refuses "too many random bits" "sr_bits=6 or less" $explain --to f64 --round sr 1
# Without a zero there is nothing to stay at: the value is rounded, to 2^-127.
$explain --to e8m0 --policy 'ocp below_normal=stay missing_zero=nan' 5.8e-39 > out
lacks "below_normal in a format without zero" 'below_normal=stay:' out
lacks "no missing zero" 'missing_zero=nan:' out

# Policies for e8m0 or for f64 are listed for these formats, or if they are named.
status "a policy for f64, from f32" 0 $explain --to e4m3 --from f32 inf
same "a policy for f64, from f32: none" 0 "$(grep -c 'f64\|e8m0' out)"
status "a policy for f64, from f64" 0 $explain --to e4m3 --from f64 --json inf
same "a policy for f64, from f64: some" 1 "$(grep -c 'cuda-nosat-f64' out)"
status "a policy for e8m0 that is named" 0 $explain --to e4m3 --policy ort-e8m0 464 --json
same "a policy for e8m0 that is named: listed" 1 "$(sed 's/.*"policies"//' out | grep -c '"ort-e8m0"')"

refuses "an unknown mode" "expected one of rne" $explain --to e4m3 --round up 1
refuses "an unknown option" "no option '--form'; did you mean '--from'" $explain --to e4m3 --form f32 1
