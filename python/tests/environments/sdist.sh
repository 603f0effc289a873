#!/bin/sh
# SPDX-License-Identifier: MIT
# sdist.sh -- makes the source archive of the package, and builds, installs and uses it
#
#     sdist.sh BUILD    BUILD/python has scikit-build-core, from python.package
#
# Exit status 77, which ctest counts as skipped: python.package has not run.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
. tests/environments/environment.sh

here=$build/python-sdist
python=$build/python/bin/python
"$python" -c 'import scikit_build_core' 2> /dev/null \
    || skip "no environment: the test python.package makes it"
rm -rf "$here"
mkdir "$here"
"$python" -c 'import backend, sys; print(backend.build_sdist(sys.argv[1]))' "$here"
# Not optimized: what the archive has to show is that it is whole.
"$python" -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \
    -C cmake.build-type=Debug -C cmake.define.CMAKE_C_FLAGS_DEBUG=-O0 \
    --target "$here/package" "$here"/softfp8-*.tar.gz
cd "$here"
PYTHONPATH=$here/package "$python" -c '
import softfp8
assert softfp8.__path__[0].startswith("'"$here"'"), softfp8.__path__
assert softfp8.convert(500.0, "e4m3") == 0x7e
print(softfp8.explain(464, to="e4m3"))'
