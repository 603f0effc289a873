#!/bin/sh
# SPDX-License-Identifier: MIT
# commands.sh -- runs the commands that pages of the documentation show, and compares their output
#
#     tools/tests/docs/commands.sh FILE...
#
# A command is a line of a code block, indented by four spaces or between ```, that begins with "$ ".
# If it ends in \ or | the next line belongs to it, and if it ends in `do` all lines up to the `done`.
# The lines after it, up to the next command or the end of the block, are its output, standard error
# included. A line of only `...` stands for any number of lines, and `...` inside a line for any text.
# "(exit status N)" comes last where a command fails. A page without a command or an example in Python fails.
#
#     <!-- not run: REASON -->     before a block: its commands are not run, and the reason is printed
#     <!-- needs: build/FILE -->   before a block: the same where this build has no such file
#     <!-- file: NAME -->          before a block: the block becomes this file
#
# The commands of a page run one after the other in one shell, in an empty folder, which is $HOME
# too. There examples/, vectors/ and build/ are those of the project. A block ```c with `int main`
# becomes the file example.c, and `cc example.c -lsoftfp8 -lm` finds the library; cc is $CC if that
# is set. $SOFTFP8 is the command, build/bin/softfp8 if it is not set. Where $SOFTFP8_ACCEPT names a
# file (tools/test --accept), output that differs is written into the page, unless two lines of `...`
# are in it, and the file gets the page's name.
set -eu
source=$(cd "$(dirname "$0")/../../.." && pwd)
softfp8=${SOFTFP8:-$source/build/bin/softfp8}
build=${softfp8%/bin/*}
LC_ALL=C
CPATH=$source/lib/include:$source/lib/core:$source/lib/diagnose/include
LIBRARY_PATH=$build/lib
export LC_ALL CPATH LIBRARY_PATH LD_LIBRARY_PATH="$LIBRARY_PATH"
unset SOFTFP8_SILICON SOFTFP8_RECORDS SOFTFP8_TIER DESTDIR
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Writes, of each command, N.sh, N.want and N.place (the line of the command, the first line of its
# output, the one after its last, the width of the indent), and steps.sh, which runs them all.
cat > "$work/split.awk" << 'EOF'
function finish() {
    if (state == "out") {
        close(folder "/" n ".want")
        print at, output, last + 1, fenced ? fence : 4 > (folder "/" n ".place")
        close(folder "/" n ".place")
    }
    state = ""
}
function begin() {
    finish()
    n++
    at = FNR
    printf "" > (folder "/" n ".want")
    print "step", n > (folder "/steps.sh")
    state = "command"
}
function command(text) {
    print text > (folder "/" n ".sh")
    loops += (text ~ /[; ]do$/) - (text ~ /^ *done/)
    if (loops > 0 || text ~ /[\\|]$/) return
    close(folder "/" n ".sh")
    state = "out"
    output = FNR + 1
    last = FNR
}
# Remembers the block that ends here as a file.
function save() {
    if (!file && block ~ /int main/) file = "example.c"
    if (!file) return
    files++
    printf "%s", block > (folder "/file" files)
    close(folder "/file" files)
    print "cp \"$folder/file" files "\" \"" file "\"" > (folder "/steps.sh")
}
/^<!-- (not run|needs|file): .* -->$/ {
    marker = substr($0, 6, length($0) - 9)
    if (marker ~ /^file/) file = substr(marker, 7)
    else if (marker ~ /^needs/) {
        skip = (getline line < (folder "/run/" substr(marker, 8))) < 0
        if (skip) print page ":" FNR ": not run: no" substr(marker, 7)
    } else {
        skip = 1
        print page ":" FNR ": " marker
    }
    next
}
/^ *```/ {
    finish()
    fenced = !fenced
    match($0, /^ */)
    fence = RLENGTH
    if (fenced) {
        block = ""
        language = substr($0, fence + 4)
        before = n
        opened = FNR
    } else {
        if (file || language == "c") save()
        if (language ~ /^(sh|bash|console)$/ && !skip && !file && n == before) {
            print "FAILED: " page ":" opened ": commands without \"$ \""
            bad = 1
        }
        file = ""
        skip = 0
    }
    next
}
{
    code = fenced || /^    / || (/^ *$/ && state != "")
    if (!code) finish()
    text = fenced ? substr($0, fence + 1) : substr($0, 5)
    if (fenced) block = block text "\n"
    if (skip && text ~ /^\$ /) print > (folder "/skipped")
    if (skip || file) next
    if (code && text ~ /^\$ /) {
        begin()
        command(substr(text, 3))
    } else if (state == "command")
        command(text)
    else if (state == "out") {
        print text > (folder "/" n ".want")
        if ($0 !~ /^ *$/) last = FNR
    }
}
END { finish(); exit bad }
EOF

# Whether a line is as the page shows it.
cat > "$work/fits.awk" << 'EOF'
function fits(w, g,    at, rest) {
    at = index(w, "...")
    if (!at || w == g) return w == g
    rest = substr(w, at + 3)
    return length(g) >= length(w) - 3 && substr(w, 1, at - 1) == substr(g, 1, at - 1) && \
        rest == substr(g, length(g) - length(rest) + 1)
}
EOF

# Compares two files; as few lines as possible are left out at `...`.
cat > "$work/match.awk" << 'EOF'
{ sub(/[ \t]+$/, "") }
NR == FNR { want[NR] = $0; if ($0 != "") wants = NR; next }
{ got[FNR] = $0; if ($0 != "") gots = FNR }
function matches(w, g) {
    for (; w <= wants && want[w] != "..."; w++)
        if (g > gots || !fits(want[w], got[g++])) return 0
    if (w > wants) return g > gots
    for (; g <= gots + 1; g++)
        if (matches(w + 1, g)) return 1
    return 0
}
END { exit !matches(1, 1) }
EOF

# The output as a page shows it: as many lines before `...`, and behind it, as were shown before.
cat > "$work/shorten.awk" << 'EOF'
FILENAME == ARGV[1] {
    if ($0 == "...") behind = 1
    else if (behind) tail++
    else head++
    if (index($0, "...")) loose[++patterns] = $0
    next
}
{ got[FNR] = $0; if ($0 != "") gots = FNR }
function shown(line,    k) {
    for (k = 1; k <= patterns; k++)
        if (loose[k] != "..." && fits(loose[k], line)) return loose[k]
    return line
}
END {
    for (i = 1; i <= gots; i++)
        if (!behind || i <= head || i > gots - tail) print shown(got[i])
        else if (i == head + 1) print "..."
}
EOF

# Prints a page with the new outputs in it.
cat > "$work/insert.awk" << 'EOF'
FILENAME == ARGV[1] { of[$3] = $1; after[$1] = $4; width[$1] = $5; next }
FNR in of {
    n = of[FNR]
    new = folder "/" n ".new"
    while ((getline line < new) > 0) {
        for (i = 0; i < width[n] && line != ""; i++) line = " " line
        print line
    }
    until = after[n]
}
FNR >= until
EOF

# Runs the commands of a page; N.got is what each printed.
cat > "$work/run.sh" << 'EOF'
folder=$1
step() {
    . "$folder/$1.sh" > "$folder/$1.got" 2>&1 < /dev/null
    set -- "$1" $?
    [ "$2" -eq 0 ] || echo "(exit status $2)" >> "$folder/$1.got"
}
. "$folder/steps.sh"
EOF

commands=0
failures=0
failed() {
    failures=$((failures + 1))
    echo "FAILED: $1"
}

# exit_status FILE: what the output says of it; `...` may stand for that.
exit_status() { grep -x '(exit status [0-9]*)' "$1" || echo 0; }

# accepts N: the output of a command can be written into the page, and that is wanted. That nothing
# is printed any more, or that the exit status is another, has to be changed by hand.
accepts() {
    want=$folder/$1.want
    got=$folder/$1.got
    [ -n "${SOFTFP8_ACCEPT:-}" ] && [ "$(grep -cx '\.\.\.' "$want")" -le 1 ] || return 1
    [ -s "$got" ] || [ ! -s "$want" ] || return 1
    [ "$(exit_status "$want")" = "$(exit_status "$got")" ] ||
        [ "$(grep -v '^$' "$want" | tail -n 1)" = ... ] || return 1
    awk -f "$work/fits.awk" -f "$work/shorten.awk" "$want" "$got" > "$folder/$1.new"
}

for page in "$@"; do
    folder=$work/page
    rm -rf "$folder"
    mkdir -p "$folder/run/bin"
    : > "$folder/steps.sh"
    ln -s "$softfp8" "$folder/run/bin/softfp8"
    ln -s "$build" "$folder/run/build"
    [ -z "${CC:-}" ] || ln -s "$(command -v "$CC")" "$folder/run/bin/cc"
    for data in examples vectors; do
        [ ! -d "$source/$data" ] || ln -s "$source/$data" "$folder/run/$data"
    done
    awk -v folder="$folder" -v page="$page" -f "$work/split.awk" "$page" ||
        failures=$((failures + 1))
    (cd "$folder/run" && HOME=$folder/run PATH=$folder/run/bin:$PATH \
        timeout 300 sh "$work/run.sh" "$folder") || failed "$page: the shell ended"
    n=0
    : > "$folder/changes"
    while [ -f "$folder/$((n + 1)).sh" ]; do
        n=$((n + 1))
        commands=$((commands + 1))
        touch "$folder/$n.got"
        ! awk -f "$work/fits.awk" -f "$work/match.awk" "$folder/$n.want" "$folder/$n.got" || continue
        if accepts $n; then
            echo "$n $(cat "$folder/$n.place")" >> "$folder/changes"
            continue
        fi
        failed "$page:$(cut -d ' ' -f 1 "$folder/$n.place"): $(head -n 1 "$folder/$n.sh")"
        diff "$folder/$n.want" "$folder/$n.got" | head -n 20
    done
    # Examples in Python are run by python/tests/test_readme.py.
    [ "$n" -gt 0 ] || [ -f "$folder/skipped" ] || grep -q '^```pycon' "$page" ||
        failed "$page: no command"
    if [ -s "$folder/changes" ]; then
        awk -v folder="$folder" -f "$work/insert.awk" "$folder/changes" "$page" > "$work/accepted"
        cp "$work/accepted" "$page"
        echo "${page#"$source/"}" >> "$SOFTFP8_ACCEPT"
    fi
done
echo "$commands commands, $failures failed"
[ "$failures" -eq 0 ]
