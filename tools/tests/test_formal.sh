# SPDX-License-Identifier: MIT
# test_formal.sh -- proves the quick goals of docs/proofs.md, and refutes a mutant
#
# $SOFTFP8_BUILD/solvers is the environment of Python with the solver. Exit status 77, which ctest
# counts as skipped: no Python with venv, no clang, no opt of LLVM, or no package index.
here=$SOFTFP8_BUILD/solvers
prove=$source/python/formal/prove.py

skip() {
    echo "skipped: $*"
    exit 77
}

python3 -c 'import ensurepip, venv' 2> /dev/null || skip "needs Python 3 with venv (python3-venv)"
command -v clang > /dev/null || skip "needs clang"
command -v opt > /dev/null || ls /usr/bin/opt-[0-9]* > /dev/null 2>&1 || skip "needs opt of LLVM"
[ -x "$here/bin/python" ] || python3 -m venv "$here" || skip "python3 -m venv does not work"
"$here/bin/python" -c 'import bitwuzla' 2> /dev/null \
    || "$here/bin/python" -m pip --quiet --disable-pip-version-check install bitwuzla \
    || skip "no package index"
status "the quick goals" 0 "$here/bin/python" "$prove" --quick --out "$PWD/results"
cat out err
status "a mutant" 0 "$here/bin/python" "$prove" --mutants --only 'order.f64_to_e4m3.ocp' \
    --out "$PWD/results"
cat out err
