# SPDX-License-Identifier: MIT
# test_docs.sh -- the checks of the documentation pass on the project, and notice what is wrong
checks=$source/tools/tests/docs

# ---- text: links, lengths, words
status "the text of the pages" 0 "$checks/text.sh" "$source"
cat out

mkdir -p bad/docs
printf '# Bad\n\n## A title, `x`\n\nShort. [there](docs/page.md#two) [here](#a-title-x)\n' > bad/README.md
printf '# Page\n\n## One\n\n## Two\n' > bad/docs/page.md
status "a page without a fault" 0 "$checks/text.sh" bad

# notices WHAT PATTERN TEXT [PAGE]: the same with this text at the end of a page, README.md.
notices() {
    what=$1
    pattern=$2
    page=${4:-README.md}
    cp -R bad worse
    printf "$3" >> "worse/$page"
    status "$what" 1 "$checks/text.sh" worse
    tests=$((tests + 1))
    grep -q -- "FAILED: $page:.*$pattern" out || { failed "$what: the message"; cat out; }
    rm -r worse
}
sentence=$(awk 'BEGIN { for (i = 0; i < 46; i++) printf "word " }')
notices "a link to a file" "no such file" '\n[x](docs/no.md)\n'
notices "a link to a heading" "no such heading" '\n[x](docs/page.md#three)\n'
notices "a link to a heading of the page" "no such heading" '\n[x](#three)\n'
notices "an absolute link" "not a relative link" '\n[x](/docs/page.md)\n'
notices "a picture" "no such file" '\n![x](docs/no.svg)\n'
notices "a long sentence" "a sentence of 46 words" "\n$(echo "$sentence" | fold -s -w 90 | awk '{ printf "%s\\n", $0 }')"
notices "a long sentence in a table" "a sentence of 46 words" "\n| a |\n|---|\n| $sentence |\n"
notices "a long line" "a line of 101 columns" "\n$(awk 'BEGIN { while (i++ < 101) printf "x" }')\n"
notices "a long paragraph" "a paragraph of 6 lines" '\na.\nb.\nc.\nd.\ne.\nf.\n'
notices "a long item" "a paragraph of 6 lines" '\n- a\n  b\n  c\n  d\n  e\n  f\n- g\n'
notices "a long page" "more than 250 lines" "$(awk 'BEGIN { while (i++ < 250) printf "\\n" }')x\n" docs/page.md
notices "a word of our own" "a word of our own" '\nIt is told so.\n'

# ---- commands
cp -R bad/README.md page.md
printf '\n```console\n$ echo a; echo b; echo 3 s\na\n...\n... s\n```\n' >> page.md
status "commands" 0 env SOFTFP8="$softfp8" "$checks/commands.sh" page.md
same "one command" "1 commands, 0 failed" "$(tail -n 1 out)"

# differs WHAT PATTERN TEXT: a page with these lines in a block.
differs() {
    printf '# Page\n\n```console\n'"$3"'```\n' > wrong.md
    status "$1" 1 env SOFTFP8="$softfp8" "$checks/commands.sh" wrong.md
    tests=$((tests + 1))
    grep -q -- "$2" out || { failed "$1: the message"; cat out; }
}
differs "another output" "wrong.md:4: echo a" '$ echo a\nb\n'
differs "output that is missing" "wrong.md:4: true" '$ true\na\n'
differs "output too much" "wrong.md:4: echo a" '$ echo a\n'
differs "an exit status" "exit status 1" '$ false\n'
differs "no command" "no command" 'a\n'
differs "a block without dollar signs" "commands without" 'softfp8 --version\n'
differs "the second command" "wrong.md:6: echo b" '$ echo a\na\n$ echo b\na\n'

printf '# Page\n\n    $ seq 3\n    1\n    ...\n    4\n' > wrong.md
status "a new output is accepted" 0 env SOFTFP8="$softfp8" SOFTFP8_ACCEPT="$PWD/accepted" \
    "$checks/commands.sh" wrong.md
same "it is in the page" "1 ... 3" "$(sed -n '4,$p' wrong.md | tr -s ' \n' ' ' | sed 's/^ //; s/ $//')"
for command in true false 'echo a; false'; do
    printf '# Page\n\n    $ %s\n    a\n' "$command" > wrong.md
    status "not accepted: $command" 1 env SOFTFP8="$softfp8" SOFTFP8_ACCEPT="$PWD/accepted" \
        "$checks/commands.sh" wrong.md
done
