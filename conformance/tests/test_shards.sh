# SPDX-License-Identifier: MIT
# test_shards.sh -- conform --shard and --merge: the shards of a run are that run
#
# With SOFTFP8_TIER=full a case of 2^32 inputs is cut as well; that takes a minute.
. "$source/tools/softfp8/tests/common.sh"

# What a report says, without what may differ from run to run.
bare() {
    sed -E 's/"(date|shard|shards)": ("[^"]*"|[0-9]+)/"\1": 0/g; s/"(subject_)?seconds": [0-9.]+/"seconds": 0/g' "$1"
}

# shards WHAT N OPTION...: the reports of N shards and the one of a single run, in whole.json
shards() {
    what=$1
    n=$2
    shift 2
    status "$what" 0 "$softfp8" conform --json whole.json "$@"
    i=1
    rm -f shard_*.json
    while [ "$i" -le "$n" ]; do
        status "$what: shard $i" 0 "$softfp8" conform --json "shard_$i.json" --shard "$i/$n" "$@"
        i=$((i + 1))
    done
    status "$what: merge" 0 "$softfp8" conform --merge --json merged.json shard_*.json
    bare whole.json > whole
    bare merged.json > merged
    same_file "$what: one run <, shards >" whole merged
}

f16='cuda-host/halfraw*_to_fp8*'
shards 'one shard' 1 --only "$f16"
shards 'three shards' 3 --only "$f16"
same 'cases in three shards' 8 "$(cat shard_*.json | grep -c '{"name": ')"
shards 'more shards than cases' 10 --only "$f16"
same 'cases in ten shards' 8 "$(cat shard_*.json | grep -c '{"name": ')"
if [ "${SOFTFP8_TIER-quick}" = full ]; then
    shards '2^32 inputs, three shards' 3 --tier full --only 'cuda-host/float_to_fp8/e4m3/nosat'
    same 'a part in each shard' 3 "$(cat shard_*.json | grep -c '{"name": ')"
fi

# ---- what does not belong together
shards 'three shards' 3 --only "$f16"
merge() { "$softfp8" conform --merge "$@"; }
refuses 'a shard is missing' '2 reports of 3 shards' merge shard_1.json shard_2.json
refuses 'a shard twice' 'shard_2.json: shard 2 a second time' merge shard_1.json shard_2.json shard_2.json
refuses 'another choice' 'other.json: another choice of cases' sh -c \
    "'$softfp8' conform --json other.json --shard 3/3 --only 'cuda-host/fp8*' > table && exec '$softfp8' conform --merge shard_1.json shard_2.json other.json"
sed 's/"shards": 3/"shards": 4/' shard_3.json > other.json
refuses 'of another number' 'other.json: one of 4 shards, not of 3' merge shard_1.json shard_2.json other.json
refuses 'no report' 'expected the reports of the shards' merge
refuses 'no file' 'absent.json' merge absent.json
refuses 'a report without --merge' 'no operand is expected' "$softfp8" conform shard_1.json

# ---- what is no report: each names the file and the line
printf '' > empty.json
refuses 'an empty file' 'empty.json:1: expected an object' merge empty.json
printf '{"schema": 2, "shard": 1, "shards": 1}\n' > schema.json
refuses 'another schema' 'schema.json:1: expected a report' merge schema.json
lines=$(wc -l < shard_1.json)
head -n $((lines - 1)) shard_1.json > cut.json
refuses 'without its last line' "cut.json:$lines: " merge cut.json shard_2.json shard_3.json
head -c 700 shard_1.json > cut.json
refuses 'cut off' 'cut.json:[0-9]+: ' merge cut.json shard_2.json shard_3.json
line=$(grep -n '"name": ' shard_1.json | head -n 1 | cut -d : -f 1)
sed "${line}s/cuda-host/cuda-hust/" shard_1.json > other.json
refuses 'a case that is not here' "other.json:$line: there is no case 'cuda-hust/" \
    merge other.json shard_2.json shard_3.json
sed "${line}s/\"digest\": \"../\"digest\": \"x/" shard_1.json > other.json
refuses 'a digest that is none' "other.json:$line: expected a digest" merge other.json shard_2.json shard_3.json
sed "${line}s/\"parts\": 1/\"parts\": 0/" shard_1.json > other.json
refuses 'no parts' "other.json:$line: expected a case with parts" merge other.json shard_2.json shard_3.json
sed "${line}d" shard_1.json > other.json
refuses 'a case is missing' 'no report has the case cuda-host/halfraw' merge other.json shard_2.json shard_3.json

# ---- a part that failed makes the whole fail
sed "${line}s/\"status\": \"passed\"/\"status\": \"failed\"/; ${line}s/\"differ\": 0/\"differ\": 1/" shard_1.json > other.json
status 'a shard that failed' 1 merge other.json shard_2.json shard_3.json
grep -q '1 failed' out || failed 'the table of a shard that failed'
