# SPDX-License-Identifier: MIT
"""run.py ADAPTER FOLDER [--all-words] [CONVERSION...]: converts with a package, keeps its codes.

ADAPTER is a module here, from_torch for example. Each conversion writes one file FOLDER/*.npz with
the input words w and the codes c. With --all-words it converts all words of sources of 32 bits or
less instead and appends a line with their digest to FOLDER/golden.txt; f32 takes minutes.
"""
import argparse
import importlib
import os
import time

import numpy as np

import lab


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adapter")
    parser.add_argument("folder")
    parser.add_argument("--all-words", action="store_true")
    parser.add_argument("conversion", nargs="*", help="such as f32_to_e4m3; none: all")
    given = parser.parse_intermixed_args()
    adapter = importlib.import_module(given.adapter)
    os.makedirs(given.folder, exist_ok=True)
    sets = {}
    for source, to, mode, function in adapter.conversions():
        conversion = f"{source}_to_{to}"
        if given.conversion and conversion not in given.conversion:
            continue
        if given.all_words and lab.BITS[source] > 32:
            continue
        title = f"{adapter.PACKAGE}-{adapter.VERSION}-{conversion}" + (f"-{mode}" if mode else "")
        start = time.time()
        try:
            if given.all_words:
                first, code = lab.stairs(function, source, getattr(adapter, "CHUNK", 1 << 24))
            else:
                words = sets.setdefault(source, lab.inputs(source))
                codes = np.asarray(function(words)).astype(lab.dtype_of(to))
        except Exception as error:  # the package has no such conversion
            print(f"{title}: {type(error).__name__}: {str(error)[:200]}", flush=True)
            continue
        if given.all_words:
            with open(os.path.join(given.folder, "golden.txt"), "a", encoding="ascii") as golden:
                golden.write(f"{adapter.PACKAGE} {adapter.VERSION} | {conversion} | {mode or '-'} "
                             f"| {1 << lab.BITS[source]} | {lab.digest(first, code)}\n")
        else:
            np.savez(os.path.join(given.folder, title + ".npz"), w=words, c=codes)
        print(f"{title}: {time.time() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()
