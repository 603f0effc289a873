# SPDX-License-Identifier: MIT
# text.awk -- what the awk programs of this folder share: the lines of the list, texts of files

# The text that a field of the list stands for: \n is a newline, \| a bar.
function plain(field)
{
    gsub(/\\n/, "\n", field)
    gsub(/\\\|/, "|", field)
    return field
}

# The other way round.
function field_of(text)
{
    gsub(/\n/, "\\n", text)
    gsub(/\|/, "\\|", text)
    return text
}

# A file of the list by its path from the root: in the list the core has no folder, lib/ only that.
function path_of(file)
{
    if (file ~ /^(gpu|conformance|tools|python|lib)\//)
        return file
    return (file ~ /^(src|include)\// ? "lib/" : "lib/core/softfp8/") file
}

# The other way round.
function name_of(path)
{
    if (!sub(/^lib\/core\/softfp8\//, "", path) && path ~ /^lib\/(src|include\/[^.]*\.h$)/)
        sub(/^lib\//, "", path)
    return path
}

# The text of a file, read once; empty if the file does not exist.
function text_of(path,    line)
{
    if (!(path in texts)) {
        texts[path] = ""
        while ((getline line < path) > 0)
            texts[path] = texts[path] line "\n"
        close(path)
    }
    return texts[path]
}

# How often one text is found in another, at most 2; FOUND is where it begins the first time.
function found(text, part)
{
    FOUND = index(text, part)
    return !FOUND ? 0 : index(substr(text, FOUND + 1), part) ? 2 : 1
}

# A line of the list into FIELD[1] to FIELD[4]; false if it has fewer.
function fields_of(line,    i, bar)
{
    for (i = 1; i < 4; i++) {
        bar = index(line, " | ")
        if (!bar)
            return 0
        FIELD[i] = substr(line, 1, bar - 1)
        line = substr(line, bar + 3)
    }
    FIELD[4] = line
    return 1
}

# The change as one text, independent of how the list repeats context: what is replaced, where, and
# by what.
function change_of(path, at, old, new,    front, back)
{
    while (front < length(old) && substr(old, front + 1, 1) == substr(new, front + 1, 1))
        front++
    while (back < length(old) - front && back < length(new) - front &&
           substr(old, length(old) - back, 1) == substr(new, length(new) - back, 1))
        back++
    return path SUBSEP (at + front) SUBSEP (length(old) - front - back) SUBSEP \
        substr(new, front + 1, length(new) - front - back)
}
