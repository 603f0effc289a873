# SPDX-License-Identifier: MIT
# same.py -- whether two versions of the kernels have the same machine code
"""A record says what a GPU computed with the sources of its time. A change that leaves the machine
code of a kernel as it was leaves true what the record says about it.
"""
import pathlib

# The sources of kernels, and how device.cmake compiles them. samples.cu, which calls conversions of
# CUDA and PTX, is left out.
SOURCES = [("kernels/blocks/blocks.cu", []), ("kernels/kv/kv.cu", []),
           ("kernels/chain/chain.cu", []), ("kernels/merge/merge.cu", []), ("mma/mma.cu", []),
           ("kernels/attend/attend.cu", ["-DATTEND_PARTS=3"]),
           *(("kernels/attend/attend_part.cu", [f"-DATTEND_PART={n}"]) for n in range(3))]


def kernels(text):
    """The lines of each kernel, with the bits of the instructions, by its mangled name."""
    found, lines = {}, None
    for line in text.splitlines():
        if "Function : " in line:
            lines = found.setdefault(line.split("Function : ")[1].strip(), [])
        elif lines is not None and line.strip().strip("."):
            lines.append(line)
    return found


def compare(disassembled, here, there, only):
    """Prints which kernels differ, or exist once only. Returns 1 if there are any, else 0.
    disassembled(path, folder, options) returns the machine code of a source as text."""
    count, different = 0, []
    for path, options in SOURCES:
        if only not in path:
            continue
        new, old = (kernels(disassembled(root / path, root, options)) for root in (here, there))
        count += len(new | old)
        different += [(path, name) for name in sorted(new | old) if new.get(name) != old.get(name)]
    for path, name in different:
        print(f"{path}: {name}")
    print(f"{count} kernels compared, {len(different)} have other machine code")
    return 1 if different or not count else 0


def folder_of(text):
    """The folder of the kernels in the checkout `text`."""
    folder = pathlib.Path(text) / "gpu"
    return folder if (folder / "device.cu").exists() else None
