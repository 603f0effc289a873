# SPDX-License-Identifier: MIT
# test_json_schema.sh -- runs json_schema.py with the package jsonschema in an environment of its own
#
# $SOFTFP8_BUILD/jsonschema is that environment.
python_with jsonschema jsonschema
if ! "$python" "$source/tools/tests/json_schema.py" "$softfp8" "$source" > said 2>&1; then
    failed "files and their schemas agree with ver"
    cat said
fi
tests=$((tests + 1))
