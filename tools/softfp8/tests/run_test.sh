#!/bin/sh
# SPDX-License-Identifier: MIT
# run_test.sh -- runs one script of tests in an empty folder: run_test.sh SCRIPT PROGRAM SOURCE
set -eu
here=$(cd "$(dirname "$0")" && pwd)
softfp8=$2
source=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
LC_ALL=C
export LC_ALL
. "$here/common.sh"
. "$1"
finish
