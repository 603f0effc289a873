# SPDX-License-Identifier: MIT
# test_explorer.sh -- the explorer and the documentation in Chromium, from the disk: explorer.py and
# pages.py say what is checked
#
# $SOFTFP8_BUILD/explorer is an environment of Python with Playwright and axe-core.
chromium=$(command -v chromium || command -v chromium-browser) || skip "no chromium"
command -v clang > /dev/null || skip "no clang"
command -v doxygen > /dev/null || skip "no doxygen"
echo 'int main(void) { return 0; }' > empty.c
clang --target=wasm32-wasi empty.c -o empty.wasm 2> said || skip "no wasi-libc, wasm-ld or libclang-rt for wasm32"
python_with explorer axe-playwright-python axe_playwright_python

status "the site is made" 0 "$source/tools/site"
status "the explorer" 0 "$python" "$source/docs/site/tests/explorer.py" "$source/build/site" "$chromium" "$softfp8"
cat out err
status "the documentation" 0 "$python" "$source/docs/site/tests/pages.py" "$source/build/site" "$chromium" "$softfp8"
cat out err
