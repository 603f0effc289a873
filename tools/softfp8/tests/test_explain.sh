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
# With `right` there is a line "code flags is-tie" of each answer in that file.
function after(text,    rest) {
    if (!index($0, text))
        return ""
    rest = substr($0, index($0, text) + length(text))
    sub(/[",}].*/, "", rest)
    return rest
}
{
    side = after(/"side":"/ ? "\"side\":\"" : "\"side\":")
    result = after("\"result\":{\"code\":\"")
    below = after("\"below\":{\"code\":\"")
    above = after("\"above\":{\"code\":\"")
    if (right) {
        getline line < right
        split(line, want, " ")
        if (result != want[1] || after("\"flags\":{\"bits\":\"") != want[2])
            print "not " want[1] " " want[2] ": " $0
    }
    if (side == "null" || /"overflow_range":true/)
        next # beyond the largest number there is nothing to choose
    nearest = side == "below" ? below : side == "above" ? above : below ~ /[02468ace]$/ ? below : above
    if (result != nearest || (right && (side == "at") != want[3]))
        print "the side is wrong: " $0
    decided[side]++
}
END { print NR, (decided["below"] > least && decided["above"] > least ? "both sides" : "one side") }
EOF
awk -f texts.awk > texts
for format in f64 f32; do
    $explain --to $format --json -- $(cat texts) > answers
    same "sides in $format" "2000 both sides" "$(awk -v least=500 -f sides.awk answers | cut -c 1-200)"
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

# ---- operations: code and flags are those of gen, which the proof compares with MPFR. The side of the
# ---- exact result is that of the code, and it is a tie where two roundings of ties differ.

# results FUNCTION OF-GEN SIDES: of the operands in the file of that name
results() {
    "$softfp8" gen $2 --operands operands | tr '[:upper:]' '[:lower:]' > lines
    for round in rna rnz; do
        "$softfp8" gen $2 --operands operands --round $round --columns result > $round
    done
    paste -d ' ' lines rna rnz | awk '{ print $(NF - 3), $(NF - 2), $(NF - 1) != $NF }' > right
    same "results of $1" "$(wc -l < operands | tr -d ' ') $3" \
        "$(xargs -n 6144 $explain $1 --json < operands | awk -v right=right -v least=5 -f sides.awk | cut -c 1-200)"
}
step=1 triples=8192
[ "${SOFTFP8_TIER:-quick}" != short ] || step=32 triples=2048
for function in add:$step mul:$step div:$step sqrt:1; do
    "$softfp8" gen e4m3_${function%:*} --columns operands | awk "(NR + int(NR / 256)) % ${function#*:} == 0" > operands
    results e4m3_${function%:*} e4m3_${function%:*} "both sides"
done
awk -v n=$triples 'BEGIN { srand(1); for (i = 0; i < n; i++) printf "%02x %02x %02x\n", rand() * 256, rand() * 256, rand() * 256 }' > operands
results e4m3_fma e4m3_mulAdd "both sides"
for function in e5m2_sub e4m3fnuz_div ue4m3_mul e8m0_add e3m2_div; do
    "$softfp8" gen $function --columns operands | awk 'NR % 16 == 5' > operands
    results $function $function "$(case $function in e8m0*) echo one side ;; *) echo both sides ;; esac)"
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
