# SPDX-License-Identifier: MIT
# edits.awk -- the edits that a page of docs/adding lists: each to a file N.edit in the folder `to`
#
# An edit is "In `FILE`, after `TEXT`:" or "In a new file `FILE`:", over several lines perhaps, and the
# code block after it. The first line of N.edit is FILE, the second TEXT, and the others are to follow
# the line with TEXT; without TEXT they are a new file.
/^```/ {
    if (inside) {
        close(file)
    } else if (match(prose, /In `[^`]*`, after `[^`]*`: *$/)) {
        split(substr(prose, RSTART), part, "`")
        file = to "/" ++edits ".edit"
        print part[2] "\n" part[4] > file
    } else if (match(prose, /In a new file `[^`]*`: *$/)) {
        split(substr(prose, RSTART), part, "`")
        file = to "/" ++edits ".edit"
        print part[2] "\n" > file
    } else {
        print "edits.awk: no file and place before the block at line " FNR
        failed = 1
    }
    inside = !inside
    prose = ""
    next
}
inside { print > file; next }
{ sub(/^ */, ""); prose = prose $0 " " }
END { exit failed || !edits }
