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
"$softfp8" gen e4m3_mulAdd 2> err | head -n 1 > out
same "a closed pipe is quiet" "" "$(cat err)"
"$softfp8" gen e4m3_mulAdd -o big & pid=$!
sleep 0.1
kill $pid
got=0
wait $pid 2> /dev/null || got=$?
same "a run that was killed" 143 $got
same "leaves nothing" "" "$(ls | grep '^big' || true)"

# ---- large tables in jobs: as the uninterrupted gen, whoever wrote which job
# jobs WHAT N OPTION...: the jobs of N shards together
jobs() {
    what=$1
    n=$2
    shift 2
    rm -rf part.*
    "$softfp8" gen "$@" > want
    for i in $(seq "$n" -1 1); do
        status "$what: shard $i" 0 "$softfp8" gen --keep "part.$i" --shard "$i/$n" "$@"
    done
    status "$what: together" 0 "$softfp8" gen --join part.*
    same_file "$what: the table" want out
}
jobs 'all cases' 3 f16_add -n 2200000 --columns operands --header -prefix start
same 'one job in each of three folders' '1-of-3 2-of-3 3-of-3' "$(echo $(ls part.1/cases part.2/cases part.3/cases | grep of))"
jobs 'random bits' 2 e4m3_add -rstoch 8 -n 2200000 --format csv
jobs 'a whole table with random bits' 2 e3m4_div -rstoch 8
jobs 'binary' 2 f32_to_e4m3 -n 1200000 --format npy
status 'the whole in one folder' 0 "$softfp8" gen f32_to_e4m3 -n 1200000 --format npy --keep part.1
status 'the folder alone' 0 "$softfp8" gen --join part.1 -o got
same_file 'its table' want got
refuses 'a job is missing' '1 of 2 jobs are missing, the first is f32_to_e4m3, part 1 of 2' \
    "$softfp8" gen --join part.2
refuses 'another table' "part.1 is the folder of another run: there policy is 'ocp', not 'ocp round=rz'" \
    "$softfp8" gen f32_to_e4m3 -n 1200000 --format npy --round rz --keep part.1
refuses 'another seed' "there seed is '1', not '2'" \
    "$softfp8" gen f32_to_e4m3 -n 1200000 --format npy -seed 2 --keep part.1
printf 'x' >> part.1/cases/2-of-2
refuses 'an edited job' 'part.1/cases/2-of-2: expected the cases that part.1/f32_to_e4m3@2-of-2.job' \
    "$softfp8" gen --join part.1 -o edited
rm part.1/cases/2-of-2
refuses 'no job' 'part.1/cases/2-of-2' "$softfp8" gen --join part.1 -o edited
[ ! -e edited ] || failed 'a damaged table was written'
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
status 'how far a whole table is' 0 "$softfp8" gen --status part.1
same 'no more to do' '2 of 2 jobs are written' "$(cut -d , -f 1 out)"
refuses '--keep with -o' '--keep keeps jobs of cases: leave out' "$softfp8" gen f32_mul --keep a -o b
refuses '--shard alone' '--shard and --budget need --keep' "$softfp8" gen f32_mul --shard 1/2
refuses 'no such shard' '--shard 3/2: expected I/N with I from 1 to N' "$softfp8" gen f32_mul --keep a --shard 3/2
refuses '--join without folders' '--join: expected the folders of --keep' "$softfp8" gen --join
refuses '--join with a choice' '--join: expected the folders of --keep' "$softfp8" gen --join -seed 3 part.1
refuses 'a folder of another program' "not a folder of gen --keep, but of 'prove'" sh -c \
    "sed 's/program gen/program prove/; /^end /d' part.2/plan.txt > p; { cat p; printf 'end sha256=%s\n' \"\$(sha256sum < p | cut -d ' ' -f 1)\"; } > part.2/plan.txt; rm part.2/*.job; exec '$softfp8' gen --join part.2"
