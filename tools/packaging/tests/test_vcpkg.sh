# SPDX-License-Identifier: MIT
# test_vcpkg.sh -- the steps of the port for vcpkg make a package that a program can use
#
# vcpkg itself is not run: vcpkg_steps.cmake has its functions, as its documentation describes them.
port=$source/tools/packaging/vcpkg
same "the version of the port is the library's" \
    "$(sed -n 's/^project(softfp8 VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")" \
    "$(sed -n 's/.*"version": "\(.*\)",/\1/p' "$port/vcpkg.json")"
status "the portfile" 0 cmake -DPORT="$port" -DWORK="$PWD" -DMORE_OPTIONS=-DCMAKE_C_FLAGS_RELEASE=-O0 \
    -P "$source/tools/packaging/tests/vcpkg_steps.cmake"
cat err
same "what it installs" "include/softfp8.h lib/libsoftfp8.a share/softfp8/copyright share/softfp8/softfp8Config.cmake " \
    "$(cd packages && ls include/softfp8.h lib/*.* share/softfp8/*Config.cmake share/softfp8/copyright | tr '\n' ' ')"
same "no file names the folder of the build" "" "$(grep -rIl -e "$source/" -e "$PWD" packages)"
status "a program is configured" 0 cmake -G Ninja -S "$source/examples/cmake" -B use \
    -DCMAKE_PREFIX_PATH="$PWD/packages"
cat err
status "and built" 0 cmake --build use
status "and runs" 0 ./use/example
same "it prints" "saturated: 7e = 448
otherwise: 7f, flags 05" "$(cat out)"
