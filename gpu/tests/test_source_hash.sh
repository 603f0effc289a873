# SPDX-License-Identifier: MIT
# test_source_hash.sh -- what changes the hash of a source, and what does not
#
# $softfp8 is source_hash. Stripped texts are written here by hand and hashed by another program.
hash_of() { "$softfp8" table.c group "$@" && sed -n 's/^    "group", "\(.*\)",$/\1/p' table.c; }

# strips WHAT TEXT STRIPPED (printf's escapes)
strips() {
    printf "$2" > source.h
    same "$1" "$(printf "$3\n" | sha256sum | cut -d ' ' -f 1)" "$(hash_of source.h)"
}
# differ WHAT TEXT TEXT
differ() {
    tests=$((tests + 1))
    printf "$2" > one.h
    printf "$3" > two.h
    [ "$(hash_of one.h)" != "$(hash_of two.h)" ] || failed "$1"
}

strips 'white space' '  int a;\n\n\tint  b;\n' 'int a; int b;'
strips 'nothing' '' ''
strips 'a comment' 'int a; /* what\n * it is */ int b;' 'int a; int b;'
strips 'a comment without blanks' 'int/**/a;' 'int a;'
strips 'stars in a comment' '/***/int a;/* * / **/' 'int a;'
strips 'a line comment' '// one\nint a; // two\nint b;' 'int a; int b;'
strips 'a line comment goes on' '// one \\\\\nint a;\nint b;' 'int b;'
strips 'a division' 'int a = b / c;' 'int a = b / c;'
strips 'a literal' 'char *a = "x  /* y */ // z";  int b;' 'char *a = "x  /* y */ // z"; int b;'
strips 'a quote in a literal' 'char *a = "\\" /* " ; /* w */  int b;' \
    'char *a = "\\" /* " ; int b;'
strips 'a backslash at its end' 'char *a = "\\\\" /* " */  ;' 'char *a = "\\\\" ;'
strips 'a character' "char a = '\"';  /* x */ char b = '\\\\\\\\';  // '" "char a = '\"'; char b = '\\\\\\\\';"

differ 'a token' 'int a = 1;' 'int a = 2;'
differ 'a blank inside a literal' 'char *a = "x y";' 'char *a = "x  y";'
differ 'two words run together' 'int a;' 'inta;'
differ 'a comment that is code now' '/* int a; */' 'int a;'

# Groups, and files in their order.
printf 'int a;\n' > a.h
printf 'int b; /* b */\n' > b.h
status 'two groups' 0 "$softfp8" table.c first a.h b.h -- second b.h
printf 'int a;\nint b;\n' | sha256sum | cut -d ' ' -f 1 > right
printf 'int b;\n' | sha256sum | cut -d ' ' -f 1 >> right
sed -n 's/^    "\(first\|second\)", "\(.*\)",$/\2/p' table.c > got
same_file 'two groups' right got
differ 'the order of files' "$(hash_of a.h b.h)" "$(hash_of b.h a.h)"

# What is really hashed: a comment's edit keeps it, a token's does not.
for file in probes/rows_fp8.h probes/ptx.h sample.h; do
    cp "$source/gpu/$file" plain.h
    sed 's|^/\* |/* More words: |; s|^namespace|// and here\n  namespace|' plain.h > comment.h
    sed 's|\([a-z]\);$|\1, 0;|; s|E4M3|E5M2|' plain.h > token.h
    tests=$((tests + 1))
    ! cmp -s plain.h comment.h || failed "$file: no comment was edited"
    same "$file: a comment" "$(hash_of plain.h)" "$(hash_of comment.h)"
    differ "$file: a token" "$(hash_of plain.h)" "$(hash_of token.h)"
done

# The output stays as it was.
"$softfp8" table.c group a.h
cp table.c before.c
refuses 'no file' '^source_hash: cannot read missing.h$' "$softfp8" table.c group a.h missing.h
same_file 'the output after an error' before.c table.c
refuses 'no arguments' '^source_hash: OUTPUT' "$softfp8"
refuses 'no folder' '^source_hash: cannot write no/table.c$' "$softfp8" no/table.c group a.h
