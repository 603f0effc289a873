# SPDX-License-Identifier: MIT
# same.py -- whether two versions of the kernels have the same machine code
"""A record says what a GPU computed with the sources of its time. A change that leaves the machine
code of a kernel as it was, and the code of the host that starts it, leaves true what the record
says about it.
"""
import pathlib

import host

FMAD = ["-fmad=false"]
# The sources of kernels, and how device.cmake compiles them.
SOURCES = [("kernels/blocks/blocks.cu", FMAD), ("kernels/kv/kv.cu", FMAD),
           ("kernels/chain/chain.cu", FMAD), ("kernels/merge/merge.cu", FMAD), ("mma/mma.cu", []),
           ("mma/gemm.cu", ['-DGPU_CUBLASLT=""']),
           ("kernels/attend/attend.cu", [*FMAD, "-DATTEND_PARTS=3"]),
           *(("kernels/attend/attend_part.cu", [*FMAD, f"-DATTEND_PART={n}"]) for n in range(3)),
           ("device.cu", []), *(("samples.cu", [f"-DGPU_PART={n}"]) for n in range(4))]


def kernels(text):
    """The lines of each kernel, with the bits of the instructions, by its mangled name."""
    found, lines = {}, None
    for line in text.splitlines():
        if "Function : " in line:
            name = line.split("Function : ")[1].strip()
            lines = found.setdefault(host.HASH.sub("_", name), [])
        elif lines is not None and line.strip().strip("."):
            lines.append(line)
    return found


def compare(compiled, here, there, only):
    """Prints which kernels, and which functions and tables of the host, differ or exist once only.
    Returns 1 if there are any, else 0. compiled(path, folder, options) returns the machine code of
    a source as text, and the bytes of its object."""
    counts, different = [0, 0], [[], []]
    for path, options in SOURCES:
        if only not in path:
            continue
        new, old = (compiled(root / path, root, options) for root in (here, there))
        both = ((kernels(new[0]), kernels(old[0])), (host.Elf(new[1]).parts(), host.Elf(old[1]).parts()))
        for n, (a, b) in enumerate(both):
            counts[n] += len(a | b)
            different[n] += [(path, name) for name in sorted(a | b) if a.get(name) != b.get(name)]
    for n, what in enumerate(("", " host:")):
        for path, name in different[n]:
            print(f"{path}:{what} {name}")
    print(f"{counts[0]} kernels compared, {len(different[0])} have other machine code")
    print(f"{counts[1]} functions and tables of the host, {len(different[1])} are others")
    return 1 if any(different) or not counts[0] else 0


def folder_of(text):
    """The folder of the kernels in the checkout `text`."""
    folder = pathlib.Path(text) / "gpu"
    return folder if (folder / "device.cu").exists() else None
