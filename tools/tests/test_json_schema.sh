# SPDX-License-Identifier: MIT
# test_json_schema.sh -- runs json_schema.py with the package jsonschema in an environment of its own
#
# $SOFTFP8_BUILD/jsonschema is that environment. Exit status 77, which ctest counts as skipped: no
# Python with venv, or no package index.
here=$SOFTFP8_BUILD/jsonschema

skip() {
    echo "skipped: $*"
    exit 77
}

python3 -c 'import ensurepip, venv' 2> /dev/null || skip "needs Python 3 with venv (python3-venv)"
[ -x "$here/bin/python" ] || python3 -m venv "$here" || skip "python3 -m venv does not work"
"$here/bin/python" -c 'import jsonschema' 2> /dev/null \
    || "$here/bin/python" -m pip --quiet --disable-pip-version-check install jsonschema \
    || skip "no package index"
if ! "$here/bin/python" "$source/tools/tests/json_schema.py" "$softfp8" "$source" > said 2>&1; then
    failed "files and their schemas agree with ver"
    cat said
fi
tests=$((tests + 1))
