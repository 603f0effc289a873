# SPDX-License-Identifier: MIT
"""run_wasm.py -- runs a program for WASI in wasmtime: run_wasm.py PROGRAM FOLDER [ARGUMENT...]

The program sees FOLDER as /files. Its exit status is this one's.
"""
import sys

import wasmtime

program, folder, *arguments = sys.argv[1:]
engine = wasmtime.Engine()
linker = wasmtime.Linker(engine)
linker.define_wasi()
wasi = wasmtime.WasiConfig()
wasi.argv = [program, *arguments]
wasi.inherit_stdout()
wasi.inherit_stderr()
wasi.preopen_dir(folder, "/files")
store = wasmtime.Store(engine)
store.set_wasi(wasi)
instance = linker.instantiate(store, wasmtime.Module.from_file(engine, program))
try:
    instance.exports(store)["_start"](store)
except wasmtime.ExitTrap as trap:
    sys.exit(trap.code)
