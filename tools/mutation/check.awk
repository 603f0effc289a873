# SPDX-License-Identifier: MIT
# check.awk -- whether every line of the list applies: its file has the text exactly once, the text
# changes, and no other line makes the same change
#
# Runs with text.awk, in the root. Status 1 if a line does not.
function bad(why)
{
    printf "%s:%d: %s\n", FILENAME, FNR, why
    faults++
}

/^#/ || /^$/ { next }
{ lines++ }
!fields_of($0) {
    bad("not four fields")
    next
}
{
    path = path_of(FIELD[2])
    old = plain(FIELD[3])
    new = plain(FIELD[4])
    if (text_of(path) == "")
        bad("no file " path)
    else if ((times = found(text_of(path), old)) != 1)
        bad("the text is found " (times ? "more than once" : "nowhere") " in " path ": " FIELD[3])
    else if (old == new)
        bad("nothing changes")
    else if ((change = change_of(path, FOUND, old, new)) in seen)
        bad("the same change as line " seen[change])
    else
        seen[change] = FNR
}
END {
    printf "%d lines, %d do not apply\n", lines, faults
    exit faults > 0 || !lines
}
