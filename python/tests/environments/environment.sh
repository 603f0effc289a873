# SPDX-License-Identifier: MIT
# environment.sh -- environments of Python in a build, which have the package or what tests it
#
# Sourced by the scripts here, with `build` set to the folder of the build.

# Ends the test as skipped: ctest counts the status 77 so.
skip() {
    echo "skipped: $*"
    exit 77
}

# environment NAME [PYTHON]: makes the environment BUILD/NAME, which `here` names then, if there is
# none.
environment() {
    here=$build/$1
    python=${2:-python3}
    "$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' 2> /dev/null \
        || skip "needs Python 3.10 or later, with venv (python3-venv)"
    [ -x "$here/bin/python" ] || "$python" -m venv "$here" || skip "$python -m venv does not work"
}

pip() { "$here/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }

# needs "MODULES" PACKAGE...: installs packages, unless the modules can be imported.
needs() {
    modules=$1
    shift
    "$here/bin/python" -c "import $modules" 2> /dev/null || pip install --no-compile "$@" \
        || skip "no package index, or it does not have $*"
}

# The wheel that run.sh built, installed into the environment.
install_wheel() {
    wheel=$(echo "$build"/python/wheel/softfp8-*.whl)
    [ -f "$wheel" ] || skip "no wheel: the test python.package makes it"
    pip install --no-compile --no-deps --force-reinstall "$wheel"
}

# build_module PYTHON FOLDER OPTION...: builds the library and the module with options of CMake, and
# puts the package with them, and with the command of this build, into FOLDER/package.
build_module() {
    python=$1
    folder=$2
    shift 2
    # FindPython of CMake 3.26 comes with scikit-build-core.
    modules=$("$python" -c 'import scikit_build_core; print(scikit_build_core.__path__[0])')/resources
    mkdir -p "$folder"
    cmake -S .. -B "$folder/build" -DSOFTFP8_PYTHON=ON -DCMAKE_MODULE_PATH="$modules/find_python" \
        -DCMAKE_BUILD_TYPE=Release -DSOFTFP8_SHARED=OFF -DSOFTFP8_CUDA=OFF -DBUILD_TESTING=OFF \
        -DPython_EXECUTABLE="$python" "$@" > "$folder/configure.log"
    cmake --build "$folder/build" --parallel 2 --target softfp8_binding > "$folder/build.log"
    rm -rf "$folder/package"
    mkdir "$folder/package"
    cp -r src/softfp8 "$folder/package"
    cp "$folder"/build/python/_binding.*so "$folder/package/softfp8"
    mkdir "$folder/package/softfp8/bin"
    cp "$build/bin/softfp8" "$folder/package/softfp8/bin"
}

# run_pytest ARGUMENT...: replaces this process.
run_pytest() { exec "$here/bin/python" -m pytest -q -rs -p no:cacheprovider "$@"; }
