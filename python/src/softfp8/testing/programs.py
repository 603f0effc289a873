# SPDX-License-Identifier: MIT
"""programs.py -- the programs of recipes: as formulas that people read, and what is often changed

docs/spec/blocks/programs.md has the language.
"""
import math
import re

from ..recipes import valid_program

INFIX = {"+": 1, "-": 1, "*": 2, "/": 2, "/~": 2}  # how strongly they bind
ATOM, LEFT_ALONE = 3, {"neg", "nan-to-0", "bf16", "f16", "own", "trunc", "rint", "round", "half",
                       "exponent", "exponent-up", "exponent-even1", "exponent-even2",
                       "exponent-even3", "log2-floor", "log2-ceil", "pow2", "rcp", "rcp~"}
OPERANDS = {**dict.fromkeys(LEFT_ALONE, 1), **dict.fromkeys(("ifzero", "ifpos"), 3),
            **dict.fromkeys(("min", "max", "nmin", "nmax", "finite-or"), 2)}


def formula(program, **known):
    """A program as a formula; `known` has formulas for some variables.

    >>> formula("amax 1e-10 max 1 448 / *")
    'max(amax, 1e-10) * (1 / 448)'
    """
    stack = []
    for term in program.split():
        if term in INFIX:
            binds = INFIX[term]
            (a, left), (b, right) = stack[-2:]
            a, b = f"({a})" if left < binds else a, f"({b})" if right <= binds else b
            stack[-2:] = [(f"{a} {term} {b}", binds)]
        elif term in OPERANDS:
            n = OPERANDS[term]
            stack[-n:] = [(f"{term}({', '.join(text for text, _ in stack[-n:])})", ATOM)]
        else:
            text = known.get(term, term)
            stack.append((text, 1 if " " in text else ATOM))
    return stack[-1][0]


# ---- changes of the program of a scale


NUMBER = r"(\d[\w.+-]*(?:\^-?\d+)?|FLT_MAX)"
REWRITES = (  # a pattern, what replaces it, and the change in words
    (rf"(?<!^1 )(?<! 1 )(?<=\s){NUMBER} /(?=\s|$)", r"1 \1 / *",
     r"multiplies by 1 / \1 instead of dividing by \1"),
    (rf"(?<=\s)1 {NUMBER} / \*", r"\1 /", r"divides by \1 instead of multiplying by 1 / \1"),
    (rf"(?<=\s){NUMBER} rcp~? \*", r"\1 /", r"divides by \1 instead of multiplying by 1 / \1"),
    (rf"^(amax(?: {NUMBER} n?max)?) {NUMBER} /$", r"1 \3 \1 / /",
     r"takes the reciprocal of \3 / amax instead of dividing by \3"),
    (r"$", " bf16", "the scale is rounded to bf16"),
    (r"$", " f16", "the scale is rounded to f16"),
)
POWERS = (("exponent", "rounded down to a power of two"),
          ("exponent-up", "rounded up to a power of two"),
          ("1.41421354 * exponent", "rounded to the power of two that is nearest in log2"),
          ("0x1.555556p0 * exponent", "rounded to the nearest power of two"))


def plain(largest):
    """The shortest programs of a scale for elements with this largest number."""
    return [] if largest is None else [f"amax 1 {largest:.9g} / *", f"amax {largest:.9g} /"]


def changes(program, largest, scale):
    """What a kernel may compute for the scale instead: programs, and the change in words. `largest`
    is the largest number of an element, or None; `scale` the name of the format of a scale."""
    found = [(re.sub(pattern, by, program), match.expand(words))
             for pattern, by, words in REWRITES if (match := re.search(pattern, program))]
    if largest and scale in ("f32", "e8m0"):
        number, exponent = f"{largest:.9g}", math.frexp(largest)[1] - 1
        found.append((f"amax exponent {exponent} - pow2",
                      f"the scale is the power of two below amax, divided by 2^{exponent}"))
        found += [(f"amax {number} / {by} pow2", f"the scale is amax / {number}, {words}")
                  for by, words in POWERS]
    return [(other, words) for other, words in found
            if other != program and valid_program(other)]


def divisor(program):
    """The number by which a program divides last, and the program up to there; or None."""
    found = re.search(rf"^(.*) {NUMBER} /$", program)
    return found and (float(found[2]), found[1])
