# SPDX-License-Identifier: MIT
# with_cuobjdump.sh -- runs a test that disassembles, with cuobjdump of this machine or of PyPI
#
#     with_cuobjdump.sh FOLDER COMMAND...    FOLDER receives the packages where they are missing
#
# Exit status 77, which ctest counts as skipped: there is neither.
set -eu
folder=$1
shift
here=$folder/nvidia/cu13/bin
program=${SOFTFP8_CUOBJDUMP:-$(command -v cuobjdump || true)}
if [ ! -x "$program" ] && [ ! -x "$here/nvdisasm" ]; then
    rm -rf "$folder"
    python3 -m pip --quiet --disable-pip-version-check install --no-compile --target "$folder" \
        nvidia-cuda-cuobjdump==13.5.37 nvidia-cuda-nvdisasm==13.5.37 > /dev/null 2>&1 || {
        echo "skipped: no cuobjdump, and no package index that has it"
        exit 77
    }
fi
[ -x "$program" ] || program=$here/cuobjdump
SOFTFP8_CUOBJDUMP=$program
export SOFTFP8_CUOBJDUMP
exec "$@"
