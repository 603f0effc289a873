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
same "the number of commands" 21 "$(printf '%s\n' $commands | wc -l | tr -d ' ')"
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
section EXAMPLES | sed 's/\\-/-/g; s/\\e/\\/g' | awk '
    /^\.Bd/ { print "```console"; on = 1; next }
    /^\.Ed/ { print "```"; on = 0 }
    on { sub(/^ *\.\.\.$/, "..."); print }' > examples.md
status "its examples" 0 env SOFTFP8="$softfp8" "$source/tools/tests/docs/commands.sh" examples.md
cat out
tests=$((tests + 1))
[ "$(sed -n '$s/ commands.*//p' out)" -ge 10 ] || failed "too few examples in the page"

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

# ---- the completion; completion.session has what it says
offered() {
    bash --norc --noprofile "$source/tools/softfp8/tests/complete.bash" "$programs" " ><=;|&(:" \
        "$completion" softfp8 "$@" 2>> complete.err
}
: > complete.err
if [ "$tier" = short ]; then
    echo "skipped: the completion, in the short tier"
elif command -v bash > /dev/null; then
    while read -r c; do
        cp "help.$(echo "$c" | tr ' ' _)" help
        offered=$(offered $c - < /dev/null | sort -u)
        same "$c: the page and the completion" "$(documented "$c" | sort -u)" \
            "$(printf '%s\n' $offered | sed 's/^-*//' | sed '/^help$/d; /^h$/d' | sort)"
        within "$c: the completion has what the help names" "$(helped "$c")" "$offered"
        accepted "of the completion" "$c" $offered
    done < leaves
    same "the completion is quiet" "" "$(cat complete.err)"
else
    echo "skipped: no bash"
fi
