# SPDX-License-Identifier: MIT
"""compare.py FOLDER [PATTERN]: counts the inputs for which softfp8 gives another code.

Prints one line for each output with differences, then one for each package and kind of conversion.
"""
import collections
import re
import sys

import numpy as np

import lab
import softfp8
from outputs import load, outputs


def kind_of(o):
    """Encoding to e8m0 counts on its own: products disagree most about it."""
    if o.source not in lab.WIDE:
        return "narrow to wide" if o.to in lab.WIDE else "narrow to narrow"
    return "wide to e8m0" if o.to == "e8m0" else "wide to narrow"


def main():
    total = collections.OrderedDict()
    pattern = re.compile(sys.argv[2] if len(sys.argv) > 2 else "")
    for o in outputs(sys.argv[1]):
        if not pattern.search(o.path):
            continue
        policy = softfp8.policy_for(o.product, o.to, o.source)
        title = f"{o.package} {o.version} {o.product} {o.source}_to_{o.to} {o.mode}"
        if policy is None:
            print(f"{title}: softfp8 has no policy for it")
            continue
        words, theirs = load(o)
        ours = softfp8.convert(words, o.source, o.to, policy, o.fields)
        bad = np.flatnonzero(ours != theirs)
        level = o.mode if o.package in ("numkong", "openvino", "tinygrad", "torch") else "-"
        count = total.setdefault((o.package, o.version, o.product, level, kind_of(o)), [0, 0, 0])
        for i, n in enumerate((1, len(words), len(bad))):
            count[i] += n
        if len(bad):
            some = " ".join(f"{words[i]:x}:{theirs[i]:x}({ours[i]:x})" for i in bad[:4])
            print(f"{title}: {policy}: {len(bad)} of {len(words)}: {some}")
    for key, (n, words, bad) in total.items():
        print(f"{' '.join(key)}: {n} conversions, {words} inputs, {bad} differences")


if __name__ == "__main__":
    main()
