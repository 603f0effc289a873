# SPDX-License-Identifier: MIT
# test_bazel.sh -- a program that Bazel builds uses the sources as an external repository
#
# Debian's Bazel 4 reads WORKSPACE, which the test writes, and not MODULE.bazel. It would fetch
# rules_cc and rules_java, whose rules it also has inside; the test gives it these. Exit status 77,
# which ctest counts as skipped: there is no bazel.
command -v bazel > /dev/null || { echo "skipped: no bazel"; exit 77; }

# rules LANGUAGE RULE...: the repository rules_LANGUAGE, with rules that Bazel itself has.
rules() {
    language=$1
    shift
    mkdir -p "rules_$language/$language"
    touch "rules_$language/WORKSPACE" "rules_$language/$language/BUILD"
    for rule in "$@"; do
        echo "$rule = native.$rule"
    done > "rules_$language/$language/defs.bzl"
}
rules cc cc_binary cc_library cc_toolchain cc_toolchain_suite
rules java java_binary java_import java_library java_runtime java_toolchain
mkdir softfp8 program
cp -R "$source/lib" "$source/BUILD.bazel" softfp8
touch softfp8/WORKSPACE
same "the version of the module is the library's" \
    "$(sed -n 's/^project(softfp8 VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")" \
    "$(sed -n 's/^module(.*version = "\(.*\)")/\1/p' "$source/MODULE.bazel")"
cp "$source/examples/c/example.c" program
cat > program/WORKSPACE << 'END'
local_repository(name = "softfp8", path = "../softfp8")
local_repository(name = "rules_cc", path = "../rules_cc")
local_repository(name = "rules_java", path = "../rules_java")
END
cat > program/BUILD << 'END'
load("@rules_cc//cc:defs.bzl", "cc_binary")
cc_binary(name = "example", srcs = ["example.c"], deps = ["@softfp8"])
END
cd program
status "the program is built" 0 bazel --batch --output_user_root="$dir/bazel" build \
    --jobs=2 //:example
if [ "$got" -ne 0 ]; then
    tail -n 30 err
fi
status "and runs" 0 bazel-bin/example
same "it prints" "saturated: 7e = 448
otherwise: 7f, flags 05" "$(cat out)"
# The example needs few files of the library; the exported functions come from all.
recorded=$source/lib/tests/consumer/symbols.txt
find -L bazel-bin/external/softfp8/_objs -name '*.o' -exec nm {} + \
    | sed -n 's/.* T \(sf8_.*\)/\1/p' | sort -u > made
same "a function that is recorded" 1 "$(grep -cx sf8_convert "$recorded")"
same "no function is missing" "" "$(comm -23 "$recorded" made | head -n 5)"
cd ..
chmod -R u+w "$dir/bazel"
