# SPDX-License-Identifier: MIT
# test_smt.sh -- runs smt_proof.py with the package z3-solver in an environment of its own
#
# $SOFTFP8_BUILD/z3 is that environment.
python_with z3 z3-solver z3
status "z3 proves the definitions" 0 "$python" "$source/tools/tests/smt_proof.py" "$softfp8"
cat out err
