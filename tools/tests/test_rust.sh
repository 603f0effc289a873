# SPDX-License-Identifier: MIT
# test_rust.sh -- the crates of rust/ agree with the headers and the library, and can be linked in
# three ways
#
# No crate of a registry is used. $SOFTFP8_BUILD/rust keeps what cargo builds. Skipped without cargo.
PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
command -v cargo > /dev/null || skip "no cargo"
# Cargo of Debian 12 lacks what the test uses.
version=$(cargo --version | sed 's/^cargo \([0-9]*\)\.\([0-9]*\).*/\1 \2/')
[ "${version% *}" -gt 1 ] || [ "${version#* }" -ge 77 ] || skip "needs cargo 1.77"

CARGO_TARGET_DIR=$SOFTFP8_BUILD/rust
export CARGO_TARGET_DIR
unset SOFTFP8_PREFIX SOFTFP8_PKG_CONFIG SOFTFP8_SOURCE CFLAGS
cargo="cargo --offline --locked --quiet"
cd "$source/rust"
if ! cp Cargo.lock "$dir/lock"; then
    failed "Cargo.lock is missing"
fi
same "no dependency from a registry" "" "$(grep -n 'source = ' "$dir/lock")"

# build.rs compiles the library, without optimization as cargo's profile for tests asks.
if ! $cargo test; then
    failed "the tests of the crates"
fi
expected="0.016723633: got 08, expected 09
0.016845703: got 08, expected 09
0.016967773: got 08, expected 09
1770 of 65536 are wrong"
same "the example" "$expected" "$($cargo run --example test_cast)"

# What is installed, static and shared. In a folder of its own, so that the library above is kept.
CARGO_TARGET_DIR=$SOFTFP8_BUILD/rust/installed
prefix=$SOFTFP8_BUILD/consumer/prefix # which the test consumer.install makes
libraries=$prefix/$SOFTFP8_LIBDIR
same "the static library" "$expected" "$(SOFTFP8_PREFIX=$prefix $cargo run --example test_cast)"
if command -v pkg-config > /dev/null && [ -e "$libraries/libsoftfp8.so" ]; then
    same "pkg-config" "$expected" "$(SOFTFP8_PKG_CONFIG=1 PKG_CONFIG_PATH=$libraries/pkgconfig \
        LD_LIBRARY_PATH=$libraries $cargo run --example test_cast)"
fi
cd "$dir"
