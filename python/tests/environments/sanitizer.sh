#!/bin/sh
# SPDX-License-Identifier: MIT
# sanitizer.sh -- many calls with wrong arguments, the library under the address sanitizer
#
#     sanitizer.sh BUILD    BUILD/python has the environment, from python.package; the library and
#                           its module with sanitizers are in BUILD/python-asan
#
# SOFTFP8_FUZZ is the number of calls, 3,000 by default. Exit status 77, which ctest counts as
# skipped: no libasan, or python.package has not run.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
. tests/environments/environment.sh

python=$build/python/bin/python
here=$build/python-asan
library=$(gcc -print-file-name=libasan.so 2> /dev/null) || skip "needs gcc"
[ -f "$library" ] || skip "needs libasan"
"$python" -c 'import hypothesis, scikit_build_core' 2> /dev/null \
    || skip "no environment: the test python.package makes it"

CC=gcc
export CC
# Debug: a release build compiles loops for processors with -O3, which takes twice as long.
build_module "$python" "$here" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 \
    -DCMAKE_C_FLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined"

# Python leaks by design; a size that overflows is to be refused, not to end the process.
ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
UBSAN_OPTIONS=print_stacktrace=1
SOFTFP8_FUZZ=${SOFTFP8_FUZZ:-3000}
PYTHONMALLOC=malloc PYTHONPATH=$here/package LD_PRELOAD=$library
export ASAN_OPTIONS UBSAN_OPTIONS SOFTFP8_FUZZ PYTHONMALLOC PYTHONPATH LD_PRELOAD
exec "$python" -m pytest -q -p no:cacheprovider tests/test_boundary.py tests/test_arrays.py \
    tests/verdict/test_verdict_caches.py tests/verdict/test_verdict_requests.py \
    tests/verdict/test_verdict_results.py tests/verdict/test_verdict_stretches.py \
    tests/verdict/test_verdict_tables.py tests/verdict/test_verdict_tensors.py \
    -k "not threads and not torch and not jax"
