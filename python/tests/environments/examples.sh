#!/bin/sh
# SPDX-License-Identifier: MIT
# examples.sh -- runs the tests of examples/python that use a package, in an environment
#
#     examples.sh BUILD CLIENT    torch, jax, triton, notebooks, kv or cocotb; BUILD/python-examples has the
#                                 environment, and python.package made the wheel
#
# Exit status 77, which ctest counts as skipped: no package index, or it does not have the package.
set -eu
build=$(cd "$1" && pwd)
client=$2
cd "$(dirname "$0")/../.."
. tests/environments/environment.sh
examples=../examples/python

# PyTorch without the libraries of its GPU, of which its wheel for x86-64 names gigabytes.
torch() {
    needs "filelock, fsspec, jinja2, networkx, sympy, typing_extensions" \
        filelock fsspec jinja2 networkx sympy typing-extensions
    needs "importlib.metadata; importlib.metadata.version('torch')" --no-deps torch
    site=$("$here/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    "$here/bin/python" tests/environments/empty_libraries.py "$site/torch/lib"
    "$here/bin/python" -c 'import torch' || skip "torch cannot be imported here"
}

environment python-examples
needs "cffi, hypothesis, ml_dtypes, numpy, pytest" cffi hypothesis ml_dtypes numpy pytest
install_wheel
case $client in
torch)
    torch
    run_pytest tests "$examples/test_torch_cast.py" -k torch
    ;;
jax)
    needs jax jax
    run_pytest tests/test_clients.py tests/test_arrays.py "$examples/test_jax_cast.py" -k jax
    ;;
triton)
    torch
    needs triton triton
    run_pytest "$examples/test_triton_quantizer.py"
    ;;
notebooks)
    needs "nbclient, nbformat, ipykernel" nbclient nbformat ipykernel
    run_pytest "$examples/test_notebooks.py"
    ;;
kv) run_pytest "$examples/test_kv_store.py" ;;
cocotb)
    command -v iverilog > /dev/null || skip "needs Icarus Verilog (iverilog)"
    needs cocotb cocotb
    run_pytest "$examples/test_adder.py"
    ;;
esac
echo "no client '$client'" >&2
exit 2
