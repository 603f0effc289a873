# SPDX-License-Identifier: MIT
# test_paths.sh -- every file that a page names exists
#
# Of the names in backticks these are looked up, up to the first blank:
#
#     `lib/src/arrays/plan.c`   begins with a folder of the project: it is the path of a file or folder
#     `arrays/plan.c`           has a slash and ends as sources do: it is the end of such a path
#     `plan.c`                  only ends so: the same, on pages of docs/adding and docs/internals
#
# In a name * stands for any text, and so does a word in capitals if the name is not found as it
# stands. Not looked up: a paragraph about a new file, CHANGELOG.md, which is about the past, and
# softfp8_single.h, which the build makes.

# names PAGE: the names of a page, each once.
names() {
    awk -v page="$1" '
        function spans(text, part, n, i, name) {
            if (text ~ /new file/)
                return
            n = split(text, part, "`")
            for (i = 2; i <= n; i += 2) {
                name = part[i]
                sub(/ .*/, "", name)
                if (name != "" && !(name in seen)) {
                    seen[name]
                    print page "\t" name
                }
            }
        }
        /^```/ { spans(text); text = ""; fenced = !fenced; next }
        fenced { next }
        /^ *$/ { spans(text); text = ""; next }
        { text = text " " $0 }
        END { spans(text) }' "$source/$1"
}

# missing: of the lines "PAGE<tab>NAME" those whose name is looked up and not found; all.txt has the paths.
missing() {
    awk -F '\t' '
        function known(name, pattern, path) {
            if (name in all || name in tail)
                return 1
            pattern = name
            gsub(/[.+]/, "\\\\&", pattern)
            gsub(/[A-Z][A-Z0-9_]+/, "*", pattern)
            if (!gsub(/\*+/, "[^/]*", pattern))
                return 0
            pattern = "(^|/)" pattern "$"
            for (path in all)
                if (path ~ pattern)
                    return 1
            return 0
        }
        NR == FNR {
            all[$0]
            for (rest = $0; i = index(rest, "/"); tail[rest])
                rest = substr(rest, i + 1)
            if (index($0, "/"))
                folder[substr($0, 1, index($0, "/") - 1)]
            next
        }
        {
            page = $1
            name = $2
            sub(/\/$/, "", name)
            looked = 0
            if (name !~ /^[A-Za-z0-9_.*\/-]+$/ || name ~ /^[-\/.]/ || name ~ /^build(\/|$)/ ||
                name ~ /(^|\/)softfp8_single\.h$/)
                next
            source = name ~ /\.(c|h|cu|cpp|py|sh|awk|cmake|in|md)$/
            top = name
            sub(/\/.*/, "", top)
            if (name ~ /\// && top in folder) {
                # The whole path, not the end of another.
                count++
                if (name in tail && !(name in all))
                    print page ": " name
                else if (!known(name))
                    print page ": " name
            } else if (source && (name ~ /\// || page ~ /^docs\/(adding|internals)\//)) {
                count++
                if (!known(name))
                    print page ": " name
            }
        }
        END { print count + 0 > "count" }' all.txt -
}

(cd "$source" && find . \( -name .git -o -path ./build \) -prune -o -print) | sed 's|^\./||' > all.txt
grep '\.md$' all.txt | grep -v '^CHANGELOG\.md$' > pages.txt

while read -r page; do
    names "$page"
done < pages.txt > names.txt
same "every file that is named exists" "" "$(missing < names.txt)"
same "pages and names were found" yes \
    "$([ "$(wc -l < pages.txt)" -ge 10 ] && [ "$(cat count)" -ge 200 ] && echo yes)"

# It finds what is not there, and nothing else.
mkdir -p docs/internals
cat > docs/internals/planted.md << 'END'
`lib/src/arrays/plan.c`, `arrays/plan.c`, `plan.c`, `vectors/products/NAME.txt`, `lib/tests/*/test_*.c`,
`cuda-host/*`, `build/bin/softfp8`, `a.npy`, `tools/mutation/mutate kernels:`, `lib/src`

In a new file `lib/src/none_yet.c`.

`lib/src/plan.c`, `lib/src/nothing`, `arrays/nothing.c`, `nothing.c`, `arrays/plan.h and more`, `tools/NAME.none`
END
same "what is planted" "docs/internals/planted.md: lib/src/plan.c
docs/internals/planted.md: lib/src/nothing
docs/internals/planted.md: arrays/nothing.c
docs/internals/planted.md: nothing.c
docs/internals/planted.md: arrays/plan.h
docs/internals/planted.md: tools/NAME.none" "$(source=. && names docs/internals/planted.md | missing)"
