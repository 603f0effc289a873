# SPDX-License-Identifier: MIT
# recorded.sh -- what the tests of kernels share: the digests of a report, and a record of some cases
# that is made here, replayed here, and changed

# digest NAME FILE
digest() { sed -nE "s,.*\"name\": \"$1\".*\"digest\": \"([0-9a-f]{64})\".*,\\1,p" "$2"; }

# differ NAME OTHER: two cases of report.json differ from each other on the same inputs.
differ() {
    tests=$((tests + 1))
    [ "$(digest "$1" report.json)" != "$(digest "$2" report.json)" ] || failed "$1 is as $2"
}

# replays PATTERN CASES GROUP DOMAIN PROGRAM
replays() {
    status 'a record' 0 "$softfp8" record --keep kept --only "$1"
    same 'lines of cases' "$2" "$(grep -cE "group=$3 inputs=$4:[0-9]+ digest=" kept/cases.txt)"
    status 'its replay' 0 "$5" conform --records kept --only 'record/*' --json replay.json
    same 'replayed' "$2" "$(grep -c '"name": "record/kept/.*"status": "passed"' replay.json)"
}

# as_then NAME: what came then is what is right now.
as_then() {
    same "$1, recorded" "$(digest "$1" report.json)" "$(digest "record/kept/$1" replay.json)"
}

# replay_changed SCRIPT WHAT CASES SAID: the lines of cases, changed by sed.
replay_changed() {
    sed -i "$1" kept/cases.txt
    "${softfp8%/*}/softfp8-test-mend_record" kept
    status "$2" 1 "$softfp8" conform --records kept --only 'record/*' --json replay.json
    same "$2: said" "$3" "$(grep -c "^  $4$" out)"
}
