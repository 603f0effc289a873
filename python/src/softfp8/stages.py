# SPDX-License-Identifier: MIT
"""stages.py -- what a fused kernel computes before it quantizes: norms, activations, rope

A stage is text: "add r=R | rms-norm w=W eps=1e-6 via=bf16". docs/spec/stages.md defines it.
"""
import numpy as np

from ._base.arrays import words
from ._base.library import check, encoded, ffi, lib, row_dict, rows, size, text, unknown
from ._base.value import Value
from ._parts import matrix_size
from .convert import convert, tensor_of
from .formats import format as format_of

KINDS = ("round add multiply divide rms-norm layer-norm relu relu2 silu gelu gelu-tanh "
         "swiglu-clamp rope softmax hadamard silu-gate gelu-gate gelu-tanh-gate relu-gate "
         "relu2-gate").split()

# Each field of a step, and its values in a text.
FIELDS = {}
while (_name := lib.sf8_stage_field_at(len(FIELDS))) != ffi.NULL:
    FIELDS[text(_name)] = text(lib.sf8_stage_field_values(len(FIELDS)))


def stages():
    """The stages of products, as dictionaries."""
    return [row_dict(row) for row in rows(lib.sf8_stage_at)]


def _bits(x, argument, from_=None):
    """A tensor as words of f32."""
    codes, source = tensor_of(x, argument, from_)
    if source.name == "f32":
        return np.ascontiguousarray(codes), source
    return np.ascontiguousarray(convert(codes, "f32", from_=source, dtype="codes",
                                        policy="ocp-nosat")), source


class Stage(Value):
    """What happens before a quantizer. str() is its text.

    >>> str(stage("rms-norm w=W eps=1e-6 | via=bf16"))
    'rms-norm w=W via=bf16'
    >>> stage("silu-gate").columns(8)
    4
    """

    __slots__ = "_stage",

    def __init__(self, name):
        self._stage, at = ffi.new("sf8_stage *"), ffi.new("size_t *")
        status = lib.sf8_stage_read(encoded("stage", name), self._stage, at)
        if status == lib.SF8_OK:
            return
        word = (name[at[0]:].replace(",", " ").replace("|", " ").split() or [""])[0]
        field, equals, _ = word.partition("=")
        if status == lib.SF8_NO_ROOM:
            raise ValueError(f"stage: expected at most {lib.SF8_STAGE_STEPS} steps: {name!r}")
        if status == lib.SF8_BAD_TEXT:
            values = FIELDS.get(field, "")
            raise ValueError(f"stage: {word}: expected " + (f"{field}={values}, once" if values else
                                                            "fields that go together"))
        if equals and field in FIELDS:
            raise ValueError(f"stage: {word}: this kind of step has no field {field}")
        raise unknown("stage field", field, FIELDS) if equals else \
            unknown("stage", word, [*KINDS, *(row["name"] for row in stages())])

    def _parts(self):
        return str(self),

    @property
    def arrays(self):
        """The names of the arrays that it needs."""
        return [text(name) for name in rows(lambda i: lib.sf8_stage_array(self._stage, i))]

    @property
    def result_format(self):
        """The format of the last step's result: f32, bf16 or f16."""
        count = self._stage.count
        via = self._stage.step[count - 1].via if count else 0
        return format_of(("f32", "bf16", "f16")[via])

    def columns(self, columns):
        """How many columns the result has; each gate halves them."""
        return lib.sf8_stage_columns(self._stage, size("columns", columns))

    def _inputs(self, codes, arrays):
        """The structure of the arrays, checked, and what keeps their memory."""
        rows_, columns = matrix_size(codes.shape, "x")
        kept, inputs = [], ffi.new("sf8_stage_input[]", len(arrays))
        for place, (name, value) in enumerate(arrays.items()):
            bits, _ = _bits(value, name)
            bits = bits.reshape(1, -1) if bits.ndim < 2 else bits.reshape(-1, bits.shape[-1])
            kept += [bits, ffi.new("char[]", encoded("name", name))]
            inputs[place] = (kept[-1], words(bits, "const uint32_t *"), *bits.shape)
        name = ffi.new("const char **")
        if wrong := lib.sf8_stage_wrong(self._stage, rows_, columns, inputs, len(arrays), name):
            about, array = text(wrong), text(name[0])
            got = f", got the shape {np.shape(arrays[array])}" if array in arrays else ""
            raise ValueError(f"{array}: {about}{got}" if array else
                             f"x: {about}; its shape is {codes.shape}")
        return rows_, columns, inputs, kept

    def _prepared(self, x, arrays, from_):
        bits, _ = _bits(x, "x", from_)
        rows_, columns, inputs, kept = self._inputs(bits, arrays)
        shape = (*bits.shape[:-1], self.columns(columns))
        return bits, shape, (rows_, columns, inputs, len(arrays),
                             ffi.new("sf8_span[]", 3 * columns)), kept

    def run(self, x, *, from_=None, **arrays):
        """The result as f32, of a tensor of f32, bf16 or f16 and the arrays that the stage names.

        >>> stage("relu2").run(np.array([[-1, 3]], np.float32)).tolist()
        [[0.0, 9.0]]
        """
        bits, shape, rest, _ = self._prepared(x, arrays, from_)
        out = np.empty(shape, np.uint32)
        check(lib.sf8_stage_run(self._stage, words(out, "uint32_t *"),
                                words(bits, "const uint32_t *"), *rest), "stage")
        return out.view(np.float32)

    def bounds(self, x, *, upper=None, from_=None, **arrays):
        """(lower, upper): intervals that contain each result within the errors that the stage
        states: `ulps` of its functions, and order=any of its sums. NaN where nothing is known.

        `upper` is the upper end of an input that is uncertain itself; x is then the lower one.
        """
        bits, shape, rest, _ = self._prepared(x, arrays, from_)
        above = bits if upper is None else _bits(upper, "upper")[0]
        if above.shape != bits.shape:
            raise ValueError(f"upper: expected the shape {bits.shape}, got {above.shape}")
        lower, result = np.empty(shape, np.uint32), np.empty(shape, np.uint32)
        check(lib.sf8_stage_bounds(self._stage, words(lower, "uint32_t *"),
                                   words(result, "uint32_t *"), words(bits, "const uint32_t *"),
                                   words(above, "const uint32_t *"), *rest), "stage")
        return lower.view(np.float32), result.view(np.float32)

    def __str__(self):
        room = ffi.new("char[]", lib.SF8_STAGE_TEXT_SIZE)
        check(lib.sf8_stage_write(self._stage, room, lib.SF8_STAGE_TEXT_SIZE), "stage")
        return text(room)

    def __repr__(self):
        return f"softfp8.stage({str(self)!r})"


def stage(name):
    """A stage by its text, or by the name of a row of stages() and what differs from it.

    >>> stage("rms-norm w=W mid=bf16 via=bf16").arrays
    ['W']
    >>> stage("rms-norm gain=W")
    Traceback (most recent call last):
    ValueError: stage field: unknown name 'gain'; did you mean sin, gate?
    """
    return name if isinstance(name, Stage) else Stage(name)


def after_stage(x, name, from_, arrays):
    """The tensor that a quantizer sees after a stage: its codes in the format of the last step."""
    of = stage(name)
    result, to = of.run(x, from_=from_, **arrays), of.result_format
    if to.name == "f32":
        return result.view(np.uint32), to
    codes = np.asarray(convert(result, to, dtype="codes", policy="ocp-nosat"))
    return codes.view(to.code_dtype), to
