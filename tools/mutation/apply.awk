# SPDX-License-Identifier: MIT
# apply.awk -- a file with the one occurrence of $OLD replaced by $NEW; status 1 if it is not found
# exactly once
#
# Runs with text.awk. $OLD and $NEW are fields of the list.
{ text = text $0 "\n" }
END {
    old = plain(ENVIRON["OLD"])
    if (found(text, old) != 1)
        exit 1
    printf "%s%s%s", substr(text, 1, FOUND - 1), plain(ENVIRON["NEW"]), \
        substr(text, FOUND + length(old))
}
