# SPDX-License-Identifier: MIT
# test_formal.sh -- proves the quick goals of docs/proofs.md, and refutes a mutant
#
# $SOFTFP8_BUILD/solvers is the environment of Python with the solver. The test is skipped without
# it, and without clang or opt of LLVM.
prove=$source/conformance/proof/solver/prove.py

command -v clang > /dev/null || skip "needs clang"
command -v opt > /dev/null || ls /usr/bin/opt-[0-9]* > /dev/null 2>&1 || skip "needs opt of LLVM"
python_with solvers bitwuzla
status "the quick goals" 0 "$python" "$prove" --quick --keep "$PWD/results"
cat out err
status "a mutant" 0 "$python" "$prove" --mutants --only 'order.f64_to_e4m3.ocp' \
    --keep "$PWD/results"
cat out err
