#!/bin/sh
# SPDX-License-Identifier: MIT
# docs_commands.sh -- runs the commands that pages of the documentation show, and compares their output
#
#     tools/tests/docs_commands.sh FILE...
#
# A command is a line of a code block, indented by four spaces or between ```, that begins with "$ ".
# If it ends in \ or | the next line belongs to it, and if it ends in `do` all lines up to the `done`.
# The lines after it, up to the next command or the end of the block, are its output, standard error
# included. A line of only `...` stands for any number of lines. "(exit status N)" comes last where a
# command fails. A page without a command fails.
#
# The commands of a page run one after the other in an empty folder, where examples/ and vectors/ are
# those of the sources. A block ```c with `int main` becomes the file example.c there, and
# `cc example.c -lsoftfp8 -lm` finds the library; cc is $CC if that is set. $SOFTFP8 is the command,
# build/bin/softfp8 if it is not set. Where $SOFTFP8_ACCEPT names a file (tools/test --accept), output
# that differs is written into the page, unless it has a line of `...`, and the file gets the page's
# name.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
softfp8=${SOFTFP8:-$source/build/bin/softfp8}
LC_ALL=C
CPATH=$source/lib/include:$source/lib/core
LIBRARY_PATH=${softfp8%/bin/*}/lib
export LC_ALL CPATH LIBRARY_PATH LD_LIBRARY_PATH="$LIBRARY_PATH"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$softfp8" "$work/bin/softfp8"
[ -z "${CC:-}" ] || ln -s "$(command -v "$CC")" "$work/bin/cc"
PATH=$work/bin:$PATH

# Writes each command of a page to N.sh and its output to N.want. With `accept` it prints the page
# instead, the output of each command that has a file N.new being that file.
cat > "$work/read.awk" << 'EOF'
function finish() {
    if (state == "out") close(folder "/" n ".want")
    for (; blank; blank--)
        if (accept) print ""
    if (c) close(c)
    state = c = ""
}
function begin() {
    finish()
    n++
    printf "" > (folder "/" n ".want")
    print FNR > (folder "/" n ".line")
    close(folder "/" n ".line")
    state = "command"
}
function command(text) {
    print text > (folder "/" n ".sh")
    loops += (text ~ /[; ]do$/) - (text ~ /^ *done/)
    if (loops || text ~ /[\\|]$/) return
    close(folder "/" n ".sh")
    state = "out"
    fresh = 0
    if (accept && (getline line < (folder "/" n ".new")) >= 0) {
        fresh = 1
        close(folder "/" n ".new")
        while ((getline line < (folder "/" n ".new")) > 0)
            print line == "" ? "" : indent line
    }
}
/^ *```/ {
    finish()
    fenced = !fenced
    match($0, /^ */)
    fence = RLENGTH
    if (fenced && $0 ~ /```c$/) { c = folder "/example" n + 0 ".c"; printf "" > c }
    if (accept) print
    next
}
{
    code = fenced || /^    / || (/^ *$/ && state != "")
    if (!code) finish()
    text = fenced ? substr($0, fence + 1) : substr($0, 5)
    indent = substr($0, 1, fenced ? fence : 4)
    if (c) print text > c
    if (code && text ~ /^\$ /) {
        begin()
        if (accept) print
        command(substr(text, 3))
    } else if (state == "command") {
        if (accept) print
        command(text)
    } else if (state == "out" && /^ *$/) {
        blank++
    } else if (state == "out") {
        for (; blank; blank--) {
            print "" > (folder "/" n ".want")
            if (accept && !fresh) print ""
        }
        print text > (folder "/" n ".want")
        if (accept && !fresh) print
    } else if (accept)
        print
}
END { finish() }
EOF

# Compares two files, of which the first may have lines of `...`; as few lines as possible are left out.
cat > "$work/match.awk" << 'EOF'
{ sub(/[ \t]+$/, "") }
NR == FNR { want[++wants] = $0; next }
{ got[++gots] = $0 }
function matches(w, g) {
    for (; w <= wants && want[w] != "..."; w++)
        if (g > gots || want[w] != got[g++]) return 0
    if (w > wants) return g > gots
    for (; g <= gots + 1; g++)
        if (matches(w + 1, g)) return 1
    return 0
}
END { exit !matches(1, 1) }
EOF

commands=0
failures=0
for page in "$@"; do
    folder=$work/page
    rm -rf "$folder"
    mkdir -p "$folder/run"
    for data in examples vectors; do
        [ ! -d "$source/$data" ] || ln -s "$source/$data" "$folder/run/$data"
    done
    awk -v folder="$folder" -f "$work/read.awk" "$page"
    n=0
    changed=
    while [ -f "$folder/$((n + 1)).sh" ]; do
        [ ! -s "$folder/example$n.c" ] || ! grep -q 'int main' "$folder/example$n.c" ||
            cp "$folder/example$n.c" "$folder/run/example.c"
        n=$((n + 1))
        commands=$((commands + 1))
        status=0
        (cd "$folder/run" && timeout 120 sh "../$n.sh" > ../got 2>&1 < /dev/null) || status=$?
        [ "$status" -eq 0 ] || echo "(exit status $status)" >> "$folder/got"
        cmp -s "$folder/$n.want" "$folder/got" && continue
        awk -f "$work/match.awk" "$folder/$n.want" "$folder/got" && continue
        if [ -n "${SOFTFP8_ACCEPT:-}" ] && ! grep -qx '\.\.\.' "$folder/$n.want"; then
            cp "$folder/got" "$folder/$n.new"
            changed=1
            continue
        fi
        failures=$((failures + 1))
        echo "FAILED: $page:$(cat "$folder/$n.line"): $(head -n 1 "$folder/$n.sh")"
        diff "$folder/$n.want" "$folder/got" | head -n 20
    done
    if [ "$n" -eq 0 ]; then
        failures=$((failures + 1))
        echo "FAILED: $page: no command"
    fi
    if [ -n "$changed" ]; then
        awk -v folder="$folder" -v accept=1 -f "$work/read.awk" "$page" > "$work/accepted"
        cp "$work/accepted" "$page"
        echo "$page" >> "$SOFTFP8_ACCEPT"
    fi
done
echo "$commands commands, $failures failed"
[ "$failures" -eq 0 ]
