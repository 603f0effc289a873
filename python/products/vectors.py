# SPDX-License-Identifier: MIT
"""vectors.py OUT CODES -- writes vectors/products/policies.txt to standard output

OUT and CODES are the folders that `python -m softfp8.survey --keep OUT --codes CODES` wrote. Picks
from each output the words that tell its policy from others, and lists the words for which softfp8
gives another code than the package.
"""
import collections
import hashlib
import json
import pathlib
import sys
import textwrap

import numpy as np

import softfp8
from softfp8.survey.adapters.lab import BITS, dtype_of
from softfp8.survey.known import explained

SHAPES = {"f64": (11, 52), "f32": (8, 23), "f16": (5, 10), "bf16": (8, 7)}
# Which mode is kept where several gave the same codes: the first of these.
ORDER = ["contiguous,avx512", "strided,avx512", "one,avx512", "contiguous,avx2",
         "contiguous,default", "haswell", "genoa", "serial", "cpu", "evaluate", "jit", "eager"]
POLICIES = """ocp ocp-nosat cuda-satfinite cuda-nosat cuda-satfinite-f64 cuda-nosat-f64 torch-2.12
torch-2.13 torch-decode torch-decode-fnuz ml_dtypes ml_dtypes-sat ml_dtypes-direct llvm
onnx-saturate onnx-nosat onnx-saturate-e8m0 onnx-nosat-e8m0 onnxruntime ort-e8m0
onnxruntime-nosat ort-nosat-bf16 ort-nosat-e8m0 openvino openvino-e5m2 xla xla-e8m0
xla-fnuz paddle paddle-e5m2 numkong-e5m2 ggml-ue4m3 cutlass hip-ocp hip-nosat hip-fnuz riscv arm
fbgemm""".split()
MOST_RANGES = 64

# Every word of a range was run, beyond the dense sets.
MEASURED = {("openvino", "f32_to_e5m2"): [
    (sign << 31 | first, sign << 31 | first + 0xfff, sign << 7 | code, sign << 7 | code >> 1)
    for sign in (0, 1)
    for first, code in ((0x36fff000, 1), (0x377ff000, 2), (0x37fff000, 4))]}


# A cell of the matrix: `fields` are fields of the product's policy that the mode changes.
Output = collections.namedtuple(
    "Output", "path product package version source to mode fields inputs digest")


def outputs(out, codes):
    """The cells of a folder that have codes, and a claim."""
    for path in sorted(pathlib.Path(out, "cells").glob("*.json")):
        cell, stored = json.loads(path.read_text()), pathlib.Path(codes, path.stem + ".npz")
        if stored.exists() and cell.get("claim"):
            product, *fields = cell["claim"].split()
            yield Output(stored, product, cell["package"], cell["version"], cell["from"],
                         cell["to"], cell["mode"], dict(field.split("=") for field in fields),
                         cell["inputs"], cell["digest"])


def load(o):
    """Input words, and the codes that the package gave."""
    stored = np.load(o.path)
    return stored["w"], stored["c"]


def convert(words, o, policy, **fields):
    """What softfp8 gives under a policy, with the fields of the mode."""
    rules = softfp8.policy(policy, to=o.to, from_=o.source, **{**o.fields, **fields})
    return np.asarray(softfp8.convert(words, o.to, from_=o.source, policy=rules, dtype="codes"))


def title_of(o):
    return f"{o.package} {o.source}_to_{o.to} {o.mode}"


# ---- words --------------------------------------------------------------------------------------


def specials(source):
    """Zeros, infinities, NaN, the ends of the ranges."""
    bits = BITS[source]
    if source not in SHAPES:
        half = 1 << (bits - 1)
        tops = [half - 1 - k for k in range(5)] + [0, 1, 2, half // 2]
        return [t | s for t in tops for s in (0, half)]
    exponent, mantissa = SHAPES[source]
    infinity = ((1 << exponent) - 1) << mantissa
    quiet = 1 << (mantissa - 1)
    magnitudes = [0, infinity, infinity | quiet, infinity | 1, 1, infinity | quiet >> 1,
                  infinity | (2 * quiet - 1), infinity - 1, 1 << mantissa, infinity | quiet >> 2,
                  infinity | quiet | quiet >> 2]
    return [m | s << (bits - 1) for m in magnitudes for s in (0, 1)]


def changes(words, codes, source):
    """Indices on both sides of telling changes of the code: first, last, and some between."""
    if source not in SHAPES:
        return []
    bits = BITS[source]
    infinity = np.uint64(((1 << SHAPES[source][0]) - 1) << SHAPES[source][1])
    w = words.astype(np.uint64)
    picked = []
    for sign in (0, 1):
        low = np.uint64(sign << (bits - 1))
        inside = (w[1:] > low) & (w[1:] <= infinity | low) & (w[:-1] >= low)
        at = np.flatnonzero((codes[1:] != codes[:-1]) & inside) + 1
        middle = len(at) // 2
        take = [*at[-4:][::-1], *at[:3], *at[middle:middle + 2]] if sign == 0 else \
            [*at[-2:][::-1], *at[:1]]
        for i in take:
            picked += [i - 1, i]
    return picked


def double_rounding(words, o, policy):
    """Words of f64 for which it matters whether the conversion goes through f32 or f16."""
    if o.source not in ("f64", "f32"):
        return []
    kinds = [convert(words, o, policy, via=via) for via in ("none", "f32", "f16", "f32-f16")]
    mantissa = SHAPES[o.source][1]
    finite = (words >> words.dtype.type(mantissa)) & words.dtype.type(
        (1 << SHAPES[o.source][0]) - 1) != (1 << SHAPES[o.source][0]) - 1
    at = np.flatnonzero((kinds[0] != kinds[1]) & finite)
    at16 = np.flatnonzero((kinds[0] != kinds[3]) & (kinds[0] == kinds[1]) & finite)
    picked = []
    for set_ in (at, at16):
        picked += list(set_[np.unique(np.linspace(0, len(set_) - 1, 5).astype(int))]) \
            if len(set_) else []
    known = np.searchsorted(words, np.uint64(0x3f50000000000001)) if o.source == "f64" else 0
    return ([known] if known and kinds[0][known] != kinds[1][known] else []) + picked


def tellers(words, codes, o, candidates):
    """A word for each policy that differs from the package on one of the candidates."""
    w, c = words[candidates], codes[candidates]
    left = []
    for policy in POLICIES:
        differ = convert(w, o, policy) != c
        if differ.any():
            left.append(differ)
    picked = []
    while left:
        best = int(np.argmax(np.sum(left, axis=0)))
        picked.append(candidates[best])
        left = [d for d in left if not d[best]]
    return picked


def telling(words, codes, o, policy, bad, most):
    """Indices of up to `most` words, in their order of usefulness, without those in `bad`."""
    special = []
    for s in specials(o.source):
        i = int(np.searchsorted(words, words.dtype.type(s)))
        if i < len(words) and int(words[i]) == s:
            special.append(i)
    change = changes(words, codes, o.source)
    double = double_rounding(words, o, policy)
    candidates = sorted({int(i) for i in special + change + double})
    best = tellers(words, codes, o, candidates)
    picked = []
    for i in [*best, *double, *special[:4], *change[:4], *special[4:8], *change[4:8], *special[8:],
              *change[8:]]:
        if not bad[i] and int(i) not in picked:
            picked.append(int(i))
    return sorted(picked[:most])


# ---- deviations ---------------------------------------------------------------------------------


def ranges(words, theirs, ours):
    """(first, last, theirs, ours) of runs of deviating neighbours in the set."""
    at = np.flatnonzero(theirs != ours)
    if not len(at):
        return []
    cut = (at[1:] != at[:-1] + 1) | (theirs[at[1:]] != theirs[at[:-1]]) | \
        (ours[at[1:]] != ours[at[:-1]])
    first = np.concatenate([[0], np.flatnonzero(cut) + 1])
    last = np.concatenate([np.flatnonzero(cut), [len(at) - 1]])
    return [(int(words[at[a]]), int(words[at[b]]), int(theirs[at[a]]), int(ours[at[a]]))
            for a, b in zip(first, last)]


def known_of(o, words, theirs, ours):
    """The deviations as ranges, and whether these are all of them."""
    if (o.package, f"{o.source}_to_{o.to}") in MEASURED:
        return MEASURED[o.package, f"{o.source}_to_{o.to}"], False
    found = ranges(words, theirs, ours)
    if BITS[o.source] <= 16 and len(found) <= MOST_RANGES:
        return found, True
    single = [(w, w, t, u) for a, b, t, u in found for w in {a, b}]
    keep = np.unique(np.linspace(0, len(single) - 1, 12).astype(int)) if single else []
    return sorted(single[i] for i in keep), not single


def text_of(known):
    return " ".join((f"{a:x}" if a == b else f"{a:x}-{b:x}") + f":{t:x}({u:x})"
                    for a, b, t, u in known)


# ---- the file -----------------------------------------------------------------------------------

HEAD = """\
# SPDX-License-Identifier: MIT
# Codes that products gave, and softfp8's policy for each of their conversions has to give.
#
# A line has these columns, separated by " | ":
#   product     the name that sf8_policy_for takes
#   package     the package that was run, and its version; all ran on an x86-64 CPU
#   conversion  FROM_to_TO
#   mode        attributes of the operation, or the code path; "-": there is one only
#   fields      fields of the policy that the mode changes, or "-"
#   inputs      how many words were converted and compared; 65536 or less: all words of FROM
#   digest      SHA-256 over the codes of all words of FROM, or "-". The digest is over the rows
#               (first word, code) at which the code changes, each as two little-endian 64-bit words
#   vectors     WORD:CODE, hexadecimal: input and the code that the product gave
#   known       optional: FIRST-LAST:CODE(OURS), where the product gives CODE and softfp8 OURS. All
#               deviations if the line has a digest, else a selection. The reason stands above it.
#
# Made by python/products/vectors.py from outputs of the packages. Read by lib.product_policies.
"""


def digest_of(codes):
    """SHA-256 over the rows (first word, code), if these are the codes of all words."""
    at = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]]))
    return hashlib.sha256(np.stack([at, codes[at]], 1).astype("<u8").tobytes()).hexdigest()


def line_of(o):
    """The line of one output, the reason for its deviations, and whether there are any."""
    words, theirs = load(o)
    ours = convert(words, o, o.product)
    known, whole = known_of(o, words, theirs, ours)
    if len(words) == 1 << BITS[o.source] and o.digest != digest_of(theirs):
        raise ValueError(f"{title_of(o)}: digest {o.digest}, but not of the stored codes")
    shown = o.digest if o.digest and whole else "-"
    count = o.inputs if o.digest else len(words)
    bits = BITS[o.source]
    most = 14 if bits <= 8 else 20 if shown != "-" else 40 if bits == 32 else 36
    bad = theirs != ours
    vectors = " ".join(f"{words[i]:x}:{theirs[i]:x}"
                       for i in telling(words, theirs, o, o.product, bad, most))
    fields = " ".join(f"{k}={v}" for k, v in o.fields.items()) or "-"
    columns = [o.product, f"{o.package} {o.version}", f"{o.source}_to_{o.to}", o.mode, fields,
               str(count), shown, vectors]
    if known:
        columns.append(text_of(known))
    reason = explained(o.package, f"{o.source}_to_{o.to}", o.mode)
    if known and not reason:
        raise ValueError(f"{title_of(o)}: a deviation without a reason")
    return " | ".join(columns), reason if known else None


def has_policy(o):
    try:
        softfp8.policy(o.product, to=o.to, from_=o.source)
        return True
    except ValueError:
        print(f"{title_of(o)}: no policy", file=sys.stderr)
        return False


def main():
    print(HEAD, end="")
    found = [o for o in outputs(*sys.argv[1:3]) if has_policy(o)]
    # The newest version comes first: an older one has a line only where its codes are others.
    found.sort(key=lambda o: (o.package, [-int(part) for part in o.version.split(".")], o.product,
                              ORDER.index(o.mode) if o.mode in ORDER else len(ORDER), o.mode))
    kept, dropped, section, last = {}, {}, None, None
    for o in found:
        codes = load(o)[1].tobytes()
        same = kept.setdefault((o.product, o.source, o.to, tuple(o.fields)), [])
        if codes in same:
            dropped[o.product, o.mode] = dropped.get((o.product, o.mode), 0) + 1
            continue
        same.append(codes)
        if section != (o.product, o.version):
            section, last = (o.product, o.version), None
            print(f"\n# {o.product}: {o.package} {o.version}")
        line, why = line_of(o)
        if why and why != last:
            print(textwrap.fill(why, 98, initial_indent="# ", subsequent_indent="# "))
        print(line)
        if o.product == "onnx" and (o.source, o.to, o.fields) == ("bf16", "e8m0", {}):
            print(line.replace("onnx |", "onnx-saturate |", 1))  # another name of the same
        last = why
    print("\n# Modes without a line of their own, as they gave the codes of the line that is kept:")
    for (product, mode), n in sorted(dropped.items()):
        print(f"#   {product}, {mode}: {n} conversions")


if __name__ == "__main__":
    main()
