#!/bin/sh
# SPDX-License-Identifier: MIT
# versions.sh -- the wheel that python.package built, tested by another version of CPython
#
#     versions.sh BUILD VERSION    3.10 for example; BUILD/python-VERSION has the environment
#
# The module is built for the interface of 3.10 and is the same file in all versions. Each runs the
# tests that call the library in many ways, and parses every file of the package; 3.10 also runs those
# of softfp8.testing that begin with assert, which have most of the Python. All of them take few inputs.
#
# Exit status 77, which ctest counts as skipped: no such version, or no package index.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
. tests/environments/environment.sh

version='import sys; print("%d.%d" % sys.version_info[:2])'
[ "$("$build/python/bin/python" -c "$version" 2> /dev/null)" != "$2" ] \
    || skip "python.package tests CPython $2"

# Each python3.N on the PATH, and those of pyenv: the first that runs.
found=
for python in $(command -v "python$2") "${PYENV_ROOT:-${HOME:-/root}/.pyenv}/versions/$2".*/bin/python3
do
    if [ "$("$python" -c "$version" 2> /dev/null)" = "$2" ]; then
        found=$python
        break
    fi
done
[ "$found" ] || skip "no CPython $2"
environment "python-$2" "$found"
needs "cffi, hypothesis, ml_dtypes, numpy, pytest" cffi hypothesis ml_dtypes numpy pytest
install_wheel
export SOFTFP8_TIER=short SOFTFP8_LONG= # another Python, not other inputs
[ "$2" != 3.10 ] || set -- "$@" tests/testing/test_assert*.py
shift 2
run_pytest tests/test_arrays.py tests/test_attention.py tests/test_blocks.py tests/test_convert.py \
    tests/test_formats.py tests/test_imports.py tests/test_kv.py "$@"
