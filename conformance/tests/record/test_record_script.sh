# SPDX-License-Identifier: MIT
# test_record_script.sh -- tools/record --smoke: what it calls, what it says, and how it ends
#
# $softfp8 is the command. In a folder made as `tools/record --carry` does, stand-ins take the place
# of the programs for the GPU: they write down how they are called.
mkdir carried bin
cp "$source/tools/record" carried/record
checks=$(sed -n "s/^checks='\(.*\)'\$/\1/p" carried/record)

# stand_in PATH COMMAND: a program that writes down its arguments, and then does this.
stand_in() {
    printf '#!/bin/sh\necho "${0##*/} $*" >> %s/calls\n%s\n' "$PWD" "$2" > "$1"
    chmod +x "$1"
}

# all_pass: stand-ins that say that all is well.
all_pass() {
    stand_in carried/softfp8-device 'exit 0'
    for check in $checks; do
        stand_in carried/softfp8-device-check_$check 'exit 0'
    done
    stand_in bin/compute-sanitizer 'exit 0'
}
PATH=$PWD/bin:$PATH

# The checks are those that CMake builds for the GPU, so that each is carried and run.
same 'the checks that are built' \
    "$(sed -n 's/^foreach(name IN ITEMS \(attend .*\))$/\1/p' "$source/gpu/tests/CMakeLists.txt" | head -n 1 \
        | tr ' ' '\n' | sort)" "$(echo "$checks" | tr ' ' '\n' | sort)"
same 'all of them' "$(ls "$source"/gpu/tests/check_*.c | sed 's|.*/check_||; s|\.c$||' \
    | grep -vxE 'cublaslt|engine|ptx|rows')" "$(echo "$checks" | tr ' ' '\n' | sort)"

all_pass
status 'all passed' 0 carried/record --smoke
same 'the closing line' '39 passed, 0 failed, 0 skipped' "$(tail -n 1 out)"
same 'a line each' 39 "$(grep -c '^passed   ' out)"
same 'on standard error' '' "$(cat err)"
sed -n 's/^softfp8-device conform --records none --limit 55 --only //p' calls > cases
same 'cases' 24 "$(wc -l < cases)"
while read -r case; do
    same "there is a case $case" 1 "$("$softfp8" conform --list --only "$case" | wc -l)"
done < cases
same 'the checks' "$(for check in $checks; do echo "softfp8-device-check_$check "; done)" \
    "$(grep '^softfp8-device-check' calls)"
same 'the sanitizer' "$(
    for check in $checks; do
        for tool in racecheck memcheck; do
            echo "compute-sanitizer --tool $tool --error-exitcode 1" \
                "$PWD/carried/softfp8-device-check_$check"
        done
    done
)" "$(grep '^compute-sanitizer' calls)"

# Kernels that the record of the H100 lacks are the newest ones: each kind is tried, before the rest.
newest=$(sed -n 's|^kv-store/.*4.*/bf16/.*|store|p; s|^kv-gather/.*4.*/b*f16/.*|gather|p
    s|^attend-device/[im].*4/mma-f16/8|attention|p' cases | sort -u | tr '\n' ' ')
same 'the newest kernels' 'attention gather store ' "$newest"
same 'the first ones' 'attend-device kv-gather kv-store ' \
    "$(sed -n '2,8s|/.*||p' cases | sort -u | tr '\n' ' ')"

# Every family of the GPU has a case.
"$softfp8" conform --list | sed -n 's|^\([a-z-]*\)/.*|\1|p' | sort -u \
    | grep -E '^(ptx|cuda-device|chain-device|attend-device|merge-device|blocks-.*|kv-(store|gather)|mma-.*)$' \
    | grep -v '^mma-gemm' > families
while read -r family; do
    tests=$((tests + 1))
    grep -q "^$family/" cases || failed "a case of $family"
done < families
same 'families' 16 "$(wc -l < families)"

# One fails, one has nothing to run on, one is found by the sanitizer.
stand_in carried/softfp8-device 'case $* in
*kv-store*) echo "0 passed, 1 failed"; exit 1 ;;
*mma-gemm*) echo "skipped: mma-gemm, 1 cases: no cuBLASLt"; echo; echo "0 passed"; exit 3 ;;
esac'
stand_in bin/compute-sanitizer 'case $* in *racecheck*_kv) echo "a race"; exit 1 ;; esac'
status 'some failed' 1 carried/record --smoke
same 'how many' '33 passed, 5 failed, 1 skipped' "$(tail -n 1 out)"
same 'which' 'failed   kv-store/int4-per-token-head-interpreted/bf16/nhd: exit status 1
    0 passed, 1 failed
failed   kv-store/nvfp4-te/bf16/page-k: exit status 1
    0 passed, 1 failed
failed   kv-store/sglang-kvfp4/bf16/page-k: exit status 1
    0 passed, 1 failed
failed   kv-store/copy16/nhd: exit status 1
    0 passed, 1 failed
skipped  mma-gemm-interval/cublaslt/e4m3.e4m3/f32/fast/96x96x3072: no cuBLASLt
failed   racecheck check_kv: exit status 1
    a race' "$(grep -v '^passed' out | sed '$d')"

all_pass
rm bin/compute-sanitizer
if ! command -v compute-sanitizer > has_one && [ ! -x /usr/local/cuda/bin/compute-sanitizer ]; then
    status 'no sanitizer' 0 carried/record --smoke
    same 'is skipped' 10 "$(grep -c '^skipped  .*: no compute-sanitizer on the PATH$' out)"
fi

# One that hangs: a limit of its own, here a stand-in for timeout.
stand_in bin/timeout '[ "$1 $2" = "-k 5" ] || exit 99
case $* in *merge-device*) exit 124 ;; *racecheck*_attend) exit 124 ;; esac
shift 3; exec "$@"'
stand_in bin/compute-sanitizer 'exit 0'
status 'one hangs' 1 carried/record --smoke
same 'which one' 'failed   merge-device/vllm/f32: did not end within 60 seconds
skipped  racecheck check_attend: did not end within 60 seconds' "$(grep -v '^passed' out | sed '$d')"
rm bin/timeout

stand_in carried/softfp8-device 'echo "softfp8 record: no CUDA device" >&2; exit 3'
: > calls
status 'no GPU' 3 carried/record --smoke
same 'one line' 'record: no CUDA device' "$(cat err)"
same 'nothing on standard output' '' "$(cat out)"
same 'nothing else is called' 1 "$(wc -l < calls)"

# A record by the programs that were carried: written, and replayed.
stand_in carried/softfp8-device 'case $1 in record) mkdir -p "$3"; : > "$3/cases.txt" ;; esac'
: > calls
status 'a record' 0 carried/record there --only 'ptx/*'
same 'two calls' "softfp8-device record --keep $PWD/there --only ptx/*
softfp8-device conform --records $PWD/there --only record/*" "$(cat calls)"
# One that was stopped: the next step is said, and the time of the GPU is not used for a replay.
stand_in carried/softfp8-device 'case $1 in record) mkdir -p "$3"; : > "$3/cases.txt"; exit 3 ;; esac'
: > calls
status 'a record that was stopped' 3 carried/record there --budget 5
same 'no replay' 1 "$(wc -l < calls)"
same 'what to do next' "record: not replayed, because the recording is not complete; to replay what \
$PWD/there has: $PWD/carried/softfp8-device conform --records $PWD/there --only 'record/*'" "$(cat err)"
for bad in '' '--smoke x' '--carry' '--what'; do
    # Arguments, to be split into words.
    # shellcheck disable=SC2086
    refuses "usage: $bad" '^record: usage: ' carried/record $bad
done

# What is built, with a stand-in for CMake, and with which generator.
mkdir tree tree/tools few
cp "$source/tools/record" tree/tools/record
for tool in dirname getconf; do ln -s "$(command -v $tool)" few/$tool; done
stand_in few/cmake 'echo "generator ${CMAKE_GENERATOR:-of CMake}" >> '"$PWD/calls; exit 1"
stand_in few/ninja ''
: > calls
status 'no make' 2 env PATH="$PWD/few" tree/tools/record there
same 'Ninja' 'generator Ninja' "$(grep '^generator' calls)"
status 'a generator that is chosen' 2 \
    env PATH="$PWD/few" CMAKE_GENERATOR='Unix Makefiles' tree/tools/record there
same 'it is kept' 'generator Unix Makefiles' "$(tail -n 1 calls)"
stand_in few/make ''
status 'make' 2 env PATH="$PWD/few" tree/tools/record there
same 'as CMake likes' 'generator of CMake' "$(tail -n 1 calls)"

stand_in bin/cmake '[ "$1" = --build ] || exit 0
mkdir -p build/record/bin build/record/gpu
echo "const int gpu_sass_rows = 0;" > build/record/gpu/sass_rows.c
while [ "$1" != --target ]; do shift; done
shift
for target in "$@"; do echo > build/record/bin/$target; done'
: > calls
status 'what is to be carried' 0 tree/tools/record --carry folder
same 'is in the folder' "record softfp8-device softfp8-device-check_attend \
softfp8-device-check_blocks softfp8-device-check_kv \
softfp8-device-check_merge softfp8-device-check_mma" "$(echo $(ls folder))"
same 'the kernels are compiled' 1 "$(grep -c '^cmake -S .* -DSOFTFP8_CUDA=ON$' calls)"
same 'no machine code' 1 "$(grep -c 'no machine code, because cuobjdump' err)"
