# SPDX-License-Identifier: MIT
# test_manual.sh -- the help, the manual page and the completion, compared with the program
#
# All three are written from the same tables, so they name the same options; the program has to
# take each of them. Under the sanitizers, where the tier is short, without the completion, which is
# no program; what it asks softfp8 for, other tests ask too.
tier=${SOFTFP8_TIER:-quick}
page=softfp8.1
completion=./softfp8.bash
programs=$(dirname "$softfp8")
"$softfp8" manual "$source/tools/softfp8/softfp8.1.in" > "$page"
"$softfp8" completion "$source/tools/softfp8/softfp8.bash.in" > "$completion"
commands=$("$softfp8" --help | sed -n 's/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p')
# The commands and behind them their own subcommands, "kv chain", one a line.
for c in $commands; do
    echo "$c"
    "$softfp8" $c --help | sed -n "s/^  \($c [a-z0-9]*\)  .*/\1/p"
done > all_commands
grep -vE '^(kv|layout|export)$' all_commands > leaves

# sorted_words TEXT...: each word once, on a line.
sorted_words() { printf '%s\n' "$@" | tr -s ' ' '\n' | sort -u | sed '/^$/d'; }

# within WHAT WORDS ALL: each of the words is one of all.
within() {
    sorted_words $2 > words
    sorted_words $3 > all
    same "$1" "" "$(comm -23 words all | tr '\n' ' ')"
}

# accepted WHAT COMMAND OPTION...: the program knows each of them, whatever else it wants. The cases
# of conform, the links of kv chain and the lengths of attend --cliff are not run
# for that, and an option is asked for once.
accepted() {
    what=$1
    command=$2
    shift 2
    for option in "$@"; do
        tests=$((tests + 1))
        if grep -qxF -- "$command $option" asked; then continue; fi
        none=
        case $command in
        conform) none="--only no-such-case" ;;
        attend) none=--lengths=100 ;;
        "kv chain") none=--link=9 ;;
        esac
        got=0
        "$softfp8" $command "$option" $none > out 2> err < /dev/null || got=$?
        [ $got -le 3 ] || failed "softfp8 $command $option: status $got"
        if grep -q "no option" err; then
            failed "$what: softfp8 $command $option"
        else
            echo "$command $option" >> asked
        fi
    done
}

# ---- the help
# helped COMMAND: the options that its help names, without those of examples of other commands.
# -nan and -huge are values there, and `policies` tells what --set of others takes.
helped() {
    others=$(sed "/^$1\$/d" leaves | tr '\n' '|')
    sed -E "s/softfp8 (${others%|}) [^|)']*//g; s/(quantize|gen|convert) --[a-z-]*//g" help |
        tr -s ' |[](),;' '\n' | sed -n 's/^\(--*[a-zA-Z][a-zA-Z0-9_-]*\).*/\1/p' |
        sed '/^-nan$/d; /^-inf$/d; /^-huge$/d; /^-fma$/d' |
        if [ "$1" = policies ]; then sed '/^--set$/d'; else cat; fi | sort -u
}

: > asked
same "the number of commands" 20 "$(printf '%s\n' $commands | wc -l | tr -d ' ')"
"$softfp8" --help > help
same "softfp8 --help: at most 80 columns" "" "$(grep -E '.{81}' help)"
while read -r c; do
    "$softfp8" $c --help > help < /dev/null
    same "$c --help: at most 80 columns" "" "$(grep -E '.{81}' help)"
    same "$c --help: the last line ends" "" "$(tail -c 1 help)"
    same "$c --help begins with a sentence" 1 "$(sed -n '1s/^[A-Z].*\.$/1/p' help)"
    same "$c --help: then an example" 1 "$(sed -n '3s/^  \$ .*/1/p' help)"
    case $c in
    *" "*) ;;
    *)
        "$softfp8" help $c > out
        same_file "softfp8 help $c" help out
        ;;
    esac
    cp help "help.$(echo "$c" | tr ' ' _)"
done < all_commands
while read -r c; do
    cp "help.$(echo "$c" | tr ' ' _)" help
    tests=$((tests + 1))
    [ -n "$(helped "$c")" ] || failed "$c: no option in its help"
    accepted "named in the help" "$c" $(helped "$c")
done < leaves
accepted "-h" gen -h
refuses "this test sees an unknown option" "no option '--no'" "$softfp8" gen --no
refuses "a command that became a program" "no command 'bench'; the program softfp8-bench" "$softfp8" bench --list
refuses "the nearest option" "no option '--form'; did you mean '--from'\?" "$softfp8" convert --form
refuses "the nearest, with one dash" "did you mean '-inorder'" "$softfp8" ver -in-order
refuses "a missing value" "convert: --to needs a value: FORMAT" "$softfp8" convert --to
refuses "a missing word" "needs a value: quick\|full\|soak" "$softfp8" conform --tier
refuses "a value is named" "convert: --to e4m4: no format 'e4m4'; did you mean" \
    "$softfp8" convert --to e4m4
refuses "a value too much" "--flags=1 takes no value" "$softfp8" convert --flags=1
refuses "a number out of bounds" "gen: -level 3: expected a number from 1 to 2" \
    "$softfp8" gen -level 3 e4m3_add
# What had another name is refused with the new one.
while read -r new old; do
    refuses "once $old" "no option '${old##* }'; it is '$new' now$" "$softfp8" $old
done << 'END'
--keep conform --out
--keep record --out
--keep gen --units
--result gen --out
--result mma --out
--join gen --merge
--as-numbers convert --values
--as-numbers ver --values
--expected layout identify --values
--requests kv chain --values
--stochastic identify --random
--base attend --base2
--as-codes explain --codes
--prefix-keys attend --prefix
--score-scale attend --scale
--cache-layout gen --layout
--reasons gen --names
--norm-order kv chain --order
--from-layout layout move --from
--to-layout layout move --to
--global-scale quantize --g
--global-scale explain --g
END
refuses "once merge" "it is 'softfp8 conform --join' now" "$softfp8" merge a b
refuses "once merge-states" "it is 'softfp8 attend --merge' now" "$softfp8" merge-states --rule vllm

# ---- one meaning: what two commands say of an option of the same name is the same, or is listed
while read -r c; do
    "$softfp8" $c --help | awk '
        function put() { if (name) print name "\t" text; name = "" }
        /^  -/ { put(); name = $1; sub(",", "", name); $1 = $1; text = $0; next }
        /^        / { $1 = $1; text = text " " $0; next }
        { put() }
        END { put() }'
done < leaves | sort -u | cut -f 1 | uniq -d > several
sed '/^#/d; s/ .*//' "$source/tools/softfp8/tests/option_meanings.txt" > meanings
same_file "options with several descriptions" meanings several

# ---- the manual page
section() { awk -v want="$1" '/^\.S[hs] /{on = substr($0, 5) == want} on' "$page"; }

# listed TEXT...: the options at the heads of entries of such sections.
listed() {
    for s in "$@"; do
        section "$s"
    done | awk '/^\.It / {
        flags = 0
        for (i = 2; i <= NF; i++) {
            if ($i ~ /^[A-Z][a-z]$/)
                flags = $i == "Fl"
            else if (flags && $i ~ /^[-a-zA-Z0-9_]+$/)
                print $i
        }
    }' | sed 's/^-//' | sort -u
}

# documented COMMAND: its options in the page, with the shared ones, without dashes.
documented() {
    section "$1" > own
    listed "$1"
    if grep -q 'Sx POLICY OPTIONS' own; then listed "POLICY OPTIONS"; fi
    if grep -q 'Sx TESTFLOAT OPTIONS' own; then listed "TESTFLOAT OPTIONS"; fi
}

same "the first lines of the page" '.\" SPDX-License-Identifier: MIT
.\" softfp8.1 -- the manual page of the command' "$(head -n 2 "$page" | sed 's/;.*//')"
same "the commands of the page" "$(cat all_commands)" \
    "$(awk '/^\.Sh /{on = $2 == "COMMANDS"} on && $1 == ".Ss" {print substr($0, 5)}' "$page")"
same "those of its synopsis" "$(cat leaves)" "$(section SYNOPSIS | sed -n 's/^\.Cm //p' | uniq)"
while read -r c; do
    cp "help.$(echo "$c" | tr ' ' _)" help
    within "$c: the page has what the help names" "$(helped "$c" | sed 's/^-*//; /^h$/d; /^help$/d')" \
        "$(documented "$c")"
done < leaves
"$softfp8" policies --fields > fields
while read -r field values; do
    section "POLICY OPTIONS" | awk -v want="$field" '/^\.It /{on = $0 == ".It Cm " want} on' > entry
    case $values in
        [0-9]*) values= ;;
    esac
    within "the field $field" "Cm $values" "$(tr ' ' '\n' < entry | tr '\n' ' ')"
done < fields

# ---- its examples: those lines, run, give that
# A line "..." stands for any lines.
section EXAMPLES | sed 's/\\-/-/g; s/\\e/\\/g' | awk '
    /^\.Bd/ {on = 1; next}
    /^\.Ed/ {on = more = 0}
    !on {next}
    more || /^\$ / {
        if (!more)
            n++
        file = "example" n
        print more ? $0 : substr($0, 3) > (file ".sh")
        printf "" > (file ".expected")
        more = /[\\|]$/
        next
    }
    {print > (file ".expected")}'
examples=0
while [ -f example$((examples + 1)).sh ]; do
    examples=$((examples + 1))
    this=example$examples
    (PATH=$programs:$PATH && . ./$this.sh) > $this.out 2>&1 || true
    what="$(cat $this.sh)"
    if grep -q '^ *\.\.\.$' $this.expected; then
        tests=$((tests + 1))
        awk 'FNR == NR {want[++n] = $0; next}
            BEGIN {at = 1}
            {
                while (want[at] ~ /^ *\.\.\.$/) {loose = 1; at++}
                if ($0 == want[at]) {loose = 0; at++} else if (!loose) exit bad = 1
            }
            END {exit bad || at <= n && want[at] !~ /^ *\.\.\.$/}' $this.expected $this.out || {
            failed "$what"
            cat $this.out
        }
    else
        same_file "$what" $this.expected $this.out
    fi
done
tests=$((tests + 1))
[ "$examples" -ge 10 ] || failed "only $examples examples in the page"

# ---- the page renders
if command -v groff > /dev/null; then
    groff -ww -mandoc -Tutf8 "$page" > out 2> err
    same "groff has no warnings" "" "$(cat err)"
    groff -mandoc -Tascii -P-cbu "$page" > out 2> err
    same "80 columns" "" "$(grep -E '.{81}' out)"
    same "the name line" 1 \
        "$(grep -cE '^ +softfp8 -+ small floating-point formats, bit for bit$' out)"
    if man --version 2> /dev/null | grep -q '^man 2'; then
        man --warnings -E UTF-8 -l "$page" > out 2> err
        same "man has no warnings" "" "$(cat err)"
    fi
else
    echo "skipped: no groff"
fi
if command -v mandoc > /dev/null; then
    same "mandoc has no warnings" "" "$(mandoc -Tlint -Wwarning "$page" 2>&1 || true)"
else
    echo "skipped: no mandoc"
fi

# ---- the completion
cat > complete.bash << 'END'
set -u
[[ $1 == - ]] || PATH=$1:$PATH
COMP_WORDBREAKS=$2
. "$3"
shift 3
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMPREPLY=()
_softfp8
[[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
END
breaks=" ><=;|&(:"
in_bash() { bash --norc --noprofile complete.bash "$@" 2>> complete.err; }
# after WORD...: what the last of them can become.
after() { in_bash "$programs" "$breaks" "$completion" softfp8 "$@"; }
# completes EXPECTED WORD...
completes() {
    expected=$1
    shift
    same "completion of: softfp8 $*" "$(sorted_words "$expected")" "$(after "$@" | sort)"
}

# choices COMMAND OPTION OPERAND: its completion is the list that the program's refusal has.
choices() {
    status "$1 $2 no-such-value" 2 "$softfp8" "$1" "$2" no-such-value $3
    completes "$(sed 's/.*expected one of//' err)" "$1" "$2" ""
}

test_completion() {
    completes "$commands help --help --version" ""
    completes "$commands" help ""
    completes "explain expand export" exp
    completes "" help gen ""
    while read -r c; do
        cp "help.$(echo "$c" | tr ' ' _)" help
        offered=$(after $c - < /dev/null | sort -u)
        same "$c: the page and the completion" "$(documented "$c" | sort -u)" \
            "$(printf '%s\n' $offered | sed 's/^-*//' | sed '/^help$/d; /^h$/d' | sort)"
        within "$c: the completion has what the help names" "$(helped "$c")" "$offered"
        accepted "of the completion" "$c" $offered
    done < leaves
    choices gen --format e4m3_add
    choices gen --round e4m3_add
    choices gen --overflow e4m3_add
    choices gen -sat e4m3_add
    choices gen -nansign e4m3_add
    choices identify --input -
    choices conform --tier ""
    choices quantize --from ""
    choices quantize --layout ""
    choices dequantize --to ""
    choices dequantize --format ""
    completes "1 2" gen -level ""
    formats=$("$softfp8" formats --names)
    policies=$("$softfp8" policies --names)
    completes "$formats" convert --to ""
    completes "$formats" table ""
    completes "$formats" formats e4m3 ""
    completes "$formats" policies --for ""
    completes "$policies" policies ""
    completes "$("$softfp8" recipes --names)" recipes ""
    completes "nvfp4-trtllm nvfp4-trtllm-ue8m0" quantize --recipe nvfp4-tr
    completes "kivi-int2 kivi-int4" explain --recipe kivi
    completes "$policies" explain --to e4m3 --policy ""
    completes "cuda-nosat cuda-nosat-f64" gen --policy cuda-n
    "$softfp8" gen -list | grep '^e4m3_' > list
    completes "$(cat list)" gen e4m3_
    completes "$(cat list)" ver e4m3_
    completes "1 2 3" gen e4m3 ""
    completes "1 2 3" gen -seed 4 p3109_k8p4se ""
    completes "$("$softfp8" gen -list | grep '^ui8_') ui8" gen -n 5 ui8
}

# What depends on "=", on files and on the state of the line; expectations by hand.
test_places() {
    completes "e4m3fnuz" convert --to = e4m3f
    completes "$formats" convert --to =
    completes "overflow= overflow_test=" convert --set ov
    completes "max special inf zero" convert --set overflow =
    completes "signed sign-bit" convert --set = nan_sign = si
    completes "" convert --set sr_bits =
    completes "operands,result operands,flags" gen --columns operands,
    completes "flags,operands,result" gen --columns flags,operands,r
    completes "" gen -seed ""
    completes "" gen e4m3_add -- -
    completes "--from --flags" convert --to e4m3 --f
    completes "" nothing -
    > 'a b.steps'
    > a=b
    completes_file() { same "completion of: softfp8 $*" "a b.steps" "$(after "$@")"; }
    completes_file expand "a "
    completes_file conform --json "a "
    completes_file conform --html = "a "
    completes "identify offset place move" layout ""
    completes "satfinite nosat" kv chain --policy ""
    completes "fa3 flashinfer flashinfer-states partitions segments vllm vllm-triton" attend --rule ""
    completes "flashinfer flashinfer-states" attend --rule fl
    completes "e 2" attend --base ""
    completes_file attend --rule fa3 x.npy "a "
    completes "tree tree-fma" kv chain --norm-order tr
    completes_file kv chain -o "a "
    completes "linear 128x4 8x4 4-token" layout offset --layout ""
    completes_file layout identify --codes "a "
    completes_file layout move --to-layout linear "a "
    completes "--json" identify --js
    completes "" conform --shard ""
    completes "$("$softfp8" conform --list | sed -n 's/^\(cuda-host\/float_to_fp8\/[^ ]*\) .*/\1/p')" \
        conform --only cuda-host/float_to_fp8/
    completes_file expand --words "a "
    completes_file expand --words = "a "
    completes_file ver --steps "a "
    completes_file ver --steps -errors 3 "a "
    completes_file ver e4m3_add "a "
    completes_file gen e4m3_add -o "a "
    completes_file quantize --recipe mxfp4-floor "a "
    completes_file quantize --codes "a "
    completes_file dequantize --offsets "a "
    completes "" quantize --shape ""
    completes_file convert --from e4m3 "a "
    completes_file identify --from = f16 "a "
    completes "b" expand a =
    breaks=" "
    completes "--to=e4m3fnuz" convert --to=e4m3f
    completes "overflow=max" convert --set overflow=m
    completes "--set=overflow=max" convert --set=overflow=m
    completes "--words=a=b" expand --words=a=
    same "no program: what need not be asked" "--round" \
        "$(in_bash - " " "$completion" /no/such/softfp8 convert --r)"
    same "no program: no formats" "" \
        "$(in_bash - " " "$completion" /no/such/softfp8 convert --to e)"
    same "the completion of softfp8" "complete -F _softfp8 softfp8" \
        "$(bash --norc --noprofile -uc '. "$0"; complete -p softfp8' "$completion" 2>&1)"
}
: > complete.err
if [ "$tier" = short ]; then
    echo "skipped: the completion, in the short tier"
elif command -v bash > /dev/null; then
    test_completion
    test_places
    same "the completion is quiet" "" "$(cat complete.err)"
else
    echo "skipped: no bash"
fi
