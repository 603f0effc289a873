#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh -- builds the package as a wheel, installs it into an environment, and runs its tests
#
#     run.sh BUILD PART    BUILD/python has the environment; the library and the command of BUILD are used
#
#     environment    makes the environment, with the packages of others
#     package        builds the wheel and installs it; the tests of what calls the library
#     testing        the tests of softfp8.testing and softfp8.survey, with the installed wheel
#
# Exit status 77, which ctest counts as skipped: no Python 3.10 with venv and headers, or no
# package index.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
. tests/environments/environment.sh

part=$2
environment python
headers=$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')
[ -f "$headers/Python.h" ] || skip "needs the headers of Python (python3-dev)"
needs "cffi, hypothesis, jsonschema, ml_dtypes, pytest, scikit_build_core" \
    'scikit-build-core>=0.11' cffi numpy ml_dtypes pytest hypothesis jsonschema

[ "$part" != environment ] || exit 0
if [ "$part" = testing ]; then
    [ -f "$(echo "$here"/wheel/softfp8-*.whl)" ] || skip "no wheel: the test python.package makes it"
    run_pytest tests/survey tests/testing tests/verdict
fi
# A wheel is built again only if something differs of which it is made.
sum=$(find src binding CMakeLists.txt backend.py pyproject.toml ../CMakeLists.txt ../cmake \
    ../lib/include ../lib/core ../lib/diagnose/include ../conformance/report/report.html ../conformance/report/style.css \
    "$build"/lib/*.a "$build/bin/softfp8" -type f ! -name '*.pyc' -exec cksum {} + | LC_ALL=C sort)
if [ "$sum" != "$(cat "$here/wheel.sum" 2> /dev/null)" ]; then
    rm -rf "$here/wheel" "$here/wheel.sum"
    pip wheel --no-build-isolation --no-deps -w "$here/wheel" -C "build-dir=$here/build" \
        -C "cmake.define.SOFTFP8_BUILT=$build" -C cmake.define.SOFTFP8_TOOLS=OFF \
        -C build.targets=softfp8_binding .
    install_wheel
    echo "$sum" > "$here/wheel.sum"
fi
package=$("$here/bin/python" -c 'import softfp8; print(softfp8.__path__[0])')
run_pytest --doctest-modules --ignore "$package/__main__.py" --ignore "$package/matrix.py" \
    --ignore "$package/survey/__main__.py" --ignore "$package/survey/adapters" \
    --ignore tests/survey --ignore tests/testing --ignore tests/verdict "$package" tests
