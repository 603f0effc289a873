# SPDX-License-Identifier: MIT
# test_mutation.sh -- `mutate --check` finds lines that do not apply; `--random` draws from its seed
awk_of() { program=$1; shift; awk -f "$source/tools/mutation/text.awk" -f "$source/tools/mutation/$program.awk" "$@"; }

# ---- the check, over a tree of one file
mkdir -p lib/src/made tools/mutation
printf 'int two(void)\n{\n    return 1 | 1;\n}\nint three;\n' > lib/src/made/two.c
# checked WHAT STATUS PATTERN LINE...
checked() {
    what=$1 want=$2 pattern=$3
    shift 3
    { echo '# a list'; printf '%s\n' "$@"; } > list
    got=0
    awk_of check list > out || got=$?
    same "$what: the status" "$want" "$got"
    tests=$((tests + 1))
    grep -qE "$pattern" out || { failed "$what"; cat out; }
}
file=src/made/two.c
checked "a good line" 0 '^1 lines, 0 do not' "a | $file | return 1 \\| 1; | return 1;"
checked "of two lines" 0 '^1 lines, 0 do not' "a | $file | 1;\\n}\\nint | 2;\\n}\\nint"
checked "no such text" 1 '^list:2: the text is found nowhere' "a | $file | return 3; | return 1;"
checked "twice" 1 '^list:2: the text is found more than once' "a | $file | int t | int u"
checked "no such file" 1 '^list:2: no file lib/src/made/one.c' "a | src/made/one.c | x | y"
checked "no change" 1 '^list:2: nothing changes' "a | $file | three | three"
checked "three fields" 1 '^list:2: not four fields' "a | $file | three"
checked "the same change" 1 '^list:3: the same change as line 2' \
    "a | $file | int three | int four" "b | $file | three; | four;"
checked "an empty list" 1 '^0 lines'

# ---- drawn mutants
cd "$source"
here=$OLDPWD
draw() {
    n=$1 seed=$2
    shift 2
    awk_of draw -v n="$n" -v seed="$seed" tools/mutation/list.txt "$@"
}
draw 40 7 lib/core/softfp8/*/*.h > "$here/a"
draw 40 7 lib/core/softfp8/*/*.h > "$here/b"
draw 40 8 lib/core/softfp8/*/*.h > "$here/c"
draw 40 7 tools/softfp8/cli/*.c lib/src/text/*.c > "$here/d"
draw 400 7 lib/core/softfp8/*/*.h > "$here/all"
cat tools/mutation/list.txt "$here/a" "$here/d" > "$here/list"
got=0
awk_of check "$here/list" > "$here/out" || got=$?
cd "$here"
same "as many as asked for" 40 "$(wc -l < a | xargs)"
same_file "the same seed" a b
same "another seed" 1 "$(cmp -s a c || echo $?)"
same "each applies, and is not of the list" 0 "$got"
same "as many of other files" 40 "$(wc -l < d | xargs)"
same "by their places" 'src/text tools/softfp8/cli' "$(sed 's/^[^|]* in: .*/&/; s/.* | \([a-z0-9/]*\)\/[a-z0-9_]*[.]c | .*/\1/' d | sort -u | xargs)"
# Of each kind: an operator, a number, a condition, a statement.
for kind in "' + ' becomes ' - '" "'1' becomes" "becomes '!(" "becomes ';'"; do
    tests=$((tests + 1))
    grep -qF -- "$kind" all || failed "no mutant: $kind"
done
[ "$got" -eq 0 ] || cat out
# A bar in the text would be written as \|.
same "the line is that of the file" yes "$(grep -v '\\|' a | sed -n '1s/line \([0-9]*\): .* in: \([^|]*\) | \([^ ]*\) | .*/\1 \3/p' | {
    read -r line path
    sed -n "${line}p" "$source/lib/core/softfp8/$path" > text
    [ -s text ] && grep -qF "$(sed 's/^ *//; s/|.*//' text)" a && echo yes
})"
