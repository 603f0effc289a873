# SPDX-License-Identifier: MIT
# test_packages.sh -- the cases packages/*: what becomes of the answers of softfp8.survey
#
# In place of the Python package softfp8 there is a module that answers what the test says.
. "$source/tools/softfp8/tests/common.sh"

command -v python3 > /dev/null || {
    echo "skipped: no python3"
    exit 77
}
unset PYTHONHOME

# packages: one case, the status of the command; what it says is in out.
packages() { "$softfp8" conform --only packages/ml_dtypes --json report.json > out 2>&1; }
say() { sed -n 's/^.*"why": "\([^"]*\)".*/\1/p' report.json; }

status=0
packages || status=$?
same "without softfp8 it is skipped" "3" "$status"
same "it says so" yes "$(grep -q 'python3 has no module named softfp8' out && echo yes)"

mkdir -p stub/softfp8/survey
touch stub/softfp8/__init__.py stub/softfp8/survey/__init__.py
cat > stub/softfp8/survey/__main__.py <<'END'
import os
def main(arguments):
    assert arguments[:4] == ["--package", "ml_dtypes", "--only", "*/[be]*"], arguments
    with open("matrix.json", "w") as file:
        file.write(os.environ["ANSWER"])
    return int(os.environ["VERDICT"])
END
PYTHONPATH=$PWD/stub
export PYTHONPATH ANSWER VERDICT

# answered WHAT STATUS SAID: with ANSWER and VERDICT.
answered() {
    status=0
    packages || status=$?
    same "$1: the status" "$2" "$status"
    same "$1: what it says" "$3" "$(say)"
}

cell='"from": "bf16", "to": "e4m3", "inputs": 65536'
VERDICT=0
ANSWER='{"packages": [{"status": "run", "version": "9.8", "cells": [{'$cell', "status": "equal"},
    {'$cell', "status": "known", "differ": 5}, {"status": "absent"}]}]}'
answered "right" 0 "ml_dtypes 9.8, 2 conversions"
same "its inputs" yes "$(grep -q '"inputs": 131072, "differ": 0' report.json && echo yes)"
ANSWER='{"packages": [{"status": "absent", "why": "ModuleNotFoundError: ml_dtypes", "cells": []}]}'
answered "not installed" 3 "python3 has no such package"
ANSWER='{"packages": [{"status": "absent", "why": "it hangs", "cells": []}]}'
answered "it does not start" 3 "it hangs"
ANSWER='{"packages": []}'
answered "no adapter" 3 "softfp8 has no adapter for it"
ANSWER='{"packages": [{"status": "run", "version": "9.8", "cells": [{'$cell', "status": "unclaimed"}]}]}'
answered "nothing is claimed" 3 "softfp8 names no policy for its conversions"
VERDICT=1
ANSWER='{"packages": [{"status": "run", "version": "9.8", "cells": [{'$cell', "status": "differs",
    "differ": 7, "claimed": "ml_dtypes", "diagnosis": "ties go away from zero",
    "ranges": [{"first": "3f88", "got": "39", "expected": "38"}]}, {'$cell', "status": "equal"}]}]}'
answered "wrong" 1 "bf16 to e4m3 is not ml_dtypes: ties go away from zero; 3f88 gives 39, expected 38"
same "how many" yes "$(grep -q '"inputs": 131072, "differ": 7' report.json && echo yes)"
ANSWER='{'
status=0
packages || status=$?
same "no JSON: the status" 1 "$status"
same "no JSON: what it says" "JSONDecodeError" "$(say | cut -d : -f 1)"
same "it is broken" yes "$(grep -q '"status": "broken"' report.json && echo yes)"
