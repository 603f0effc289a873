# SPDX-License-Identifier: MIT
"""vectors.py -- functions by name, and step tables: whole conversions as short texts"""
import dataclasses

import numpy as np

from ._base.arrays import array_of, broadcast, code_dtype, codes_of, read
from ._base.library import check, encoded, ffi, lib, size, text
from ._base.value import Value
from .formats import Format, elements, format as format_of, formats, randoms_of
from .policies import Policy, policy as policy_of


class _Word:
    """What an operand of a function is: a code of a format, or an integer."""

    def __init__(self, word):
        self.bits, self._format = word.bits, None
        self.name = f"integers of {word.bits} bits"
        if word.kind == lib.SF8_WORD_FLOAT:
            self._format = Format(word.format, "")
            self.name = next((name for name in formats() if self.is_named(name)), "the operand")

    def is_named(self, name):
        return self._format is not None and self._format.is_named(name)


class Function(Value):
    """A function that a vector file tests: e4m3_add, f32_to_e4m3, e5m2_lt, ui8_to_e4m3, ...

    >>> hex(Function("e4m3_add")([0x38], [0x38])[0])
    '0x40'
    """

    def __init__(self, name):
        self.name, self._function = name, ffi.new("sf8_function *")
        status = lib.sf8_function_named(encoded("function", name), self._function)
        if status == lib.SF8_UNKNOWN_NAME:
            raise ValueError(f"function: unknown name {name!r}; expected FORMAT_OPERATION or "
                             "FROM_to_TO, such as e4m3_add or f32_to_e4m3")
        check(status, f"function {name}")

    def _parts(self):
        return (self.name,)

    def __repr__(self):
        return f"softfp8.vectors.Function({self.name!r})"

    def __call__(self, *operands, policy="ocp", round=None, random=None, exact=False, flags=False):
        """The results for arrays of operands, as codes or integers."""
        f = self._function
        if len(operands) != f.operands:
            raise TypeError(f"{self.name} takes {f.operands} operands, got {len(operands)}")
        changed = {} if round is None else {"round": round}
        rules = policy_of(policy, **changed)._policy
        arrays = [codes_of(x, _Word(f.operand[i]), "abc"[i]) for i, x in enumerate(operands)]
        arrays = broadcast(arrays)
        shape = arrays[0].shape
        random = randoms_of(random, shape, rules) if rules.round == lib.SF8_SR else None
        result = np.empty(shape, code_dtype(f.result.bits))
        raised = np.empty(shape, np.uint8) if flags else None
        pointers = [read(array) for array in arrays] + [ffi.NULL] * (3 - len(arrays))
        check(lib.py_call_n(f, ffi.from_buffer(result), *pointers,
                            elements(result.size, rules, random, raised, int(bool(exact)))),
              self.name)
        return (result, raised) if flags else result


@dataclasses.dataclass(eq=False)
class Steps(Value):
    """A step table: the result is constant from the first input of a row up to the next row."""

    from_: str
    to: str
    policy: str
    random: int
    first: np.ndarray
    code: np.ndarray
    flags: np.ndarray
    _head: object = dataclasses.field(repr=False, default=None)

    __hash__ = None

    def _parts(self):
        """The fields; and what the head has besides them."""
        head = self._head
        return (self.from_, self.to, self.policy, self.random, self.first, self.code, self.flags,
                head and (Format(getattr(head, "from"), self.from_), Format(head.to, self.to),
                          lib.sf8_policy_pack(head.policy)))

    @classmethod
    def _of(cls, from_, to, policy, random, first, code, flags, head):
        if head:
            source, target, word = head
            head = _raw_head(source, target, Policy._of(word, policy, {}), random)
        return cls(from_, to, policy, random, first, code, flags, head)

    def __len__(self):
        return len(self.first)

    def find(self, x):
        """The index of the row that applies to each input."""
        of = format_of(self.from_)
        array, raw = codes_of(x, of, "x"), self._rows()
        return np.array([lib.sf8_steps_find(raw, len(self), int(code))
                         for code in array.reshape(-1)], np.intp).reshape(array.shape)

    def expand(self, x):
        """The codes of the inputs x."""
        return self.code[self.find(x)]

    def _rows(self):
        """The rows as an array of sf8_step."""
        columns = [_integers(getattr(self, name), name, most) for name, most in
                   (("first", (1 << 64) - 1), ("code", (1 << 64) - 1), ("flags", (1 << 32) - 1))]
        for name, column in zip(("code", "flags"), columns[1:]):
            if len(column) != len(columns[0]):
                raise ValueError(f"{name}: expected {len(columns[0])} rows, as many as `first` "
                                 f"has; got {len(column)}")
        return ffi.new("sf8_step[]", list(zip(*columns)))

    def write(self):
        """The text of the table, with its digest."""
        if self._head is None:
            raise ValueError("steps: expected a table of steps() or read_steps(), which know the "
                             "policy")
        return _written(self._head, self._rows(), len(self))


def _written(head, rows=ffi.NULL, count=0):
    """The text of a step table: of these rows, or of the whole conversion of the head."""
    size = ffi.new("size_t *")
    for _ in range(2):  # the first call says how large the text is
        text = bytearray(size[0])
        check(lib.py_steps_text(head, rows, count, ffi.from_buffer("char[]", text), size[0], size),
              "steps: a name or a value that the grammar cannot express")
    return text.decode()


def _integers(x, argument, most):
    """The integers of an array, which have to be from 0 to `most`."""
    array, _ = array_of(x, argument)
    return [size(argument, value, most) for value in array.reshape(-1).tolist()]


def _head(from_, to, policy, round, random):
    source, target = format_of(from_), format_of(to)
    changed = {} if round is None else {"round": round}
    rules = policy_of(policy, to=target, from_=source, **changed)
    return _raw_head(source, target, rules, size("random", random, (1 << 32) - 1))


def _raw_head(source, target, rules, random):
    head = ffi.new("sf8_steps_head *")
    most = ffi.sizeof(head.from_name) - 1
    names = [of.name.encode() for of in (source, target, rules)]
    for name in names:
        if len(name) > most:
            raise ValueError(f"steps: {name.decode()!r} is too long for a name in a table; "
                             f"expected at most {most} characters")
    head[0] = [*names, source._format, target._format, rules._policy, random]
    return head


def steps(from_, to, policy="ocp", *, round=None, random=0):
    """The step table of a whole conversion.

    >>> table = steps("f16", "e2m1")
    >>> len(table) < 100, hex(table.expand([0x4400])[0])
    (True, '0x6')
    """
    head, walk = _head(from_, to, policy, round, random), ffi.new("sf8_steps *")
    check(lib.sf8_steps_begin(walk, getattr(head, "from"), head.to, head.policy, random),
          f"steps of {from_} to {to}: both formats have more than 20 bits, or one is invalid")
    step, found = ffi.new("sf8_step *"), []
    while lib.sf8_steps_next(walk, step):
        found.append((step.first, step.code, step.flags))
    return _table(head, found)


def _table(head, found):
    first, code, flags = zip(*found) if found else ((), (), ())
    return Steps(text(head.from_name), text(head.to_name), text(head.policy_name), head.random,
                 np.array(first, np.uint64), np.array(code, np.uint64), np.array(flags, np.uint32),
                 head)


def steps_text(from_, to, policy="ocp", *, round=None, random=0):
    """The text of the step table of a whole conversion, as `softfp8 gen --steps` writes it."""
    head = _head(from_, to, policy, round, random)
    return _written(head)


def read_steps(string):
    """Reads the text of a step table, and checks its order, count and digest."""
    if not isinstance(string, (str, bytes)):
        raise TypeError(f"string: expected text, got {type(string).__name__}")
    data = string.encode() if isinstance(string, str) else string
    head, count = ffi.new("sf8_steps_head *"), ffi.new("size_t *")
    error = ffi.new("sf8_text_error *")
    room = data.count(b"\n")
    raw = ffi.new("sf8_step[]", room)
    status = lib.sf8_steps_read(data, len(data), head, raw, room, count, error)
    if status == lib.SF8_BAD_TEXT:
        raise ValueError(f"line {error.line}: expected {text(error.expected)}")
    check(status, "read_steps")
    return _table(head, [(row.first, row.code, row.flags) for row in raw[0:count[0]]])
