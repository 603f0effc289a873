# SPDX-License-Identifier: MIT
"""declarations.py -- the public headers of softfp8 as declarations that cffi can read

The C preprocessor has expanded the headers. This module keeps what comes from the headers of the
project, drops the bodies of inline functions, and evaluates the constants of enumerations.
"""
import re

# Inline functions of the core that the package calls. The other inline functions are left out: they
# are the parts that the exported functions are made of.
INLINE = re.compile(
    r"\b(sf8_format_(valid|bits|max|min_normal|emin|emax|has_neg_zero)|sf8_recipe_scale_given"
    r"|sf8_kv_(check|size|scales_size|element_at|scale_at|scale_count|folds|with_scales|behind"
    r"|in_pages)|sf8_mma_stretches)\("
)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")


def of_project(expanded, folder):
    """The lines of preprocessed text that come from files below a folder."""
    kept, ours = [], False
    for line in expanded.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            ours = marker.group(1).startswith(folder)
        elif ours and not line.startswith("#"):
            kept.append(line)
    return "\n".join(kept)


def top_level(text):
    """Splits text into its declarations and function definitions, each with its end."""
    depth, start = 0, 0
    for place in re.finditer(r"[{};]", text):
        mark, end = place.group(), place.end()
        depth += (mark == "{") - (mark == "}")
        body_ends = mark == "}" and text[start:end].lstrip().startswith("static")
        if depth == 0 and (mark == ";" or body_ends):
            yield text[start:end].strip()
            start = end


def without_body(piece):
    """The prototype of a function that is defined, or the piece itself."""
    if piece.startswith("static") and "{" in piece:
        return piece[: piece.index("{")].strip() + ";"
    return piece


def evaluated(piece, known):
    """An enumeration with a number for each of its constants; `known` has those of earlier ones."""
    value = -1

    def constant(entry):
        nonlocal value
        name, _, expression = (part.strip() for part in entry.partition("="))
        value = eval(expression, {}, known) if expression else value + 1  # constants of our headers
        known[name] = value
        return f"{name} = {value}"

    head, _, rest = piece.partition("{")
    body, _, tail = rest.rpartition("}")
    entries = [entry for entry in body.split(",") if entry.strip()]
    return head + "{" + ", ".join(constant(entry) for entry in entries) + "}" + tail


def declarations(expanded, folder):
    """What the headers below a folder declare, as text for cffi's cdef().

    A static function is kept only if INLINE names it; the others need no binding.
    """
    known, kept = {}, []
    text = ATTRIBUTE.sub("", of_project(expanded, folder))
    for piece in top_level(text):
        if piece.startswith("static") and not INLINE.search(piece.partition("{")[0]):
            continue
        piece = re.sub(r"^static (inline )?", "", without_body(piece))
        if re.match(r"(typedef )?enum\b[^;]*\{", piece):
            piece = evaluated(piece, known)
        kept.append(piece)
    return "\n".join(kept) + "\n"
