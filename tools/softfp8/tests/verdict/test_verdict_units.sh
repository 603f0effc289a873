# SPDX-License-Identifier: MIT
# test_verdict_units.sh -- mma --diagnose accuses no unit and no schedule of its own results, names
# nothing for noise, and names one planted change of each unit among what explains the rows
#
# rows N FIRST REST K OUT SCALES: N rows of operands drawn from a seed, 'a b c' or 'a b sa sb c'. A code
# is one digit of FIRST and a digit for each letter of REST. Exponents lie near the middle, so that most
# sums are finite and lose bits.
rows() {
    awk -v n="$1" -v first="$2" -v d="${#3}" -v k="$4" -v out="$5" -v scales="$6" '
    function draw(n) { seed = (seed * 1103515245 + 12345) % 2147483648; return int(seed / 65536) % n }
    function code(first, d,    s, i) {
        s = substr(first, 1 + draw(length(first)), 1)
        for (i = 0; i < d; i++)
            s = s sprintf("%x", draw(16))
        return s
    }
    BEGIN {
        seed = 1
        for (i = 0; i < n; i++) {
            a = b = sa = sb = ""
            for (j = 0; j < k; j++) {
                a = a code(first, d)
                b = b code(first, d)
            }
            for (j = 0; j < scales; j++) {
                sa = sa sprintf("%02x", 60 + draw(8))
                sb = sb sprintf("%02x", 60 + draw(8))
            }
            c = i % 3 ? code("4c", out == "f32" ? 7 : 3) : substr("00000000", 1, out == "f32" ? 8 : 4)
            print a, b (scales ? " " sa " " sb : ""), c
        }
    }'
}

# The digits of a code of a format: those of the first, and a letter for each other one.
digits_of() {
    case $1 in
    e2m1) echo 0123456789abcdef: ;;
    e3m2 | e2m3) echo 0123:x ;;
    e4m3* | e5m2*) echo 23456abcde:x ;;
    f16 | bf16) echo 3bc4:xxx ;;
    tf32) echo 1256:xxxx ;;
    *) failed "a format without digits: $1" ;;
    esac
}

# A block scale for this many products: its digits make the row.
scales_of() {
    case $1 in
    sm120-mxf4nvf4) echo 4 ;; # ue4m3, one for 16
    sm120-mxf4) echo 2 ;;     # e8m0, one for 32
    sm120-mxf8f6f4) echo 1 ;;
    *) echo 0 ;;
    esac
}

# judge UNIT IN OUT K: the unit explains its own results. No rule explains noise: the results of other
# rows. That search takes seconds, so it runs once for a unit.
noisy=
judge() {
    digits=$(digits_of "$2")
    rows 12 "${digits%:*}" "${digits#*:}" "$4" "$3" "$(scales_of "$1")" > abc
    tests=$((tests + 1))
    "$softfp8" mma --unit "$1" --in "$2" --result "$3" abc > d || failed "$1 $2 $3: reads the rows"
    paste -d ' ' abc d > own
    status "$1 $2 $3: its own results" 0 "$softfp8" mma --unit "$1" --in "$2" --result "$3" --diagnose own
    same "$1 $2 $3: the verdict" "$1 explains 12 of 12 rows" "$(head -n 1 out)"
    lacks "$1 $2 $3: nothing is named instead" '^(explained by|no rule explains all)' out
    case " $noisy " in *" $1 "*) return ;; esac
    noisy="$noisy $1"
    sed '1{h;d;}; $G' d | paste -d ' ' abc - | sed 4q > noise
    status "$1: noise" 1 "$softfp8" mma --unit "$1" --in "$2" --result "$3" --diagnose noise
    lacks "$1: nothing explains noise" '^explained by$' out
}

# unit, formats of operands, format of the result, products of an instruction
"$softfp8" mma --list | awk '/^$/ { exit }
    NR > 1 { for (i = 2; i < NF - 9; i++) { gsub(/[+]/, " ", $i); print $1, $i, $(NF - 9), $(NF - 8) } }' |
    awk '{ for (i = 2; i < NF - 1; i++) print $1, $i, $(NF - 1), $NF }' > units
same "the units" 1 "$(($(wc -l < units) >= 60))"
# A call takes a second: it also looks for rules that these rows do not tell apart. Without a tier the
# first format of each unit and result is asked, in the short one every eighth of them.
case ${SOFTFP8_TIER:-} in
full) cp units asked ;;
short) awk '!seen[$1, $3]++ && n++ % 8 == 0' units > asked ;;
*) awk '!seen[$1, $3]++' units > asked ;;
esac
while read -r unit in out k; do
    judge "$unit" "$in" "$out" "$k"
done < asked
