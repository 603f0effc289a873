#!/bin/sh
# SPDX-License-Identifier: MIT
# spelling.sh -- checks the spelling of every *.md; exit status 77: there is no codespell
set -eu
cd "$(dirname "$0")/../../.."
. tools/common.sh

if ! (need spelling); then
    echo "skipped: codespell cannot be installed"
    exit 77
fi
if echo "recieve" | codespell - > /dev/null; then
    echo "FAILED: codespell does not notice a mistake"
    exit 1
fi
# A crate is what Rust calls a package.
find . -name '*.md' ! -path './build*' ! -path './.git/*' -exec codespell --ignore-words-list crate {} +
