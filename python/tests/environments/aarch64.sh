#!/bin/sh
# SPDX-License-Identifier: MIT
# aarch64.sh -- cross-builds the package for 64-bit Arm, and runs its tests in QEMU
#
#     aarch64.sh BUILD    BUILD/python has cffi, from python.package; the rest is in
#                         BUILD/python-aarch64
#
# Debian's Python for Arm is unpacked into a folder, and not installed.
#
# Exit status 77, which ctest counts as skipped: no cross compiler, QEMU, or packages.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
. tests/environments/environment.sh

host=$build/python/bin/python
here=$build/python-aarch64
root=$here/root
packages=$here/packages
command -v aarch64-linux-gnu-gcc > /dev/null || skip "needs gcc-aarch64-linux-gnu"
qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) || skip "needs qemu-user"
command -v apt-get > /dev/null || skip "needs Debian's packages for arm64"
"$host" -c 'import cffi' 2> /dev/null || skip "no cffi: the test python.package installs it"

# Debian's packages for Arm, by a state of apt of our own: this machine's is not changed.
apt() {
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root \
        -o Dir::State="$here/apt" -o Dir::State::status=/dev/null -o Dir::Cache="$here/cache" \
        -o Debug::NoLocking=1 "$@"
}
if [ ! -x "$root/usr/bin/python3.11" ]; then
    mkdir -p "$here/apt/lists/partial" "$here/cache/archives/partial" "$root"
    apt update && apt --yes --download-only --no-install-recommends install \
        python3.11-minimal libpython3.11-stdlib libpython3.11-dev libstdc++6 \
        || skip "Debian's packages of Python 3.11 for arm64 cannot be had"
    for package in "$here"/cache/archives/*.deb; do
        dpkg-deb --extract "$package" "$root"
    done
fi
if [ ! -d "$packages/pytest" ]; then
    "$host" -m pip install --quiet --disable-pip-version-check --target "$packages" \
        --python-version 3.11 --only-binary :all: --platform manylinux_2_28_aarch64 \
        --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 \
        numpy cffi ml_dtypes pytest hypothesis || skip "no package index"
fi

# The command that goes with it is that of this processor, which runs as it is: what it prints is
# expected of the package for Arm.
build_module "$host" "$here" --toolchain "$PWD/../cmake/cross.cmake" \
    -DSOFTFP8_TRIPLE=aarch64-linux-gnu -DSOFTFP8_EMULATOR=qemu-aarch64 \
    -DPython_INCLUDE_DIR="$root/usr/include/python3.11" -DCMAKE_C_FLAGS="-isystem $root/usr/include"

PYTHONPATH=$here/package:$packages
export PYTHONPATH
"$qemu" -L "$root" "$root/usr/bin/python3.11" -c '
import platform, softfp8
print(platform.machine(), platform.python_version(), softfp8.simd())'
# Loops in Python over 65,536 values take minutes in QEMU: test_clients.py does them by arrays.
exec "$qemu" -L "$root" "$root/usr/bin/python3.11" -m pytest -q -p no:cacheprovider \
    -k "ml_dtypes or not (16_bits or torch or jax or threads)" \
    tests/test_arrays.py tests/test_blocks.py tests/test_clients.py tests/test_convert.py \
    tests/test_formats.py tests/test_kv.py tests/test_matmul.py tests/test_sums.py \
    tests/test_vectors.py
