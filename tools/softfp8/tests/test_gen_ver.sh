# SPDX-License-Identifier: MIT
# test_gen_ver.sh -- gen and ver: TestFloat's lines and reports, literal cases, bad usage
# ---- output is complete or absent
echo before > real
ln -s real link
status "a symbolic link" 0 "$softfp8" gen e2m1_abs -o link
same "stays one" real "$(readlink link)"
same "and its file is written" 16 "$(wc -l < real)"
echo before > kept
refuses "a bad option leaves the file" "expected" "$softfp8" gen e4m3_add -o kept --round up
same "as it was" before "$(cat kept)"
if [ -c /dev/full ]; then
    tests=$((tests + 1))
    "$softfp8" gen e4m3_add > /dev/full 2> err && failed "a full disk"
    same "its message" "softfp8 gen: cannot write standard output: No space left on device" "$(cat err)"
fi
"$softfp8" gen e4m3_mulAdd --all 2> err | head -n 1 > out
same "a closed pipe is quiet" "" "$(cat err)"
"$softfp8" gen e4m3_mulAdd --all -o big & pid=$!
sleep 0.1
kill $pid
got=0
wait $pid 2> /dev/null || got=$?
same "a run that was killed" 143 $got
same "leaves nothing" "" "$(ls | grep '^big' || true)"

# ---- a run of jobs that is stopped; gen_jobs.session has the others
"$softfp8" gen f32_mul -n 60000000 --columns operands --keep stopped 2> err &
pid=$!
sleep 1
kill -s TERM "$pid"
stopped=0
wait "$pid" || stopped=$?
same 'the status of SIGTERM' 3 "$stopped"
tests=$((tests + 1))
grep -qE '^softfp8 gen: stopped by SIGTERM; [0-9]+ of 58 jobs are left; the same command' err || failed 'its message'
touch -d '1 hour ago' stopped/cases/58-of-58.abcdef
touch stopped/cases/57-of-58.abcdef
status 'a budget' 3 "$softfp8" gen f32_mul -n 60000000 --columns operands --keep stopped --budget 1
same 'what a killed run left is removed, what is being written stays' 57-of-58.abcdef \
    "$(cd stopped/cases && echo *.abcdef)"
status 'how far it is' 0 "$softfp8" gen --status stopped
grep -qE '^[0-9]+ of 58 jobs are written, in [0-9]+ core-seconds$' out || failed 'what is done'
grep -qE '^[0-9]+ are left, about [0-9]+ core-seconds by the pace so far$' out || failed 'what is left'
