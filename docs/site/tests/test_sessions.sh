# SPDX-License-Identifier: MIT
# test_sessions.sh -- the command in WebAssembly prints what the native one prints, byte for byte
#
# It plays the sessions of the native command with the module in its place. $SESSIONS is a pattern of
# their names. left_out.txt has those that the module cannot play, with reasons. $SOFTFP8_BUILD/wasm
# is the build of the module.
site=$source/docs/site
command -v node > /dev/null || skip "no node"
node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' || skip "node is older than 18"
command -v clang > /dev/null || skip "no clang"
echo 'int main(void) { return 0; }' > empty.c
clang --target=wasm32-wasi empty.c -o empty.wasm 2> said || skip "no wasi-libc, wasm-ld or libclang-rt for wasm32"

status "the module is configured" 0 cmake --preset wasm -S "$source" -B "$SOFTFP8_BUILD/wasm"
status "the module is built" 0 cmake --build "$SOFTFP8_BUILD/wasm" --target softfp8_command
[ "$got" -eq 0 ] || { tail -n 30 out err; finish; exit; }
module=$SOFTFP8_BUILD/wasm/bin/softfp8.wasm
same "less than 3 MB" yes "$([ "$(wc -c < "$module")" -lt 3000000 ] && echo yes)"

# In the place of the native command, beside its helpers.
mkdir bin
ln -s "${softfp8%/*}"/softfp8-test-* bin
printf '#!/bin/sh\nexec node "%s" "%s" "$@"\n' "$site/run.mjs" "$module" > bin/softfp8
chmod +x bin/softfp8

status "a process" 2 bin/softfp8 conform --only 'chain/*'
same "it says why" "softfp8: this build cannot start processes" "$(grep processes err)"

# Names of sessions: no blanks.
left_out=$(sed -n 's/^\([^# ]*\) .*/\1/p' "$site/tests/left_out.txt")
for name in $left_out; do
    same "$name is a session" yes "$([ -f "$source/$name" ] && echo yes)"
done
for session in "$source"/tools/softfp8/tests/*/*.session "$source"/tools/tests/*.session; do
    name=${session##*/}
    # A pattern.
    # shellcheck disable=SC2254
    case ${name%.session} in $SESSIONS) ;; *) continue ;; esac
    if echo "$left_out" | grep -qxF "${session#"$source"/}"; then continue; fi
    tests=$((tests + 1))
    got=0
    sh "$source/tools/softfp8/tests/run_test.sh" "$session" "$PWD/bin/softfp8" "$source" > out 2>&1 || got=$?
    case $got in 0 | 77) ;; *) failed "$name" && cat out ;; esac
done
