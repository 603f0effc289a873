# SPDX-License-Identifier: MIT
# test_attend_libs.sh -- the cases attend-libs/*: libraries that are not installed, and a module of
# the test that is right, wrong in ways that a bound must find, or not a library; SOFTFP8_TIER=full
# tests more ways
program=$softfp8
# conform HOW CASE OPTION...: with the stub behaving in that way.
conform() {
    how=$1 case=$2
    shift 2
    env PYTHONPATH="${modules:-$source/conformance/tests}" SOFTFP8_ATTEND=attend_stub \
        STUB="$how" STUB_LIBRARY="$STUB_LIBRARY" \
        "$program" conform --records none --only "attend-libs/$case" "$@"
}
# says WHAT PATTERN: matches the report, with its lines joined.
says() {
    tests=$((tests + 1))
    if ! tr -s ' \n' ' ' < out | grep -qE -- "$2"; then
        failed "$1: not said: $2"
        cat out
    fi
}
# fails WHAT HOW CASE PATTERN
fails() {
    status "$1" 1 conform "$2" "$3"
    says "$1" "$4"
    same "$1: failed" "0 passed, 1 failed, 0 known, 0 skipped" "$(tail -n 1 out)"
}
mkdir tmp
TMPDIR=$PWD/tmp
export TMPDIR
# The python3 itself, if that of PATH is a script that searches for it.
if command -v python3 > /dev/null; then
    PATH=$(dirname "$(python3 -c 'import sys; print(sys.executable)')"):$PATH
fi

# ---- what is not there
rows=37
same "rows" $rows "$("$program" conform --list --only 'attend-libs/*' | wc -l | tr -d ' ')"
mkdir none
status "no python3" 3 env PATH="$PWD/none" SOFTFP8_ATTEND=os "$program" conform --records none \
    --only 'attend-libs/*'
same "no python3: all" "skipped: attend-libs, $rows cases: no python3" "$(grep '^skipped' out)"
if ! command -v python3 > /dev/null; then
    echo "skipped: no python3"
    return 0
fi
status "no module is named" 3 env SOFTFP8_ATTEND= "$program" conform --only 'attend-libs/own-*'
says "which variable" 'skipped: attend-libs, 5 cases: SOFTFP8_ATTEND names no module of python3'
status "no such module" 3 env SOFTFP8_ATTEND=none_such "$program" conform --only 'attend-libs/own-*'
says "its name" 'skipped: attend-libs, 5 cases: python3 has no module named none_such'
# A python3 without any package: every row is named, and skipped.
printf '#!/bin/sh\nshift 2\nexec "%s" -I -S -B run.py "$@"\n' "$(command -v python3)" > python3
chmod +x python3
status "no library" 3 env PATH="$PWD:$PATH" SOFTFP8_ATTEND= "$program" conform --records none \
    --only 'attend-libs/*'
for what in '13 cases: python3 has no module named torch' '5 cases: python3 has no module named jax' \
    '2 cases: python3 has no module named flash_attn' '5 cases: python3 has no module named flashinfer' \
    '2 cases: python3 has no module named flash_attn_interface' \
    '5 cases: python3 has no module named vllm'; do
    says "not there" "skipped: attend-libs, $what"
done
same "counted" "0 passed, 0 failed, 0 known, $rows skipped" "$(tail -n 1 out)"
rm python3

# ---- right
for case in own-f32 own-bf16 own-e4m3 own-e5m2 own-merge-bf16; do
    status "$case" 0 conform right $case --json $case.json
    same "$case passed" "1 passed, 0 failed, 0 known, 0 skipped" "$(tail -n 1 out)"
    says "$case: how near" "[0-9.]+ of the bound of .* at the most \(.*\); errors lean by"
    says "$case: its lse" "lse to the base e, [0-9.e-]* of its bound"
    same "$case: where" 1 "$(grep -c '"place": "libs"' $case.json)"
done
same "whose" 1 "$(grep -c '"origin": "attend_stub"' own-f32.json)"
status "no lse" 0 conform no-lse own-f32
lacks "no lse: nothing said of it" lse out
same "nothing is left" "" "$(ls tmp)"

# ---- wrong
fails "a tile of keys is dropped" tiles own-f32 'one key: .*exactly -?[0-9]+ in any order'
fails "another base of lse" base2 own-f32 'explained: lse has the base 2, not e'
fails "the scale of scores" scale own-f32 'random: .* true .* of the bound'
fails "the scale of values" v-scale own-e4m3 'one key: .*exactly'
fails "the last of many keys" tail own-bf16 'needle: .* true .* of the bound'
fails "a NaN reaches other rows" leaks own-f32 'a NaN key: .*it is NaN, but no key that it sees is'
fails "a mask that is added" added own-f32 'a NaN key: .*causal: .*it is NaN, but no key that it sees is'
fails "a NaN is hidden" hides own-bf16 'a NaN key: .*it hides a NaN: '
fails "partial results in bf16" parts own-f32 'own-f32 against true values.*random: .* of the bound'
fails "weights of 4 bits" four-bits own-bf16 'of the bound'
fails "cut, not rounded" cut own-bf16 'explained: the errors lean toward zero'
fails "parts by powers of 2" exp2 own-merge-bf16 'two parts: .* of the bound'
fails "lse of the larger part" max own-merge-bf16 'two parts: .*lse is .* of the bound'
# within the bound of units with weights in bf16 they are
status "partial results in bf16 of bf16" 0 conform parts own-bf16
if [ "${SOFTFP8_TIER:-quick}" = full ]; then
    fails "the scale of keys" k-scale own-e4m3 'of the bound'
    fails "heads in turn" turns own-bf16 'one key: .* exactly'
    fails "a mask from the upper left" upper own-f32 'causal: .*exactly'
    fails "a query sees one more" one-more own-bf16 'causal: .*exactly'
    fails "parts in turn" swapped own-merge-bf16 'two parts: .* of the bound'
    status "it prints" 0 conform loud own-bf16
    same "it prints" "1 passed, 0 failed, 0 known, 0 skipped" "$(tail -n 1 out)"
fi

# ---- a folder of modules that is named from here
ln -s "$source/conformance/tests" here
modules=nothing:here
status "a folder that is named from here" 0 conform right own-bf16
modules=

# ---- no library
# broken WHAT HOW PATTERN OPTION...
broken() {
    what=$1 how=$2 pattern=$3
    shift 3
    status "$what" 1 conform "$how" own-f32 "$@"
    says "$what" "$pattern"
    same "$what: broken" "0 passed, 0 failed, 0 known, 0 skipped, 1 broken" "$(tail -n 1 out)"
    same "$what: nothing is left" "" "$(ls tmp)"
}
broken "it crashes" crash 'own: python3 was ended by signal 6'
broken "it ends" exit 'own: python3 ended with 4: all is lost'
broken "an exception" raises 'refused, random: 1 of 8 on 8 heads of 64, 1 query, 15 keys: NotImplementedError: no such head size'
broken "a fault" wrong 'own: python3 ended with 1: (__main__.)?Broken: ValueError: a fault'
broken "it cannot be imported" import 'own: python3 ended with 1: (__main__.)?Broken: RuntimeError: not today'
broken "no words" rubbish "own: python3 ended with 1: TypeError: a bytes-like object is required"
broken "a byte is missing" short 'the answer, one key: .*: 4095 bytes of out were returned; expected 4096'
broken "it hangs" hang 'own: python3 did not end within 3 seconds' --limit 4
status "it refuses all" 3 conform refuses own-f32
says "why" 'skipped: attend-libs, 1 case: the library refuses: NotImplementedError: not on this device'
same "nothing is left" "" "$(ls tmp)"

# ---- a library that refuses a request: it is judged by the others
mkdir -p fake/jax
cat > fake/numpy.py << 'END'
class Array:
    def __init__(self, data, dtype):
        self.data, self.dtype = data, dtype
    def reshape(self, shape):
        self.shape = shape
        return self
    def tobytes(self):
        return self.data
frombuffer = lambda words, dtype: Array(bytes(words), dtype)
asarray = lambda x: x
float32, bfloat16, float16 = "f32", "bf16", "f16"
END
echo 'from numpy import *' > fake/jax/numpy.py
cat > fake/jax/__init__.py << 'END'
import ctypes
import os
import types
import numpy
__version__ = "0.0"
default_backend = lambda: "cpu"
devices = lambda: [types.SimpleNamespace(device_kind="a stand-in")]
library = ctypes.CDLL(os.environ["STUB_LIBRARY"])
def attention(q, k, v, scale, is_causal, implementation):
    (batch, queries, heads, dim), (_, keys, kv_heads, _) = q.shape, k.shape
    if os.environ["STUB"] == "one-query" and queries == 1 and keys == 15:
        raise RuntimeError("no kernel for one query")
    out = ctypes.create_string_buffer(4 * batch * queries * heads * dim)
    library.attend_stub(
        b"upper", (ctypes.c_int64 * 7)(batch, queries, keys, heads, kv_heads, dim, is_causal),
        (ctypes.c_int64 * 3)(4, 4, 4), (ctypes.c_float * 3)(scale, 1, 1), q.data, k.data, v.data,
        out, (ctypes.c_float * (batch * queries * heads))())
    return numpy.Array(out.raw, "f32").reshape(q.shape)
nn = types.SimpleNamespace(dot_product_attention=attention)
END
modules=$PWD/fake
status "a library does all" 0 conform right jax-cpu-xla-f32
lacks "it refuses nothing" refused out
status "it refuses a request" 0 conform one-query jax-cpu-xla-f32 --json refused.json
says "how many, and why" 'refused 1 of [0-9]+ requests: RuntimeError: no kernel for one query'
modules=
