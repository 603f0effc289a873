# SPDX-License-Identifier: MIT
# test_prove_jobs.sh -- softfp8-compare-mpfr in jobs: killed and resumed, in shards, joined,
# stopped, with damaged folders
. "$source/tools/softfp8/tests/common.sh"
prove=$softfp8

# The rows of the tests: some 50 jobs, a second.
only='fma/e[23]m[23] add/e4m3 add/e5m2 add/*fnuz add/e4m3ieee blocks-dot/*'

# A table without seconds.
bare() { sed -E 's/ +(seconds|[0-9]+\.[0-9]+)$//' "$1"; }

# seal FILE: gives an edited job the last line that it would have been written with.
seal() {
    sed '$d' "$1" > sealed
    printf 'end sha256=%s\n' "$(sha256sum < sealed | cut -d ' ' -f 1)" >> sealed
    mv sealed "$1"
}

# edit FILE SCRIPT: changes a job by sed and seals it.
edit() {
    sed "$2" "$1" > edited
    if cmp -s "$1" edited; then failed "no '$2' in $1"; fi
    mv edited "$1"
    seal "$1"
}

status 'a run without a folder' 0 "$prove" --only "$only"
bare out > table
# 2 x 2^18 x 14 of fma, 6 x 2^16 x 14 of add, 36 x 1,350 of blocks-dot
same 'no case is left out' 'total: 44 rows, 12,893,656 cases, 0 mismatches' "$(grep '^total' table)"
status 'a run that keeps its jobs' 0 "$prove" --only "$only" --keep whole
bare out > whole.table
grep '^digest: ' whole.table > digest
same 'a line with the digest' 1 "$(wc -l < digest)"
sed '/^digest: /d' whole.table > whole.rest
same_file 'the table with and without jobs' table whole.rest

# ---- killed at any moment, and resumed
for wait in 0.05 0.21 0.13 0.32 0.08 0.17 0.24 0.11 0.06 0.36; do
    "$prove" --only "$only" --keep killed > out 2> err &
    pid=$!
    sleep "$wait"
    kill -9 "$pid" 2> kill.err || true
    wait "$pid" 2> wait.err || true
done
status 'a run that was killed ten times' 0 "$prove" --only "$only" --keep killed
bare out > killed.table
same_file 'its table' whole.table killed.table
status 'the same again, with nothing to do' 0 "$prove" --only "$only" --keep killed
bare out > killed.table
same_file 'its table, from the folder' whole.table killed.table
status 'how far it is' 0 "$prove" --status killed
grep -qE '^([0-9]+) of \1 jobs are done, in [0-9]+ core-seconds$' out || failed 'the status of a finished run'

# ---- shards
for n in 1 3 17; do
    i=$n
    folders=
    while [ "$i" -ge 1 ]; do
        status "shard $i of $n" 0 "$prove" --only "$only" --shard "$i/$n" --keep "s$n.$i"
        folders="$folders s$n.$i"
        i=$((i - 1))
    done
    # shellcheck disable=SC2086
    status "$n shards joined" 0 "$prove" --join $folders
    bare out > joined
    same_file "the table of $n shards" whole.table joined
done
status 'the other way round' 0 "$prove" --join s3.2 s3.3 s3.1
bare out > joined
same_file 'its table' whole.table joined
status 'jobs that were done twice' 0 "$prove" --join whole s3.2
bare out > joined
same_file 'its table' whole.table joined
for i in 1 2 3; do
    status "shard $i in a shared folder" 0 "$prove" --only "$only" --shard "$i/3" --keep shared
done
status 'the shared folder' 0 "$prove" --join shared
bare out > joined
same_file 'its table' whole.table joined

# ---- what does not belong together
refuses 'a shard is missing' 'jobs are missing, the first is [a-z0-9/]*, part [0-9] of [14]' "$prove" --join s3.1 s3.3
refuses 'another choice' 'whole is the folder of another run: there only is' \
    "$prove" --only 'add/*' --keep whole
refuses 'another tier' "whole is the folder of another run: there tier is 'quick', not 'brief'" \
    "$prove" --tier brief --only "$only" --keep whole
refuses 'no folder' 'nowhere: expected the folder of a run' "$prove" --join nowhere
refuses 'the status of no folder' 'nowhere: expected the folder of a run' "$prove" --status nowhere

# ---- damaged jobs, in a copy of the second shard; check_jobs.c has every damage
job=$(cd s3.2 && ls -- fma*@2-of-4.job)
row=$(expr "$job" : 'fma.\(.*\)@')
named="fma.$row@2-of-4.job"
damage() {
    rm -rf bad
    cp -r s3.2 bad
}
damage
head -c 200 "s3.2/$job" > "bad/$job"
refuses 'a truncated job' "bad/$named:.*the file is cut or edited; delete this file to run its job again$" \
    "$prove" --join s3.1 bad s3.3
refuses 'the status of a damaged folder' "bad/$named:.*the file is cut or edited" "$prove" --status bad
refuses 'going on in a damaged folder' "bad/$named:.*the file is cut or edited" \
    "$prove" --only "$only" --shard 2/3 --keep bad
rm "bad/$job"
status 'after that' 0 "$prove" --only "$only" --shard 2/3 --keep bad
status 'all is there' 0 "$prove" --join s3.1 bad s3.3
damage
sed '/^cases /y/0123456789/1234567890/' "s3.2/$job" > "bad/$job"
edit "bad/$job" 's/^host .*/host another/'
refuses 'another result of a job' "has two results: .*whole/.* and bad/$named of another" "$prove" --join whole bad
edit "bad/$job" 's/^modes /MODES /'
refuses 'a job with another text' "bad/$named: expected the result of a job of a proof" \
    "$prove" --join s3.1 bad s3.3

# ---- mismatches
damage
edit "bad/$job" 's/^mismatches 0/mismatches 7/'
status 'a join with a mismatch' 1 "$prove" --join s3.1 bad s3.3
grep -qE "^fma +$row .* 7 +[0-9.]+\$" out || failed 'the row with the mismatches'
same 'its total' ', 1 failed' "$(grep -o ', [0-9]* failed' out)"
status 'its status' 0 "$prove" --status bad
same 'the line about it' '1 have mismatches; --redo-failed does them again' "$(tail -n 1 out)"
status 'the shard with the mismatch' 1 "$prove" --only "$only" --shard 2/3 --keep bad
status 'the shard with failed jobs done again' 0 "$prove" --only "$only" --shard 2/3 --keep bad --redo-failed
status 'the join' 0 "$prove" --join s3.1 bad s3.3
bare out > joined
same_file 'its table' whole.table joined

# ---- stopped
# stops WHAT REASON: the run in the background ends with status 3, and says so.
stops() {
    tests=$((tests + 1))
    got=0
    wait "$pid" || got=$?
    [ "$got" -eq 3 ] || failed "$1: status $got instead of 3"
    tail -n 1 err | grep -qE "^softfp8-compare-mpfr: stopped by $2; [0-9]+ of [0-9]+ jobs are left; the same command goes on with them$" || {
        failed "$1: the message"
        cat err
    }
}
long='fma/* add/* mul/* div/*'
for signal in TERM INT; do
    # In the background of a shell SIGINT is ignored, unless the program asks for it.
    "$prove" --only "$long" --jobs 1 --keep stopped > out 2> err &
    pid=$!
    sleep 0.7
    kill -s "$signal" "$pid"
    stops "SIG$signal" "SIG$signal"
done
began=$(date +%s)
"$prove" --only "$long" --jobs 1 --keep stopped --budget 1 > out 2> err &
pid=$!
stops 'a budget' 'the budget of 1 seconds'
tests=$((tests + 1))
[ $(($(date +%s) - began)) -le 10 ] || failed 'the budget of one second took longer than ten'
grep -qE '^[0-9]+ rows were not finished$' out || failed 'the table of a stopped run'
status 'how far it is' 0 "$prove" --status stopped
grep -qE '^[0-9]+ are left, about [0-9]+ core-seconds by the pace so far$' out || failed 'the status of a stopped run'
status 'stopped without a folder' 3 "$prove" --only "$long" --jobs 1 --budget 0.5
same 'its message' ', and nothing is kept without --keep DIR' "$(tail -n 1 err | grep -o ', and nothing.*')"

# ---- bad usage
refuses 'no such shard' '--shard: expected I/N with I from 1 to N' "$prove" --shard 4/3
refuses 'shard 0' '--shard: expected I/N' "$prove" --shard 0/3
refuses 'no budget' '--budget: expected a number of seconds' "$prove" --budget soon
refuses 'no folders' '--join: expected folders, and no other option' "$prove" --join
refuses 'a choice with --join' '--join: expected folders, and no other option' "$prove" --tier full --join a
refuses 'a choice with --status' '--status: expected a folder, and no other option' "$prove" --tier full --status a
refuses '--redo-failed alone' '--redo-failed: expected --keep DIR' "$prove" --redo-failed
refuses 'no such option' '--shards: expected an option' "$prove" --shards 3
refuses 'no row' 'no row matches no/such' "$prove" --only no/such
status '--help' 0 "$prove" --help
