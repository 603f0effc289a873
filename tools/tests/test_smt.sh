# SPDX-License-Identifier: MIT
# test_smt.sh -- runs smt_proof.py with the package z3-solver in an environment of its own
#
# $SOFTFP8_BUILD/z3 is that environment. Exit status 77, which ctest counts as skipped: no Python
# with venv, or no package index.
here=$SOFTFP8_BUILD/z3

skip() {
    echo "skipped: $*"
    exit 77
}

python3 -c 'import ensurepip, venv' 2> /dev/null || skip "needs Python 3 with venv (python3-venv)"
[ -x "$here/bin/python" ] || python3 -m venv "$here" || skip "python3 -m venv does not work"
"$here/bin/python" -c 'import z3' 2> /dev/null \
    || "$here/bin/python" -m pip --quiet --disable-pip-version-check install z3-solver \
    || skip "no package index"
status "z3 proves the definitions" 0 "$here/bin/python" "$source/tools/tests/smt_proof.py" "$softfp8"
cat out err
