#!/bin/sh
# SPDX-License-Identifier: MIT
# text.sh -- checks the text of the documentation: links, lengths, words
#
#     tools/tests/docs/text.sh [FOLDER]      FOLDER is the project; by default the one around this file
#
# In every *.md each relative link leads to a file, and each anchor to a heading. In README.md and the
# pages of docs/ no line of prose is longer than 100 columns, no paragraph or item of a list longer
# than five lines, no sentence longer than 45 words, and none of the words occurs that readers could
# not follow. A page of docs/ has at most 250 lines. It prints the twenty longest sentences.
set -eu
cd "${1:-$(dirname "$0")/../../..}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find . -name '*.md' ! -path './build*' ! -path './.git/*' | sed 's/^\.\///' | sort > "$work/pages"
failures=0
failed() {
    failures=$((failures + 1))
    echo "FAILED: $1"
}

# ---- links

# headings FILE: the anchors that GitHub makes of its headings.
cat > "$work/headings.awk" << 'EOF'
/^ *```/ { code = !code }
!code && /^#+ / {
    sub(/^#+ +/, "")
    text = tolower($0)
    gsub(/\]\([^)]*\)/, "", text)
    gsub(/[^a-z0-9 _-]/, "", text)
    gsub(/ /, "-", text)
    print text (seen[text]++ ? "-" seen[text] - 1 : "")
}
EOF
# Prints each link of a page, with its line.
cat > "$work/links.awk" << 'EOF'
/^ *```/ { code = !code }
!code {
    gsub(/`[^`]*`/, "`")
    while (match($0, /\]\([^) ]+\)|(src|srcset|href)="[^"]*"/)) {
        link = substr($0, RSTART, RLENGTH)
        $0 = substr($0, RSTART + RLENGTH)
        sub(/^\]\(|^[a-z]*="/, "", link)
        print FNR, substr(link, 1, length(link) - 1)
    }
}
EOF
links=0
while read -r page; do
    folder=$(dirname "$page")
    awk -f "$work/links.awk" "$page" > "$work/links"
    while read -r line link; do
        case $link in
        *://* | mailto:*) continue ;;
        /*)
            failed "$page:$line: $link: not a relative link"
            continue
            ;;
        esac
        links=$((links + 1))
        path=${link%%#*}
        target=$page
        [ -z "$path" ] || target=$(realpath -m --relative-to . "$folder/$path")
        if [ ! -e "$target" ]; then
            failed "$page:$line: $link: no such file"
            continue
        fi
        case $link in
        *#*)
            awk -f "$work/headings.awk" "$target" > "$work/headings"
            grep -qxF -- "${link#*#}" "$work/headings" || failed "$page:$line: $link: no such heading"
            ;;
        esac
    done < "$work/links"
done < "$work/pages"
[ "$links" -gt 0 ] || failed "no links"

# ---- lengths and words

# Prints "sentence WORDS PAGE:LINE TEXT", and "FAILED: ..." for what is too long.
cat > "$work/prose.awk" << 'EOF'
function failed(what) { print "FAILED: " page ":" what }
function sentence(text, line,    words, parts) {
    gsub(/^[ >*_-]+|[ ]+$/, "", text)
    words = split(text, parts, /[ \t]+/)
    if (text == "") return
    print "sentence", words, page ":" line, text
    if (words > 45) failed(line ": a sentence of " words " words: " text)
}
# A sentence ends at . ! or ? before a blank; `code` and links count as one word.
function prose(text, line,    rest) {
    gsub(/`[^`]*`/, "CODE", text)
    gsub(/\]\([^)]*\)/, "]", text)
    gsub(/<[^>]*>/, "", text)
    if (tolower(text) ~ /(^|[^a-z])(told|rooms?|so many|held against|for want of|that is none|there are such)([^a-z]|$)/)
        failed(line ": a word of our own: " text)
    while (match(text, /[.!?][*_"')\]]* +/)) {
        sentence(substr(text, 1, RSTART), line)
        text = substr(text, RSTART + RLENGTH)
    }
    sentence(text, line)
}
function finish() {
    if (lines > 5) failed(start ": a paragraph of " lines " lines")
    if (lines) prose(paragraph, start)
    paragraph = ""
    lines = 0
}
/^ *```/ { finish(); code = !code; next }
code { next }
/^ *$/ || /^<!--.*-->$/ { finish(); next }
/^#/ { finish(); next }
/^ *\|/ {
    finish()
    cells = split($0, cell, /\|/)
    for (i = 2; i < cells; i++)
        if (cell[i] !~ /^ *:?-+:? *$/) prose(cell[i], FNR)
    next
}
/^    / && !lines { next }
/^ *([-*]|[0-9]+\.) / { finish() }
{
    if (length($0) > 100 && $0 !~ /https?:/) failed(FNR ": a line of " length($0) " columns")
    if (!lines++) start = FNR
    paragraph = paragraph (lines > 1 ? " " : "") $0
}
END {
    finish()
    if (FNR > 250 && page ~ /^docs\//) failed(FNR ": more than 250 lines")
}
EOF
grep -E '^(README\.md|docs/.*)$' "$work/pages" > "$work/limited"
: > "$work/text"
while read -r page; do
    awk -v page="$page" -f "$work/prose.awk" "$page" >> "$work/text"
done < "$work/limited"
failures=$((failures + $(grep -c '^FAILED' "$work/text" || true)))
grep '^FAILED' "$work/text" || true
[ "$(grep -c '^sentence' "$work/text" || true)" -gt 0 ] || failed "no sentences"

echo "the longest sentences:"
sort -k 2nr "$work/text" | sed -n 's/^sentence //p' | head -n 20
echo "$links links; $(wc -l < "$work/limited") pages, $failures failed"
[ "$failures" -eq 0 ]
