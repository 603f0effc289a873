# SPDX-License-Identifier: MIT
# test_conan.sh -- Conan makes a package with the recipe in tools/packaging/conan, and uses it
#
# $SOFTFP8_BUILD/conan is an environment of Python with Conan.
python_with conan conan

CONAN_HOME=$PWD/home
export CONAN_HOME
status "a profile" 0 "$environment/bin/conan" profile detect
cp -R "$source/examples" examples
mkdir -p tools/packaging
cp -R "$source/tools/packaging/conan" tools/packaging/conan
cp -R "$source/CMakeLists.txt" "$source/LICENSE" "$source/cmake" "$source/lib" .
# Debug is the build that takes the compiler the least time.
status "conan create" 0 "$environment/bin/conan" create tools/packaging/conan -s build_type=Debug
if [ "$got" -ne 0 ]; then
    tail -n 30 out err
fi
same "the example runs" 1 "$(cat out err | grep -cxF 'saturated: 7e = 448')"
package=$(find home/p -path '*/p/lib/libsoftfp8.a')
package=${package%/lib/*}
same "the license is in it" yes "$([ -f "$package/licenses/LICENSE" ] && echo yes)"
same "and only what Conan does not make itself" "include lib licenses " "$(for path in "$package"/*; do
    [ -d "$path" ] && printf '%s ' "${path##*/}"
done)$(ls -d "$package/lib/cmake" 2> /dev/null)"
