# SPDX-License-Identifier: MIT
"""reader.py -- reads JSON vectors, and checks a function with them: reader.py FILE.json

Replace `call` by the function that you want to test. Here it is the package softfp8.
"""
import json
import sys

import softfp8
from softfp8.vectors import Function


def call(name, policy, operands, random, exact):
    """Result and flags of a function, as integers."""
    base, *changes = policy.split()
    rules = softfp8.policy(base, **dict(change.split("=") for change in changes))
    result, flags = Function(name)(*([x] for x in operands), policy=rules, random=random,
                                   exact=exact, flags=True)
    return int(result[0]), int(flags[0])


def main(path):
    with open(path, encoding="utf-8") as file:
        vectors = json.load(file)
    wrong = cases = 0
    for group in vectors["groups"]:
        if "function" not in group:
            continue  # quantize, dequantize, mma: see vectors/json/README.md
        for case in group["cases"]:
            operands = [int(case[key], 16) for key in "abc" if key in case]
            random = [int(case["random"], 16)] if "random" in case else None
            found = call(group["function"], group["policy"], operands, random,
                         group.get("exact", False))
            expected = int(case["result"], 16), int(case["flags"], 16)
            cases += 1
            if found != expected:
                wrong += 1
                print(f"{case['id']}: expected %x %02x, got %x %02x" % (*expected, *found),
                      case["why"])
    print(f"{cases} cases, {wrong} wrong")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
