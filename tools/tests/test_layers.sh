# SPDX-License-Identifier: MIT
# test_layers.sh -- check-layers finds each kind of breach: all are made in a copy of the sources
. "$source/tools/softfp8/tests/common.sh"

mkdir tree
(cd "$source" && find lib conformance gpu tools python/arrows CMakeLists.txt docs/architecture.* -type f \
    \( -name '*.[ch]' -o -name '*.inc' -o -name '*.cu' -o -name '*.cuh' -o -name '*.awk' \
    -o -name '*.cpp' -o -name 'CMakeLists.txt' -o -name check-layers -o -name 'arrows*' \
    -o -name 'architecture.*' \) | tar -cf - -T -) | tar -xf - -C tree
# the folders that rows of the table name
mkdir -p tree/cmake tree/conformance/records tree/examples tree/python/products tree/python/cost \
    tree/rust tree/vectors
page=tree/docs/architecture.md
cp "$page" page

# new_file FILE: a new source with a proper head, its text from stdin.
new_file() {
    mkdir -p "tree/$(dirname "$1")"
    {
        echo '/* SPDX-License-Identifier: MIT */'
        echo "/* ${1##*/} -- made by a test */"
        cat
    } > "tree/$1"
}

# The breaches that check-layers prints, to the file named. Long files are none.
breaches() {
    layers_status=0
    tree/tools/check-layers > out 2> err || layers_status=$?
    cat err
    tail -n 1 out | grep -qE '^[0-9]+ (files, no breach|breaches)$' || failed 'the copy is checked to its end'
    sed -E '/^long: |^[0-9]+ (files|breaches)/d' out > "$1"
}

# What the tree had before the test changed it; any new line is a breach.
new_breaches() {
    breaches after
    same "$1: the status" 1 "$layers_status"
    awk 'NR == FNR { old[$0]; next } !($0 in old)' before after > new
}

# finds WHAT PATTERN
finds() {
    tests=$((tests + 1))
    grep -qE -- "$2" new && return
    failed "$1: no line with $2"
    head -n 20 new
}

echo none > before # grep -f needs a line
breaches before.clean
cat before.clean >> before

# ---- circles

# Two files that call each other.
new_file lib/src/planted/two_a.c << 'END'
int two_a(int x)
{
    return x ? two_b(x - 1) : 0;
}
END
new_file lib/src/planted/two_b.c << 'END'
int two_b(int x)
{
    return x ? two_a(x - 1) : 1;
}
END
# Three, where one has the address of a function in a table.
new_file lib/src/planted/three_a.c << 'END'
int three_a(int x)
{
    return three_b(x);
}
END
new_file lib/src/planted/three_b.c << 'END'
int three_b(int x)
{
    return three_c[0](x);
}
END
new_file lib/src/planted/three_c.c << 'END'
static const int one = 1;
const three_function three_c[] = {
    three_a,
};
END
# An inline function of a header, and a source that is not the header's own.
new_file conformance/suite/planted/inline.h << 'END'
static inline int inline_start(int x)
{
    return inline_end(x);
}
END
new_file conformance/suite/planted/inline_end.c << 'END'
#include "suite/planted/inline.h"
int inline_end(int x)
{
    return inline_start(x);
}
END
# No circle: a header and its own source.
new_file conformance/suite/planted/own.h << 'END'
static inline int own_start(int x)
{
    return own_end(x);
}
END
new_file conformance/suite/planted/own.c << 'END'
#include "suite/planted/own.h"
int own_end(int x)
{
    return own_start(x);
}
END
# No circle: of the two only one uses the other, which has the same name as a static function, as a
# member, in a text, in a comment and in a prototype.
new_file lib/src/planted/none_a.c << 'END'
int none_a(int x)
{
    return none_b(x);
}

int none_a_too(int x);
END
new_file lib/src/planted/none_b.c << 'END'
static int none_a(int x)
{
    struct numbers {
        int none_a_too;
    } s = {x};
    puts("none_a_too(x)"); /* none_a_too(x) */
    return s.none_a_too + (&s)->none_a_too; // none_a_too(x)
}

int none_b(int x)
{
    return none_a(x);
}
END

# Another picture than the one of these sources.
cp tree/docs/architecture.svg picture
echo '<!-- -->' >> tree/docs/architecture.svg

# ---- what the table rules out, folders, heads

cat > included << 'END' # FILE INCLUDED
lib/core/softfp8/planted/up_array.h arrays/array.h
lib/include/up_array.h arrays/array.h
lib/src/planted/up_conform.c suite/conform.h
lib/src/planted/up_cli.c cli/cli.h
lib/diagnose/planted/up_conform.c suite/conform.h
gpu/planted/up_conform.h suite/conform.h
gpu/planted/up_src.h ../../lib/src/arrays/array.h
conformance/suite/planted/up_cli.c cli/cli.h
conformance/suite/planted/up_tools.c ../../../tools/softfp8/cli/cli.h
conformance/suite/planted/up_src.c ../../../lib/src/arrays/array.h
conformance/suite/planted/up_gpu.c ../../../gpu/engine.h
conformance/suite/planted/to_family.c families/kv/kv.h
conformance/suite/planted/to_record.c record/record.h
conformance/suite/planted/to_failing.c failing/failing.h
conformance/record/planted.h families/blocks/blocks.h
conformance/report/planted.c ../families/published/silicon.h
conformance/failing/planted.c families/mma/mma.h
conformance/vectors/planted.c families/mma/mma.h
conformance/jobs/planted.c suite/conform.h
conformance/base/planted.c jobs/jobs.h
conformance/tests/programs/planted.c ../../../lib/src/arrays/array.h
tools/softfp8/conform/planted.c families/merge/device.h
tools/softfp8/conform/tests.c ../tests/programs/fake_cases.h
conformance/proof/mpfr/ref_up.c softfp8.h
tools/softfp8/planted/up_src.c ../../../lib/src/arrays/array.h
END
while read -r file included; do
    echo "#include \"$included\"" | new_file "$file"
done < included
echo '#include <math.h>' | new_file lib/core/softfp8/planted/libm.h
echo '#include "softfp8_blocks.h"' | new_file lib/include/blocks.h
i=0
while [ "$i" -lt 30 ]; do
    new_file "lib/src/crowd/file_$i.c" < /dev/null
    [ "$i" -eq 29 ] || new_file "lib/src/full/file_$i.c" < /dev/null
    i=$((i + 1))
done
echo 'int no_head;' > tree/lib/src/planted/no_head.c
new_file conformance/no_row/file.c < /dev/null
mkdir tree/no_row

new_breaches 'all of it'
circle='no two files call each other in a circle'
finds 'a circle of two' "^lib/src/planted/two_a\.c:5: uses two_b of lib/src/planted/two_b\.c .*$circle"
finds 'a circle of two' "^lib/src/planted/two_b\.c:5: uses two_a of lib/src/planted/two_a\.c .*$circle"
finds 'a circle of three' "^lib/src/planted/three_a\.c:5: uses three_b of .*/three_b\.c .*$circle"
finds 'a circle of three' "^lib/src/planted/three_b\.c:5: uses three_c of .*/three_c\.c .*$circle"
finds 'a circle of three' "^lib/src/planted/three_c\.c:5: uses three_a of .*/three_a\.c .*$circle"
finds 'a circle by a header' "^conformance/suite/planted/inline\.h:5: uses inline_end of .*/inline_end\.c "
finds 'a circle by a header' "^conformance/suite/planted/inline_end\.c:6: uses inline_start of .*/inline\.h "
finds 'a picture of other sources' '^docs/architecture\.svg:1 .*not current'
while read -r file included; do
    finds 'an include that the table rules out' "^$file:3: \""
done < included
finds 'a header of the system' '^lib/core/softfp8/planted/libm\.h:3: <math\.h>'
finds 'a public header of another one' '^lib/include/blocks\.h:3: "softfp8_blocks\.h"'
finds 'a folder of 30 files' '^lib/src/crowd: 30 files '
finds 'a file without a licence' '^lib/src/planted/no_head\.c:1: no SPDX line'
finds 'a file without a purpose' "^lib/src/planted/no_head\.c:2: no line 'no_head\.c -- purpose'"
finds 'a folder of sources without a row' '^conformance/no_row/file\.c:1 .*has no row'
finds 'a folder without a row' '^no_row/ .*has no row'
same 'no other breach' 40 "$(wc -l < new)"
rm -r tree/no_row tree/conformance/no_row
cp picture tree/docs/architecture.svg

# ---- the table

sed -E 's,^\| `conformance/jobs/`,| `conformance/job/`,
    s,`conformance/vectors` \|$,`conformance/vector` |,
    s,^(\| `lib/src/`.*`lib/include`),\1\, `lib/diagnose`,
    s,^(\| `conformance/suite/`.*`lib/include`),\1\, `conformance/record`,' page > "$page"
new_breaches 'the table'
row='^docs/architecture\.md:[0-9]+:'
finds 'a row of no folder' "$row conformance/job/ .*does not exist"
finds 'a use of no folder' "$row conformance/vector .*does not exist"
finds 'a use that there is not' "$row lib/diagnose .*lib/src does not use it"
finds 'a circle of folders' "$row conformance/record -> conformance/suite -> conformance/record .*uses it$"
