#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh -- installs the package into an environment of its own, and runs its tests
#
#     run.sh BUILD    BUILD/python has the environment; the library and the command of BUILD are used
#
# Exit status 77, which ctest counts as skipped: no Python 3.10 with venv and headers, or no
# package index.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

skip() {
    echo "skipped: $*"
    exit 77
}

here=$build/python
python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' 2> /dev/null \
    || skip "needs Python 3.10 or later, with venv (python3-venv)"
headers=$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')
[ -f "$headers/Python.h" ] || skip "needs the headers of Python (python3-dev)"
[ -x "$here/bin/python" ] || python3 -m venv "$here" || skip "python3 -m venv does not work"
pip() { "$here/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
if ! "$here/bin/python" -c 'import cffi, jsonschema, ml_dtypes, pytest, scikit_build_core' 2> /dev/null; then
    pip install 'scikit-build-core>=0.11' cffi jsonschema numpy ml_dtypes pytest || skip "no package index"
fi

pip install --no-build-isolation --no-deps --force-reinstall -C "build-dir=$here/build" \
    -C "cmake.define.SOFTFP8_BUILT=$build" -C build.targets=softfp8_binding .
package=$("$here/bin/python" -c 'import softfp8; print(softfp8.__path__[0])')
exec "$here/bin/python" -m pytest -q -p no:cacheprovider --doctest-modules \
    --ignore "$package/__main__.py" --ignore "$package/matrix/__main__.py" \
    --ignore "$package/matrix/adapters" "$package" tests
