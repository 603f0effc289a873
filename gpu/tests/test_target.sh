# SPDX-License-Identifier: MIT
# test_target.sh -- the target that CMake chooses for a GPU, and what is compiled for it
mkdir bin
PATH=$PWD/bin:$PATH
log=$PWD/log

# makes OPTION...: configures; the target that was chosen is in $target
makes() {
    cmake -S "$source" -B made -DBUILD_TESTING=OFF "$@" > "$log" 2>&1 < /dev/null ||
        failed "cmake $*: $(tail -n 5 "$log")"
    target=$(sed -n 's/^SOFTFP8_SM:INTERNAL=//p' made/CMakeCache.txt)
}

while read -r capability expected; do
    printf '#!/bin/sh\necho "%s"\n' "$capability" > bin/nvidia-smi
    chmod +x bin/nvidia-smi
    makes -DSOFTFP8_CUDA=OFF
    same "a GPU of '$capability'" "$expected" "$target"
done << 'END'
9.0 90a
10.0 100a
12.0 120
8.9 89
8.0 90a
unknown 90a
END
printf '#!/bin/sh\nexit 9\n' > bin/nvidia-smi
makes -DSOFTFP8_CUDA=OFF
same 'nvidia-smi fails' 90a "$target"
makes -DSOFTFP8_CUDA=OFF -DSOFTFP8_CUDA_ARCH=120
same 'what is asked for' 120 "$target"

# Matrix units are those of sm_90a.
compiled() { cat made/build.ninja made/gpu/CMakeFiles/softfp8_gpu_cuda.dir/build.make 2> /dev/null | grep -c "$1"; }
makes -DSOFTFP8_CUDA=ON
if grep -q 'GPU kernels  *sm_120' "$log"; then
    same 'for sm_120 without matrix units' '0 yes' \
        "$(compiled 'mma/mma\.cu') $([ "$(compiled 'kernels/kv/kv\.cu')" -gt 0 ] && echo yes)"
    makes -DSOFTFP8_CUDA=ON -DSOFTFP8_CUDA_ARCH=90a
    same 'for sm_90a with them' yes "$([ "$(compiled 'mma/mma\.cu')" -gt 0 ] && echo yes)"
else
    echo 'skipped: no nvcc'
fi
