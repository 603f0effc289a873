#!/bin/sh
# SPDX-License-Identifier: MIT
# consumer.sh -- uses an installation as its users would: consumer.sh TEST, called by ctest
#
# In the environment: BUILD and SOURCE, the two trees; CC, CXX, NVCC, CMAKE, GENERATOR, NM.
# Installs under BUILD/consumer/prefix; each test works in a folder of its own beside it. The
# programs are those of examples/, and what they do not show.
set -eu

test=$1
here=$SOURCE/lib/tests/consumer
prefix=$BUILD/consumer/prefix
work=$BUILD/consumer/$test
warnings="-Wall -Wextra -Wshadow -Wconversion -Werror"
unset DESTDIR
rm -rf "$work"
mkdir -p "$work"
cd "$work"

say() { echo "+ $*"; "$@"; }

# prints EXPECTED COMMAND...: what an example prints.
prints() {
    expected=$1
    shift
    echo "+ $*"
    if [ "$("$@")" != "$expected" ]; then
        echo "expected: $expected"
        "$@"
        exit 1
    fi
}
example="saturated: 7e = 448
otherwise: 7f, flags 05"

# The installation is moved after it is made: nothing in it may know where it was put.
do_install() {
    rm -rf "$prefix"
    say "$CMAKE" --install "$BUILD" --config "$CONFIG" --prefix "$work/first"
    mv "$work/first" "$prefix"
    for file in include/softfp8.h include/softfp8.hpp include/softfp8/core.h include/softfp8_single.h \
        "$LIBDIR/libsoftfp8.a" "$LIBDIR/pkgconfig/softfp8.pc" \
        "$LIBDIR/cmake/softfp8/softfp8Config.cmake" share/doc/softfp8/LICENSE; do
        [ -f "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
    done
    cmp "$prefix/share/doc/softfp8/LICENSE" "$SOURCE/LICENSE"
    # A single header is copied without the rest, so it has the whole notice.
    sed -n 's/^ \*$//p; s/^ \* //p' "$prefix/include/softfp8_single.h" > notice
    while read -r line; do
        grep -qxF "$line" notice || { echo "not in softfp8_single.h: $line"; exit 1; }
    done < "$SOURCE/LICENSE"
    if grep -rIl -e "$SOURCE/" -e "$work" "$prefix"; then
        echo "these files name a folder of this machine"
        exit 1
    fi
}

do_cmake() {
    set -- -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$warnings"
    if [ -n "${CXX:-}" ]; then
        set -- "$@" -DWITH_CXX=ON -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_FLAGS="$warnings"
    fi
    say "$CMAKE" -G "$GENERATOR" -S "$here/project" -B "$work/build" "$@" | tee configured
    grep -q 'component static: 1' configured
    grep -q 'component shared: 1' configured
    say "$CMAKE" --build "$work/build"
    prints "$example" ./build/example/example
    say ./build/static_c
    [ -z "${CXX:-}" ] || say ./build/shared_cxx
}

# The sources inside another project: what leaks, and what is installed.
do_embedded() {
    for how in FetchContent add_subdirectory; do
        say "$CMAKE" -G "$GENERATOR" -S "$here/embedded" -B "$work/$how" -DHOW=$how \
            -DSOFTFP8="$SOURCE" -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$warnings"
    done
    say "$CMAKE" --build add_subdirectory --target embedded
    say ./add_subdirectory/embedded
    say "$CMAKE" --install add_subdirectory --prefix "$work/prefix"
    prints prefix/bin/embedded find prefix -type f
}

# The sources compiled by one line, without a build system.
do_plain() {
    say "$CC" -std=c11 -DSF8_CORE_CALLS -g "-fdebug-prefix-map=$SOURCE=." -fPIC -shared \
        -fvisibility=hidden -I "$SOURCE/lib/include" -I "$SOURCE/lib/core" -I "$SOURCE/lib" -I "$SOURCE/lib/src" \
        "$SOURCE"/lib/src/*/*.c -o libsoftfp8.so
    say "$CC" -std=c11 -I "$SOURCE/lib/include" -I "$SOURCE/lib/core" "$here/use.c" -o use \
        ./libsoftfp8.so
    say ./use
}

# Threads that call functions for the first time at once, with ThreadSanitizer. The program needs these
# sources alone.
do_threads() {
    echo 'int main(void) { return 0; }' > runs.c
    clang -fsanitize=thread runs.c -o runs && ./runs \
        || { echo "skipped: programs with ThreadSanitizer do not run here"; exit 77; }
    say clang -std=c11 -D_POSIX_C_SOURCE=200809L -O1 -fsanitize=thread -DSF8_CORE_CALLS \
        -I "$SOURCE/lib/include" -I "$SOURCE/lib/core" -I "$SOURCE/lib" -I "$SOURCE/lib/src" "$here/threads.c" \
        "$SOURCE"/lib/src/arrays/*.c "$SOURCE"/lib/src/levels/*.c "$SOURCE"/lib/src/scalar/*.c \
        "$SOURCE"/lib/src/text/*.c \
        -pthread -o threads
    for level in portable portable portable highest; do # loads of wide vectors are not looked at
        prints "0 wrong results" env SOFTFP8_SIMD=$level ./threads
    done
}

# The same by another compiler: compiler RUNNER COMPILER FLAG.... The program computes arrays on every
# level that this processor has, and compares them with the functions of one value. RUNNER is what
# runs programs of that system, or `env`.
compiler() {
    runner=$1
    shift
    say "$@" -std=c11 -I "$SOURCE/lib/include" -I "$SOURCE/lib/core" -I "$SOURCE/lib" -I "$SOURCE/lib/src" \
        -I "$SOURCE/lib/tests" "$SOURCE"/lib/src/*/*.c \
        "$SOURCE/lib/tests/arrays/check_array_levels.c" -o levels.exe -lm
    say "$runner" ./levels.exe --sample
}

# For Windows, in Wine: mingw COMPILER. Wine may lack what programs of 32 bits need.
mingw() {
    command -v wine > /dev/null || { echo "skipped: no wine"; exit 77; }
    WINEPREFIX=$work/wine WINEDEBUG=-all
    export WINEPREFIX WINEDEBUG
    echo 'int main(void) { return 3; }' > runs.c
    "$1" runs.c -o runs.exe
    status=0
    wine ./runs.exe > said 2>&1 || status=$?
    [ "$status" -eq 3 ] || { echo "skipped: wine does not run a program of $1"; exit 77; }
    compiler wine "$1"
}

# The dialect of Microsoft's compiler as clang knows it, which also takes what is GNU's alone. So the text
# that Microsoft's preprocessor would leave is looked through for that, with empty headers of the
# system, which would hide some of it. MSVC itself is not run.
do_clang_ms() {
    printf '#define SF8_IMPLEMENTATION\n#include <softfp8_single.h>\n' > single.c
    say clang -std=c11 -fms-compatibility -fms-extensions -U__GNUC__ -Wall -Werror -fsyntax-only \
        -I "$prefix/include" single.c
    say clang -x c++ -std=c++17 -fms-compatibility -fms-extensions -w -fsyntax-only \
        -I "$prefix/include" single.c
    mkdir empty
    sed -n 's/^ *# *include <\([a-z0-9_]*[.]h\)>.*/\1/p' "$prefix/include/softfp8_single.h" | sort -u \
        | while read -r header; do : > "empty/$header"; done
    say clang -E -P -undef -w -nostdinc -I empty -I "$prefix/include" -D_MSC_VER=1930 \
        -D_M_X64=100 -D_WIN32 -D_WIN64 single.c -o single.i
    grep -q sf8_convert single.i
    if grep -noE '__(attribute|builtin|extension|typeof|int128|asm|label|auto_type).*|\(\{.*|\btypeof\b.*|\basm\b.*' \
        single.i | cut -c1-100 | head -n 5 | tee gnu | grep .; then
        echo "softfp8 has these of GNU C, where Microsoft's compiler compiles it"
        exit 1
    fi
}

# Device code for AMD's GPUs, as clang compiles it without ROCm: to assembly, with a kernel for each of
# the file. Nothing runs it. The host's part is compiled too.
do_hip() {
    set -- clang -x hip -nogpuinc -nogpulib -O1 -Wall -Werror -I "$prefix/include" -S "$here/core.hip"
    echo 'int x;' > empty.hip
    clang -x hip -nogpuinc -nogpulib --cuda-device-only --offload-arch=gfx90a -S empty.hip -o empty.s \
        2> missing || { echo "skipped: $(head -n 1 missing)"; exit 77; }
    for standard in c++17 c++20; do
        say "$@" "-std=$standard" --cuda-host-only -o host.s
        say "$@" "-std=$standard" --cuda-device-only --offload-arch=gfx90a -o device.s
        prints 3 grep -c s_endpgm device.s
    done
}

# The examples of tests in C++: framework NAME FLAG.... With the mistake they have to fail.
framework() {
    name=$1
    shift
    file=$SOURCE/examples/cpp/test_cast_$name.cpp
    "$CXX" -std=c++17 -E "$file" -I "$prefix/include" > /dev/null 2> missing \
        || { sed -n 's/.*fatal error/skipped/p' missing; exit 77; }
    set -- -std=c++17 $warnings -I "$prefix/include" "$file" "$prefix/$LIBDIR/libsoftfp8_diagnose.a" \
        "$prefix/$LIBDIR/libsoftfp8.a" "$@"
    say "$CXX" "$@" -o right
    say ./right
    if [ "$name" = gtest ]; then
        say "$CXX" -DMY_CAST_TRUNCATES "$@" -o wrong
        if ./wrong > said; then
            echo "the test passes with the mistake"
            exit 1
        fi
        grep -q '^x = ' said
        grep -q '^  unexplained: each code that differs is one too small' said
    fi
}

do_pkg_config() {
    PKG_CONFIG_PATH=$prefix/$LIBDIR/pkgconfig
    export PKG_CONFIG_PATH
    pkg-config --modversion softfp8
    # pkg-config quotes for a shell.
    eval "set -- $(pkg-config --cflags --libs softfp8)"
    say "$CC" -std=c11 $warnings "$SOURCE/examples/c/example.c" -o shared "$@"
    prints "$example" env LD_LIBRARY_PATH="$prefix/$LIBDIR" ./shared
    # By hand: g = 448 * 6 / 30; the first scale is 3 / 6 * g = 44.8, rounded to 44, code 63.
    say "$CC" -std=c11 $warnings "$SOURCE/examples/c/blocks.c" -o blocks "$@"
    prints "nvfp4-te, blocks of 16
  g       89.6
  codes   0f 0a 06 0e 02 07 0c 05
  packed  af e6 72 5c 0f d7 f4 6a
  scales  63 63 7e 7e
  values  -3 -0.5 2 -2
  back    -2.94643 -0.491071 1.96429 -1.96429
mxfp4-floor, blocks of 32
  g       1
  codes   0f 0a 06 0e 02 07 0c 05
  packed  af e6 72 5c 0e d6 f4 6a
  scales  7e 81
  values  -3 -0.5 2 -2
  back    -3 -0.5 2 -2" env LD_LIBRARY_PATH="$prefix/$LIBDIR" ./blocks
    eval "set -- $(pkg-config --cflags --static --libs softfp8)"
    say "$CC" -std=c11 $warnings "$here/use.c" -o static -static "$@"
    say ./static
}

# The example for Meson with what is installed, and with the sources.
do_meson() {
    cp -R "$SOURCE/examples/c" "$SOURCE/examples/meson" .
    mkdir meson/subprojects
    ln -s "$SOURCE" meson/subprojects/softfp8
    export CC
    say env PKG_CONFIG_PATH="$prefix/$LIBDIR/pkgconfig" meson setup installed meson --wrap-mode=nofallback
    say meson compile -C installed
    prints "$example" ./installed/example
    say env PKG_CONFIG_LIBDIR="$work" meson setup sources meson
    say meson compile -C sources
    prints "$example" ./sources/example
}

# single COMPILER STANDARD FILE
single() {
    say "$1" "-std=$2" $warnings -pedantic -I "$prefix/include" "$3" -o single
    prints "7e = 448" ./single
    say "$1" "-std=$2" $warnings -pedantic -O1 -DSF8_STATIC -I "$prefix/include" "$3" -o private
    prints "7e = 448" ./private
    if "$NM" private | grep ' T sf8_'; then
        echo "public in spite of SF8_STATIC"
        exit 1
    fi
}

# Only with SF8_ALL_LEVELS the header has code of other levels than `portable`.
single_levels() {
    other='sf8_(avx2|avx512|neon)_'
    printf '#define SF8_IMPLEMENTATION\n#include <softfp8_single.h>\n' > levels.c
    set -- "$CC" -std=c11 -O1 -E -P -I "$prefix/include"
    say "$@" levels.c -o portable.i
    say "$@" -DSF8_ALL_LEVELS levels.c -o all.i
    if grep -oE "$other[a-z]*" portable.i | sort -u | head -n 5 | grep .; then
        echo "levels that SF8_ALL_LEVELS did not ask for"
        exit 1
    fi
    case $(uname -m) in x86_64 | aarch64) grep -qE "$other" all.i ;; esac
}

# The types of softfp8.hpp. C++23 deprecates float_denorm_style, and a library may warn of its use; here
# a copy of the compiler's <limits> does.
do_numbers() {
    mkdir std
    limits=$(echo '#include <limits>' | "$CXX" -E -x c++ - | sed -n 's/^# [0-9]* "\(.*\/limits\)".*/\1/p')
    sed 's/enum float_denorm_style/enum [[deprecated]] float_denorm_style/' "${limits%%
*}" > std/limits
    grep -q deprecated std/limits
    for standard in c++17 gnu++20 c++23; do # with GNU extensions __int128 is an integer
        [ $standard != c++23 ] || set -- -isystem std
        say "$CXX" -std=$standard -O1 $warnings -pedantic "$@" -I "$prefix/include" "$here/numbers.cpp" \
            -o numbers
        say ./numbers
    done
}

# includes COMPILER FLAGS...: the header first, twice, and in two files of a program
includes() {
    compiler=$1
    shift
    say "$compiler" "$@" $warnings -pedantic -I "$prefix/include" '-DHEADER=<softfp8.h>' \
        -DCORE_FIRST "$here/includes_a.c" "$here/includes_b.c" -o two -x none \
        "$prefix/$LIBDIR/libsoftfp8.a"
    say ./two
    say "$compiler" "$@" $warnings -pedantic -I "$prefix/include" '-DHEADER=<softfp8_single.h>' \
        "$here/includes_a.c" "$here/includes_b.c" -o two_single -x none \
        "$prefix/$LIBDIR/libsoftfp8.a"
    say ./two_single
    # The implementation requested after the header was included before, and twice.
    say "$compiler" "$@" $warnings -pedantic -I "$prefix/include" '-DHEADER=<softfp8_single.h>' \
        -DIMPLEMENT_LATE -fsyntax-only "$here/includes_a.c"
}

# headers COMMAND...: each installed header alone, with warnings as errors
headers() {
    extension=$1
    shift
    for header in "$prefix"/include/*.h "$prefix"/include/softfp8/*.h; do
        name=${header#"$prefix/include/"}
        file=$(echo "$name" | tr / _).$extension
        echo "#include <$name>" > "$file"
        echo "extern int nothing;" >> "$file"
        say "$@" -I "$prefix/include" "$file"
    done
}

# The symbols are those of symbols.txt, which SOFTFP8_ACCEPT writes anew (see tools/test --accept), and
# those that the headers declare.
do_symbols() {
    library=$prefix/$LIBDIR/libsoftfp8.so
    archive=$prefix/$LIBDIR/libsoftfp8.a
    kept=lib/tests/consumer/symbols.txt
    bad=0
    if [ -e "$library" ]; then
        "$NM" -D --defined-only "$library" | awk '$2 != "A" { print $NF }' | sed 's/@.*//' \
            | LC_ALL=C sort -u > exported
        "$NM" -D --undefined-only "$library" | awk '{ print $NF }' | sed 's/@.*//' \
            | LC_ALL=C sort -u > needed
        for header in "$prefix"/include/softfp8*.h; do
            case $header in *_single.h | *_diagnose.h | *_fused.h | *_judge.h | *_test.h) ;; *) echo "#include <${header##*/}>" ;; esac
        done > all.h
        "$CC" -E -P -I "$prefix/include" -include ./all.h -x c /dev/null | tr ';' '\n' \
            | grep visibility | sed 's/.*[ *]\(sf8_[a-z0-9_]*\)(.*/\1/' \
            | LC_ALL=C sort -u > declared
        echo "$(wc -l < exported) symbols exported, $(wc -l < declared) declared"
        if ! diff -u "$SOURCE/$kept" exported > changed; then
            if [ -n "${SOFTFP8_ACCEPT:-}" ]; then
                cp exported "$SOURCE/$kept"
                echo "$kept" >> "$SOFTFP8_ACCEPT"
            else
                cat changed
                echo "$kept differs; if this is meant, tools/test --accept"
                bad=1
            fi
        fi
        minor=$(sed -n 's/.* SF8_VERSION "\([0-9]*\.[0-9]*\)\..*/\1/p' "$SOURCE/lib/include/softfp8.h")
        prints " (SONAME) Library soname: [libsoftfp8.so.$minor]" \
            sh -c "readelf -dW '$library' | sed -n 's/.*\( (SONAME)\) */\1 /p'"
        if "$NM" -D --defined-only "$library" | awk '$2 != "A" && $3 !~ /@@SOFTFP8_0\./' | grep .; then
            echo "exported without a version"
            bad=1
        fi
        if grep -v '^sf8_' exported; then
            echo "exported, and not sf8_"
            bad=1
        fi
        if ! diff declared exported > difference; then
            echo "declared and not exported (<), exported and not declared (>):"
            grep '^[<>]' difference
            bad=1
        fi
        # A few functions of libc, getenv for the level of array functions, and what compilers and
        # linkers put in by themselves.
        allowed='getenv|mem(cpy|move|set|cmp|chr)|str(len|cmp|ncmp|chr|str|spn|cspn)|__mem(cpy|set)_chk'
        allowed="$allowed|__stack_chk_fail|__cxa_finalize|__gmon_start__|_ITM_.*TMCloneTable"
        if grep -vxE "$allowed" needed; then
            echo "needed from outside, and not among the few functions of libc allowed"
            bad=1
        fi
    fi
    if [ -e "$prefix/$LIBDIR/libsoftfp8_diagnose.so" ]; then
        "$NM" -D --defined-only "$prefix/$LIBDIR/libsoftfp8_diagnose.so" | awk '$2 != "A" { print $NF }' \
            | sed 's/@.*//' | LC_ALL=C sort -u > exported
        sed -n 's/^SF8_API .*[ *]\(sf8_[a-z0-9_]*\)(.*/\1/p' "$prefix"/include/softfp8_diagnose.h \
            "$prefix"/include/softfp8_fused.h "$prefix"/include/softfp8_judge.h \
            "$prefix"/include/softfp8_test.h \
            | LC_ALL=C sort -u > declared
        if ! diff declared exported; then
            echo "softfp8_diagnose: declared and not exported (<), exported and not declared (>)"
            bad=1
        fi
    fi
    # Allowed are both `known` of levels/levels.c, and both `tables` of arrays/tables.c.
    "$NM" "$archive" | awk '$2 ~ /^[bBC]$/ { print $3 }' | sed 's/\.[0-9]*$//' | sort | uniq -c \
        | awk '{ print $1, $2 }' > variables
    ${SIZE:-size} -A "$archive" \
        | awk '$1 ~ /^\.t?data(\.|$)/ && $1 !~ /^\.data\.rel\.ro/ && $2 > 0' >> variables
    if grep -vxE '[12] known|2 tables' variables; then
        echo "the library has variables"
        bad=1
    fi
    exit $bad
}

do_cuda() {
    sass="-gencode=arch=compute_90a,code=sm_90a"
    say "$NVCC" -std=c++17 "$sass" -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror \
        -I "$prefix/include" "$here/core.cu" -o core
    say ./core
}

case $test in
install) do_install ;;
cmake) do_cmake ;;
embedded) do_embedded ;;
plain) do_plain ;;
threads) do_threads ;;
tcc) compiler env tcc ;;
musl) compiler env musl-gcc -static ;;
mingw64) mingw x86_64-w64-mingw32-gcc ;;
mingw32) mingw i686-w64-mingw32-gcc ;;
zig) ZIG_GLOBAL_CACHE_DIR=$work/cache compiler env zig cc ;; # a newer clang; pip install ziglang
clang-ms) do_clang_ms ;;
hip) do_hip ;;
gtest) framework gtest -lgtest -lgtest_main -pthread ;;
catch2) framework catch2 ;;
meson) do_meson ;;
pkg-config) do_pkg_config ;;
single-c)
    single "$CC" c11 "$SOURCE/examples/single-header/example.c"
    single_levels
    ;;
single-cxx)
    cp "$SOURCE/examples/single-header/example.c" single.cpp
    single "$CXX" c++17 single.cpp
    single "$CXX" c++20 single.cpp
    ;;
numbers-cxx) do_numbers ;;
includes-c) includes "$CC" -std=c11 ;;
includes-cxx) includes "$CXX" -std=c++17 -x c++ ;;
headers-c) headers c "$CC" -std=c11 $warnings -pedantic -fsyntax-only ;;
headers-cxx)
    headers cpp "$CXX" -std=c++17 $warnings -pedantic -fsyntax-only
    headers cpp "$CXX" -std=c++20 $warnings -pedantic -fsyntax-only
    ;;
headers-cuda)
    headers cu "$NVCC" -std=c++17 -gencode=arch=compute_90a,code=sm_90a -cubin \
        -Werror all-warnings -Xcompiler -Wall,-Wextra,-Wshadow,-Werror
    ;;
symbols) do_symbols ;;
cuda) do_cuda ;;
*)
    echo "consumer.sh: no test '$test'" >&2
    exit 2
    ;;
esac
