#!/bin/sh
# SPDX-License-Identifier: MIT
# run_test.sh -- runs one script or session of tests in an empty folder: run_test.sh FILE PROGRAM SOURCE
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
case $1 in
*.session)
    . "$here/session.sh"
    session "$1"
    ;;
*) . "$1" ;;
esac
finish
