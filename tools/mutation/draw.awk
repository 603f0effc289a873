# SPDX-License-Identifier: MIT
# draw.awk -- N random mutants of some files that the list does not have, as lines of a list
#
# Runs with text.awk, in the root, with -v n=N -v seed=SEED over the list and then the files. The same
# seed draws the same mutants. A mutant is one operator, number or condition changed, or one statement
# less. Lines of macros are left out: rows of data.
BEGIN {
    rules = split(" < : <= ; <= : < ; > : >= ; >= : > ; == : != ; != : == ; && : || ; || : && ;" \
        " + : - ; - : + ; * : + ; << : >> ; >> : << ; & : | ; | : & ; ^ : | ;" \
        " += : -= ; -= : += ; |= : &= ; &= : |= ; <<= : >>= ; >>= : <<= ;(!:(;!= 0:== 0", rule, ";")
}

# Park and Miller's generator, exact in a double: a number from 0 to below.
function random(below)
{
    state = state * 16807 % 2147483647
    return state % below
}

# The line with a part replaced by another text is a mutant.
function candidate(at, length_, text)
{
    drawn[candidates] = FNR SUBSEP at SUBSEP length_ SUBSEP text
    file[candidates++] = FILENAME
}

function operators(code,    i, side, from, at)
{
    for (i = 1; i <= rules; i++) {
        split(rule[i], side, ":")
        for (from = 1; (at = index(substr(code, from), side[1])); from += at)
            candidate(from + at - 1, length(side[1]), side[2])
    }
}

# The letters of strings replaced by _.
function without_text(code,    from, part, blank)
{
    for (from = 1; match(substr(code, from), /"[^"]*"/); from += RSTART - 1 + length(part)) {
        part = substr(code, from + RSTART - 1, RLENGTH)
        blank = part
        gsub(/[^"]/, "_", blank)
        code = substr(code, 1, from + RSTART - 2) blank substr(code, from + RSTART - 1 + RLENGTH)
    }
    return code
}

# A number of digits alone: 0 becomes 1, 1 becomes 0 and 2, any other one more.
function numbers(code,    from, digits)
{
    from = 1
    while (match(substr(code, from), /[^A-Za-z0-9_."][0-9]+[^A-Za-z0-9_."]/)) {
        from += RSTART
        digits = substr(code, from, RLENGTH - 2)
        candidate(from, RLENGTH - 2, digits == 1 ? 0 : digits + 1)
        if (digits == 1)
            candidate(from, 1, 2)
        from += RLENGTH - 2
    }
}

# The condition of a line that is an if: always, never, and the opposite.
function conditions(code)
{
    if (match(code, /^ *(else |} else )?if \(.*\)( \{)? $/)) {
        match(code, /if \(/)
        at = RSTART + 4
        match(code, /\)( \{)? $/)
        candidate(at, RSTART - at, "1")
        candidate(at, RSTART - at, "0")
        candidate(at, RSTART - at, "!(" substr($0, at, RSTART - at) ")")
    }
}

# A line that is an assignment or a call, behind a line that is a whole one too: left out.
function statements(code, before)
{
    if (before ~ /[;{}]$/ && match(code, /^ +[a-z_][][a-zA-Z0-9_.>-]*( [-+*\/|&^<>]*=|\(|\+\+;|--;).*; $/) &&
        code !~ /^ +(return|if|for|while|switch|do)[ (]/) {
        match(code, /[^ ]/)
        candidate(RSTART, length(code) - RSTART, ";")
    }
}

# A row of the list: what is changed there already is not drawn. The description ends with the change.
function listed(    path)
{
    if (!fields_of($0))
        return
    path = path_of(FIELD[2])
    if (found(text_of(path), plain(FIELD[3])) == 1)
        known[change_of(path, FOUND, plain(FIELD[3]), plain(FIELD[4]))] = 1
}

# The drawn mutant as a line: its own line of the file, with those before it until it is the only one.
function print_mutant(c,    part, line, old, new, first, path, was)
{
    split(drawn[c], part, SUBSEP)
    path = file[c]
    line = part[1]
    was = lines[path, line]
    old = was "\n"
    new = substr(was, 1, part[2] - 1) part[4] substr(was, part[2] + part[3]) "\n"
    for (first = line; found(text_of(path), old) != 1 && first > 1;) {
        first--
        old = lines[path, first] "\n" old
        new = lines[path, first] "\n" new
    }
    if (old ~ /\\/ || change_of(path, FOUND, old, new) in known)
        return 0
    known[change_of(path, FOUND, old, new)] = 1
    sub(/^ +/, "", was)
    printf "%s\n", "line " line ": '" field_of(substr(lines[path, line], part[2], part[3])) \
        "' becomes '" field_of(part[4]) "' in: " field_of(was) " | " \
        name_of(path) " | " field_of(old) " | " field_of(new)
    return 1
}

FNR == 1 { files++; comment = 0 }
files == 1 {
    if (!/^#/)
        listed()
    next
}
{
    lines[FILENAME, FNR] = $0
    code = $0 " "
    if (comment) {
        comment = !index(code, "*/")
        next
    }
    at = index(code, "/*")
    if (at) {
        comment = !index(substr(code, at), "*/")
        code = substr(code, 1, at - 1) " "
    }
    if (/\\/ || /^#/ || /^(enum|typedef|static|SF8_)/ || /^ *("|X\()/)
        next
    code = without_text(code)
    operators(code)
    numbers(code)
    conditions(code)
    statements(code, lines[FILENAME, FNR - 1])
}
END {
    state = seed % 2147483646 + 1
    for (i = 0; i < 20; i++) # seeds near each other begin alike
        random(1)
    while (n > 0 && candidates > 0) {
        c = random(candidates)
        n -= print_mutant(c)
        drawn[c] = drawn[--candidates]
        file[c] = file[candidates]
    }
    exit n > 0
}
