# SPDX-License-Identifier: MIT
# test_resume.sh -- runs of conform and record that are killed, stopped, continued, shared, joined
#
# With SOFTFP8_TIER=full the case has 2^32 inputs and many parts; that takes minutes. Where the tier
# is short, there are fewer cases, kills and shards.
. "$source/tools/softfp8/tests/common.sh"
shim=${softfp8%/*}/softfp8-shim
faulty=${softfp8%/*}/softfp8-test-faulty

# The cases that are run: about a second on one core.
kills=10 shards='3 17'
case ${SOFTFP8_TIER-} in
full) set -- --tier full --only cuda-host/float_to_fp8/e4m3/nosat ;;
short)
    set -- --only 'cuda-host/half*'
    kills=3 shards=3
    ;;
*) set -- --only 'cuda-host/[f-h]*' ;;
esac

# A report without what may differ from run to run.
bare() {
    sed -E 's/"(date|shard|shards)": ("[^"]*"|[0-9]+)/"\1": 0/g; s/"(subject_)?seconds": [0-9.]+/"seconds": 0/g' "$1"
}
# same_report WHAT REPORT REPORT
same_report() {
    bare "$2" > one
    bare "$3" > two
    same_file "$1" one two
}
# timed WHAT PROGRAM...: its status must be 0; $longest receives the seconds that it took.
timed() {
    what=$1
    shift
    began=$(date +%s.%N)
    status "$what" 0 "$@"
    longest=$(awk "BEGIN { print $(date +%s.%N) - $began }")
}
# ended PROGRAM...: runs it, and kills it with SIGKILL at a random time before $longest.
seed=$$
ended() {
    seed=$((seed + 1))
    moment=$(awk -v s=$seed -v most=$longest 'BEGIN { srand(s); print 0.02 + rand() * most }')
    got=0
    timeout -s KILL "$moment" "$@" > out 2> err < /dev/null || got=$?
    case $got in
    0 | 137) ;; # it was faster, or it was killed
    *) failed "killed after $moment s: status $got: $*" ;;
    esac
}
jobs() { find "$1" -name '*.job' | wc -l | tr -d ' '; }
join() { "$softfp8" conform --join "$@"; }

# ---- killed several times, then continued

timed 'without a break' "$softfp8" conform "$@" --json whole.json
for kill in $(seq $kills); do
    ended "$softfp8" conform "$@" --keep killed --jobs 2
done
mkdir -p killed
kept=$(jobs killed)
all=$(grep -c '{"name": ' whole.json)
tests=$((tests + 1))
[ "$kept" -gt 0 ] || failed "$kills runs of up to $longest s were killed, seed $seed: no job was kept"
status 'the rest' 0 "$softfp8" conform "$@" --keep killed --json killed.json
same_report "killed, with $kept jobs: one run <, continued >" whole.json killed.json
status 'once more' 0 "$softfp8" conform "$@" --keep killed --json again.json
grep -v '"date": ' killed.json > one
grep -v '"date": ' again.json > two
same_file 'nothing is run twice: the times stay' one two
status 'how far it is' 0 "$softfp8" conform --status killed
same 'complete' 'The run is complete.' "$(tail -n 1 out)"
status 'the report of the folder' 0 join killed --json joined.json
same_report 'the folder: one run <, joined >' whole.json joined.json
digest=$(join killed | sed -n 's/^digest: //p')
same 'a digest' 64 "$(printf %s "$digest" | wc -c | tr -d ' ')"

# ---- shards, in any order

for n in $shards; do
    i=1
    while [ "$i" -le "$n" ]; do
        status "shard $i of $n" 0 "$softfp8" conform "$@" --keep "part_$n.$i" --shard "$i/$n"
        i=$((i + 1))
    done
    status "$n shards" 0 join $(ls -d part_$n.* | sort -r) --json joined.json
    same "$n shards: the digest" "$digest" "$(sed -n 's/^digest: //p' out)"
    same_report "$n shards: one run <, joined >" whole.json joined.json
done
same 'the other order' "$digest" "$(join part_3.2 part_3.3 part_3.1 | sed -n 's/^digest: //p')"
same 'jobs are dealt one by one' 1 "$(for i in 1 2 3; do jobs part_3.$i; done | sort -n |
    awk 'NR == 1 { least = $1 } { most = $1 } END { print most - least <= 1 }')"
status 'a shard over all jobs' 0 "$softfp8" conform "$@" --keep part_3.1 --shard 1/3
same 'has the report of its own' "$(ls part_3.1/*.job | sed 's/@.*//' | sort -u | wc -l)" \
    "$(sed -nE 's/^([0-9]+) passed.*/\1/p' out)"
status 'more shards than cases' 0 "$softfp8" conform --only 'cuda-host/fp8_to_halfraw/e4m3' \
    --keep few --shard 9/9
status 'a job that is in two folders' 0 join part_3.1 part_3.2 part_3.3 killed
same 'counts once' "$digest" "$(sed -n 's/^digest: //p' out)"

# ---- what does not belong together is refused, by the name of the file; check_jobs.c has more

victim=$(ls part_3.1/*.job | head -n 1)
name=${victim##*/}
file_of_it=$(printf '%s' "$name" | sed 's/[.+]/[.+]/g')
# sealed FILE: with its last line made anew, as an editor that knows the format would
sealed() {
    sed '$d' "$1" > sealed
    printf 'end sha256=%s\n' "$(sha256sum < sealed | cut -d ' ' -f 1)" >> sealed
    cp sealed "$1"
}
# rejected WHAT PATTERN: with the victim changed; then it is put back
rejected() {
    refuses "$1" "$2" join part_3.1 part_3.2 part_3.3
    cp good "$victim"
}
cp "$victim" good
sed 's/^counts [0-9]*/counts 1/' good > "$victim"
rejected 'edited' "part_3.1/$file_of_it:[0-9]+: expected a last line with the digest"
sed 's/^status passed/status fine/' good > "$victim"
sed -i 's/^body .*/body 0/' "$victim"
sealed "$victim"
rejected 'a body of another length' "part_3.1/$file_of_it:[0-9]+: expected "
sed 's/^status passed/status failee/' good > "$victim"
sealed "$victim"
rejected 'no status' "part_3.1/$file_of_it: expected a status"
sed 's/^\(counts [0-9]*\) 0/\1 9/' good > "$victim"
sealed "$victim"
rejected 'passed, with differences' "part_3.1/$file_of_it: expected a result whose status follows"
status 'another run' 0 "$softfp8" conform --only 'cuda-host/fp8_to_half*' --keep other
refuses 'a folder of another run' "other is the folder of another run than part_3.1: there (tier is 'quick'|only is 'cuda-host/fp8_to_half[*]')" \
    join part_3.1 part_3.2 other part_3.3
refuses 'to continue it with other options' "other is the folder of another run: there only is " \
    "$softfp8" conform --only 'cuda-host/fp6*' --keep other
sed 's/^term source ......../term source 00000000/' other/plan.txt > plan
cp plan other/plan.txt
refuses 'an edited plan' 'other/plan.txt:[0-9]+: expected a last line' join other
rm other/*.job
sealed other/plan.txt
refuses 'other sources' "other is the folder of another run: there source is '00000000" join other
refuses 'no folder' 'absent: expected the folder of a run, with a file plan.txt' join absent
refuses 'no folders' 'no DIR given' join
refuses 'no run' 'absent: expected the folder' "$softfp8" conform --status absent
refuses 'nothing to do again' '--redo-failed needs --keep' "$softfp8" conform --redo-failed
refuses '--budget' '--budget x: expected a number' "$softfp8" conform --budget x
[ ! -e absent ] || failed 'a folder that was only read'
status 'all is as it was' 0 join part_3.1 part_3.2 part_3.3

# ---- a failure is kept, and done again when asked

status 'a failure' 1 "$faulty" --only '*/ties_away' --keep failed --json one.json
status 'from the folder' 1 "$faulty" --only '*/ties_away' --keep failed --json two.json
same_report 'with its explanation' one.json two.json
grep -q '"diagnosis": "' two.json || failed 'no explanation'
ls -i failed/*.job > before
status 'nothing is done again' 1 "$faulty" --only '*/ties_away' --keep failed
ls -i failed/*.job > after
same_file 'nothing is done again' before after
status 'it is done again' 1 "$faulty" --only '*/ties_away' --keep failed --redo-failed
ls --time-style=+%s.%N -l failed/*.job > after
tests=$((tests + 1))
[ "$(find failed -name '*.job' -newer before | wc -l)" -gt 0 ] || failed 'it was not done again'
status 'a crash' 1 "$faulty" --only '*/crash*' --keep broken
same 'is not kept' 0 "$(jobs broken)"

# ---- stopped by a budget, by a signal

long="--tier full --only cuda-host/f* --jobs 2"
began=$(date +%s)
status 'a budget' 3 "$softfp8" conform $long --budget 1 --keep budget
tests=$((tests + 1))
[ $(($(date +%s) - began)) -le 12 ] || failed "a budget of 1 s took $(($(date +%s) - began)) s"
grep -qE '^softfp8 conform: stopped by the budget of 1 seconds: [0-9]+ of [0-9]+ parts are done; the same command does the rest' err ||
    failed 'a budget: what it says'
same 'one line' 1 "$(wc -l < err | tr -d ' ')"
grep -qE '^skipped: .*stopped before it was run' out || failed 'a budget: the report'
grep -qE ' 0 failed, 0 known, ' out || failed 'a budget: failures'
status 'how far it is' 0 "$softfp8" conform --status budget
grep -qE '^(The rest takes about|all  *0)' out || failed 'how far it is: the rest'
status 'without a folder' 3 "$softfp8" conform $long --budget 1
grep -qE 'stopped by the budget of 1 seconds: [0-9]+ parts of cases were not run; with --keep' err ||
    failed 'without a folder: what it says'
for signal in TERM INT; do
    "$softfp8" conform $long --keep signal > out 2> err < /dev/null &
    pid=$!
    sleep 1
    # a shell starts what is in the background with SIGINT ignored; the command takes it over
    kill -$signal $pid
    got=0
    wait $pid || got=$?
    same "SIG$signal: the status" 3 "$got"
    grep -q "stopped by SIG$signal: [0-9]* of " err || failed "SIG$signal: what it says"
    same "SIG$signal: jobs are finished" 0 "$(find signal -name '.softfp8*' | wc -l | tr -d ' ')"
done
tests=$((tests + 1))
[ "$(jobs signal)" -ge 2 ] || failed 'jobs that ran when the signal came are kept'

# ---- the order: the first part of every family, then the second

# arrays/portable and compiler: nothing of these is skipped, whatever the processor has
status 'two families' 0 "$softfp8" conform --only '[ac][ro][rm]*[le][er]/f*' --jobs 1 --keep order
same 'in turn' "$(ls order/*.job | sed 's|.*/||; s|+.*||' | sort -u)" \
    "$(ls -tr order/*.job | sed 's|.*/||; s|+.*||' | head -n "$(ls order/*.job |
        sed 's|.*/||; s|+.*||' | sort -u | wc -l)" | sort)"

# ---- a record, on this processor instead of a GPU

if [ -x "$shim" ]; then
    set -- --only '*/halfraw*'
    timed 'a record' "$shim" record "$@" --keep record
    for kill in $(seq $kills); do
        ended "$shim" record "$@" --keep again
    done
    status 'the rest of it' 0 "$shim" record "$@" --keep again
    for file in cases tables; do
        sed 's/^end .*/end/' record/$file.txt > one
        sed 's/^end .*/end/' again/$file.txt > two
        same_file "the record: $file.txt, one run <, continued >" one two
    done
    for i in 1 2 3; do
        status "shard $i" 0 "$shim" record "$@" --keep shard.$i --shard $i/3
    done
    status 'a record from shards' 0 "$shim" conform --join shard.3 shard.1 shard.2 --record joined
    same 'the digest' "$(sed -n 's/^digest: //p' out)" \
        "$("$shim" conform --join again/jobs | sed -n 's/^digest: //p')"
    for file in cases tables; do
        sed 's/^end .*/end/' joined/$file.txt > two
        sed 's/^end .*/end/' record/$file.txt > one
        same_file "the record: $file.txt, one run <, shards >" one two
    done
    status 'its replay' 0 "$softfp8" conform --records joined --only 'record/*'
    status 'how far it is' 0 "$shim" record --status record
    same 'complete' 'The run is complete.' "$(tail -n 1 out)"
    status 'stopped' 3 "$shim" record --only 'kv-store/*' --keep stopped --budget 1
    grep -q 'stopped by the budget of 1 seconds' err || failed 'a record that is stopped'
    status 'what is finished can be replayed' 0 "$softfp8" conform --records stopped --only 'record/*'
    refuses 'a record of conform' 'leaves no record' join killed --record none
else
    echo 'skipped: no shim'
fi
