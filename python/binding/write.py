# SPDX-License-Identifier: MIT
"""write.py -- writes the C source of the module softfp8._binding

    python write.py EXPANDED FOLDER OUTPUT

EXPANDED is the text of elements.h after the C preprocessor, FOLDER the root of the sources.
"""
import pathlib
import sys

import cffi

from declarations import declarations


def main(expanded, folder, output):
    ffi = cffi.FFI()
    ffi.cdef(declarations(pathlib.Path(expanded).read_text(), folder))
    ffi.set_source("softfp8._binding", '#include "elements.h"', py_limited_api=True)
    ffi.emit_c_code(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
