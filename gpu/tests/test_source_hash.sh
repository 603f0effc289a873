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

# A group with +: everything that its files include with quotes, wherever it is, each file once.
mkdir -p from deep/there
printf '#include "one.h"\n#include "there/two.h"\n#include <stdio.h>\nint a;\n' > from/a.c
printf 'int one;\n' > from/one.h
printf '#include "one.h"\nint two;\n' > deep/there/two.h
printf 'int one_more;\n' > deep/there/one.h
followed() { "$softfp8" table.c -I deep +group from/a.c && sed -n 's/^    "group", "\(.*\)",$/\1/p' table.c; }
right=$(printf '%s\n' '#include "one.h" #include "there/two.h" #include <stdio.h> int a;' 'int one;' \
    '#include "one.h" int two;' 'int one_more;' | sha256sum | cut -d ' ' -f 1)
same 'what is included' "$right" "$(followed)"
same 'which files' 'deep/there/one.h deep/there/two.h from/a.c from/one.h' \
    "$(sed 's/^table.c://' table.c.d | tr -s ' \\\n' '\n' | sort | xargs)"
printf 'int one_more = 1;\n' > deep/there/one.h
differ 'a file that is included by another' "$right" "$(followed)"
rm deep/there/one.h deep/there/two.h
refuses 'a file that is missing' '^source_hash: from/a.c: cannot find there/two.h' \
    "$softfp8" table.c -I deep +group from/a.c

# Sabotage of what is compiled into a kernel changes the hash of its group: of the lists that say
# which rule a kernel has, of host code that starts it, of the shim, and of the core.
mkdir copy
cp -r "$source/gpu" copy
mkdir copy/lib
cp -r "$source/lib/include" "$source/lib/core" copy/lib
# group NAME: the hash of a group of the project, of the sources in copy/
group() {
    roots=$(sed -n "s/^set(roots_$1 \(.*\))$/\1/p" "$source/gpu/CMakeLists.txt")
    # Names of files, to be split into words.
    # shellcheck disable=SC2046
    "$softfp8" table.c -I copy/gpu -I copy/lib/include -I copy/lib/core "+$1" \
        $(for root in $roots; do echo "copy/gpu/$root"; done) &&
        sed -n "s/^    \"$1\", \"\(.*\)\",$/\1/p" table.c
}
while IFS='|' read -r name file from to; do
    before=$(group "$name")
    same "$name: it has a hash" 64 "$(printf %s "$before" | wc -c)"
    sed "s|$from|$to|" "copy/$file" > edited
    tests=$((tests + 1))
    ! cmp -s "copy/$file" edited || failed "$file: nothing was edited"
    cp "copy/$file" whole
    cp edited "copy/$file"
    differ "$name: $file" "$before" "$(group "$name")"
    { echo '/* A comment. */'; cat whole; } > "copy/$file"
    same "$name: a comment in $file" "$before" "$(group "$name")"
    cp whole "copy/$file"
done << 'END'
kv|gpu/kernels/kv/list.h|X("kv-vllm", kv_vllm, 8)|X("kv-vllm", kv_vllm_e5m2, 8)
kv|gpu/kernels/kv/run.h|m->whole_words = rows|m->whole_words = !rows
kv|gpu/shim_cuda.h|__shfl_xor_sync(~0u, word, bit)|__shfl_xor_sync(~0u, word, 1)
blocks|gpu/shim_cuda.h|__shfl_xor_sync(~0u, word, bit)|__shfl_xor_sync(~0u, word, 1)
fp8|gpu/shim_cuda.h|THREADS = 256|THREADS = 128
attend|gpu/kernels/attend/launch.h|at % bytes == 0|at % bytes == 1
attend|gpu/kernels/attend/run.h|w.span_shift = r.p.span|w.span_shift = 1 + r.p.span
attend|gpu/kernels/attend/list.h|"mma-f16", 8, by_f16|"mma-f16", 8, by_bf16
merge|gpu/kernels/merge/run.h|return|return 0 ?
mma|gpu/mma/gemm.cu|return|return 0 ?
ptx|gpu/oracle.h|return|return 0 ?
fp8|lib/core/softfp8/number/round.h|return midpoint - 1 + odd;|return midpoint;
END

# The output stays as it was.
"$softfp8" table.c group a.h
cp table.c before.c
refuses 'no file' '^source_hash: cannot read missing.h$' "$softfp8" table.c group a.h missing.h
same_file 'the output after an error' before.c table.c
refuses 'no arguments' '^source_hash: OUTPUT' "$softfp8"
refuses 'no folder' '^source_hash: cannot write no/table.c' "$softfp8" no/table.c group a.h
