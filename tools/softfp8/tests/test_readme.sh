# SPDX-License-Identifier: MIT
# test_readme.sh -- README.md shows the program of examples/; the data of examples/ can be made again
#
# The test docs.commands runs the commands of README.md.

# ---- the program
sed -n '/^```c$/,/^```$/p' "$source/README.md" | sed '1d; $d' > shown.c
sed '1,2d' "$source/examples/c/example.c" > example.c
same_file "the program in C" example.c shown.c

# ---- the data
mkdir made bin
ln -s "$softfp8" bin/softfp8
status "make.sh" 0 env PATH="$PWD/bin:$PATH" "$source/examples/data/make.sh" made
for file in "$source"/examples/data/*; do
    case $file in *.sh) continue ;; esac
    same_file "${file##*/}" "$file" "made/${file##*/}"
done
same "nothing else" "$(ls "$source/examples/data" | grep -v '\.sh$')" "$(ls made)"
tests=$((tests + 1))
size=$(cat made/* | wc -c)
[ "$size" -lt 50000 ] || failed "the data has $size bytes"

# ---- every subcommand has its place in the table
"$softfp8" --help | sed -n 's/^  \([a-z][a-z-]*\)  *[A-Z].*/\1/p' | sort > commands
sed -n '/^| subcommand/,/^$/p' "$source/README.md" | cut -d '|' -f 2 | grep -o '`[a-z-]*`' |
    tr -d '`' | sort > shown
same_file "the subcommands" commands shown
