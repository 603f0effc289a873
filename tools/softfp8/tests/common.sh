# SPDX-License-Identifier: MIT
# common.sh -- what the scripts of tests share: same, golden, lacks, status, refuses; skip and
# python_with for what a test needs; finish says how it went
#
# $softfp8 is the program, $source the source folder of the project; the folder is empty.
tests=0
failures=0

failed() {
    failures=$((failures + 1))
    echo "FAILED: $1"
}

# same WHAT EXPECTED GOT: two texts are equal.
same() {
    tests=$((tests + 1))
    if [ "$2" != "$3" ]; then
        failed "$1"
        printf 'expected: %s\ngot:      %s\n' "$2" "$3"
    fi
}

# same_file WHAT EXPECTED GOT
same_file() {
    tests=$((tests + 1))
    if ! cmp -s "$2" "$3"; then
        failed "$1"
        diff "$2" "$3" | head -n 10
    fi
}

# golden WHAT KEPT GOT: the same for a golden text, KEPT being its path in the project. Where
# $SOFTFP8_ACCEPT names a file (tools/test --accept), what differs is accepted: KEPT becomes GOT, and
# the file gets its name.
golden() {
    if [ -z "${SOFTFP8_ACCEPT:-}" ] || cmp -s "$source/$2" "$3"; then
        same_file "$1: $2; tools/test --accept" "$source/$2" "$3"
    else
        tests=$((tests + 1))
        cp "$3" "$source/$2"
        echo "$2" >> "$SOFTFP8_ACCEPT"
    fi
}

# lacks WHAT PATTERN FILE: no line matches, of a file that is there and not empty.
lacks() {
    tests=$((tests + 1))
    matched=0
    grep -nE -- "$2" "$3" > matches || matched=$?
    if [ "$matched" -ne 1 ] || [ ! -s "$3" ]; then
        failed "$1"
        head -n 5 matches
    fi
}

# status WHAT EXPECTED COMMAND...: the exit status of a command; its output is in out and err.
status() {
    what=$1
    want=$2
    shift 2
    tests=$((tests + 1))
    got=0
    "$@" > out 2> err < /dev/null || got=$?
    if [ "$got" -ne "$want" ]; then
        failed "$what: status $got instead of $want"
        head -n 5 out err
    fi
}

# refuses WHAT PATTERN COMMAND...: status 2, nothing on stdout, one line on stderr that matches.
refuses() {
    pattern=$2
    what=$1
    shift 2
    status "$what" 2 "$@"
    tests=$((tests + 1))
    if [ "$(wc -l < err)" -ne 1 ] || ! grep -qE -- "$pattern" err; then
        failed "$what: the message"
        cat err
    fi
    tests=$((tests + 1))
    [ ! -s out ] || failed "$what: wrote to standard output"
}

# refuses_input WHAT PATTERN TEXT COMMAND...: the same with TEXT (printf's escapes) as stdin.
refuses_input() {
    pattern=$2
    what=$1
    printf "$3" > in
    shift 3
    tests=$((tests + 1))
    got=0
    "$@" > out 2> err < in || got=$?
    if [ "$got" -ne 2 ] || [ "$(wc -l < err)" -ne 1 ] || ! grep -qE -- "$pattern" err; then
        failed "$what: status $got"
        cat err
    fi
}

# skip REASON: ends the test with status 77, which ctest counts as skipped.
skip() {
    echo "skipped: $*"
    exit 77
}

# python_with NAME PACKAGE [MODULE]: $environment is the environment of Python $SOFTFP8_BUILD/NAME,
# and $python its interpreter. It has PACKAGE of the package index, which is imported as MODULE
# (without one: as PACKAGE). The test is skipped if there is no Python with venv, or no package
# index.
python_with() {
    python3 -c 'import ensurepip, venv' 2> /dev/null \
        || skip "needs Python 3 with venv (python3-venv)"
    environment=$SOFTFP8_BUILD/$1
    python=$environment/bin/python
    [ -x "$python" ] || python3 -m venv "$environment" || skip "python3 -m venv does not work"
    "$python" -c "import ${3:-$2}" 2> /dev/null \
        || "$python" -m pip --quiet --disable-pip-version-check install "$2" \
        || skip "no package index"
}

finish() {
    echo "$tests checks, $failures failed"
    [ "$failures" -eq 0 ]
}
