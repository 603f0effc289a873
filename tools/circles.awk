# SPDX-License-Identifier: MIT
# circles.awk -- finds files of C that call each other in a circle
#
#     awk -f circles.awk FILE...
#
# Prints "FILE:LINE: uses NAME of OTHER" for each two files of a circle of which one uses the other,
# with the first such use. With -v all=1 it prints the same of all files.
#
# A header and the source of the same name count as one file, since the header's inline functions
# may call the source's. A file uses another one if it mentions a function or an object that the
# other one defines. So a function whose address is taken counts as called. Mentions in comments
# and strings, of members (.name, ->name) and of names that the file defines itself do not count.
#
# This program reads text and does not know C. It relies on the style of the sources: a definition
# begins outside braces, and macros with arguments have names in upper case. It sees neither what
# a macro defines nor what a header's macro uses. A use that the folders rule out, as of a command's
# function by the library, is a local name that happens to be the same.

# The line without comments, strings and character constants.
function bare(line,    out, end, token) {
    while (line != "") {
        if (in_comment) {
            end = index(line, "*/")
            if (!end)
                return out
            line = substr(line, end + 2)
            in_comment = 0
        } else if (match(line, /\/\*|\/\/|"([^"\\]|\\.)*"|'([^'\\]|\\.)+'/)) {
            out = out substr(line, 1, RSTART - 1)
            token = substr(line, RSTART, 2)
            line = substr(line, RSTART + RLENGTH)
            if (token == "//")
                return out
            if (token == "/*")
                in_comment = 1
            else
                out = out " 0 "
        } else
            return out line
    }
    return out
}

# ---- names

function define(name, own) {
    if ((part, name) in has || name !~ /^[A-Za-z_]/ || name == "main")
        return
    has[part, name] = 1
    if (!own)
        definers[name] = definers[name] " " file
}

function mention(line,    n, i, name) {
    gsub(/(\.|->)[A-Za-z_][A-Za-z0-9_]*/, " ", line)
    n = split(line, word, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= n; i++) {
        name = word[i]
        if (length(name) > 2 && !((file, name) in seen)) {
            seen[file, name] = 1
            use_name[++uses] = name
            use_file[uses] = file
            use_line[uses] = FNR
        }
    }
}

# `text` is a declaration up to its semicolon, or up to the body of a function. In it PARENS stands
# for what was in parentheses, BRACES for what was in braces.
function declare(text, function_body,    own, n, i) {
    while (gsub(/\([^()]*\)/, PARENS, text))
        ;
    gsub("__attribute__ *" PARENS, "", text)
    sub(".*(^|[^A-Za-z0-9_])[A-Z][A-Z0-9_]* *" PARENS, "", text) # macros before it
    if (text ~ /^[ \t]*(typedef|extern)[ \t]/)
        return
    # in a header a static function is there for others
    own = file !~ /\.h$/ && text ~ /(^|[^A-Za-z0-9_])static[^A-Za-z0-9_]/
    sub(/=.*/, "", text)
    if (function_body) {
        sub("[ \t]*" PARENS ".*", "", text)
        sub(/.*[^A-Za-z0-9_]/, "", text)
        define(text, own)
    } else if (text !~ PARENS && !(file ~ /\.h$/ && text !~ /static/)) {
        gsub(/\[[^]]*\]/, "", text)
        sub("(struct|enum|union)[ \t]*[A-Za-z0-9_]*[ \t]*(" BRACES ")?[ \t]*", "int ", text)
        if (text !~ /[A-Za-z0-9_*][ \t]+[*]*[A-Za-z_]/)
            return # a type
        n = split(text, name_of, ",")
        for (i = 1; i <= n; i++) {
            text = name_of[i]
            sub(/[ \t]+$/, "", text)
            sub(/.*[^A-Za-z0-9_]/, "", text)
            define(text, own)
        }
    }
}

# A piece of the source between braces and semicolons. What a header declares is no use of it.
function take(piece) {
    if (!depth)
        text = text " " piece
    if (depth ? !in_type : file !~ /\.h$/)
        mention(piece)
}

# ---- reading

BEGIN {
    PARENS = "\001"
    BRACES = "\002"
}

FNR == 1 {
    file = part = FILENAME
    sub(/\.[^.]*$/, "", part)
    part_of[file] = part
    parts[++n_parts] = part
    depth = in_comment = in_macro = 0
    text = ""
}

{
    line = $0
    if (in_comment || line ~ /["'\/]/)
        line = bare(line)
}

in_macro || line ~ /^[ \t]*#/ {
    if (file !~ /\.h$/ && (in_macro || line ~ /^[ \t]*#[ \t]*define/))
        mention(line)
    in_macro = line ~ /\\$/
    next
}

{
    while (match(line, /[{};]/)) {
        mark = substr(line, RSTART, 1)
        take(substr(line, 1, RSTART - 1))
        line = substr(line, RSTART + 1)
        if (mark == "{" && !depth++) {
            in_function = text ~ /\(/ && text !~ /=/
            in_type = text !~ /[(=]/
            if (in_function)
                declare(text, 1)
        } else if (mark == "}" && !--depth)
            text = in_function ? "" : text BRACES
        else if (mark == ";" && !depth) {
            declare(text, 0)
            text = ""
        }
    }
    take(line)
}

# ---- circles

# What is in a folder uses only folders of the same or a lower number.
function height_of(name) {
    return name ~ /^lib\// ? 1 : name ~ /^gpu\// ? 2 : name ~ /^conformance\// ? 3 : 4
}

function can_use(a, b) {
    return a != b && height_of(a) >= height_of(b) && \
        (a ~ /^conformance\/proof\// || b !~ /^conformance\/proof\//)
}

# Tarjan's algorithm: numbers the circles that lie behind file `a`.
function visit(a,    n, i, next_of, b) {
    order[a] = low[a] = ++visited
    stack[++height] = a
    on_stack[a] = 1
    n = split(links[a], next_of, " ")
    for (i = 1; i <= n; i++) {
        b = next_of[i]
        if (!(b in order)) {
            visit(b)
            if (low[b] < low[a])
                low[a] = low[b]
        } else if (on_stack[b] && order[b] < low[a])
            low[a] = order[b]
    }
    if (low[a] == order[a])
        do {
            b = stack[height--]
            on_stack[b] = 0
            circle[b] = order[a]
        } while (b != a)
}

END {
    for (u = 1; u <= uses; u++) {
        if (!(use_name[u] in definers) || (part_of[use_file[u]], use_name[u]) in has)
            continue
        n = split(definers[use_name[u]], other, " ")
        for (i = 1; i <= n; i++) {
            if (!can_use(use_file[u], other[i]))
                continue
            a = part_of[use_file[u]]
            b = part_of[other[i]]
            if ((a, b) in linked)
                continue
            linked[a, b] = 1
            links[a] = links[a] " " b
            from[++edges] = a
            to[edges] = b
            text_of[edges] = use_file[u] ":" use_line[u] ": uses " use_name[u] " of " other[i]
        }
    }
    for (p = 1; p <= n_parts; p++)
        if (!(parts[p] in order))
            visit(parts[p])
    for (e = 1; e <= edges; e++)
        if (all || circle[from[e]] == circle[to[e]])
            print text_of[e]
}
