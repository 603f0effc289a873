# SPDX-License-Identifier: MIT
"""llvm.py -- reads the text of LLVM IR and executes its functions on bit-vector terms

The IR is what clang makes of the C text before it optimises, with -fsanitize checks in it, and with
local variables in registers. Every call is followed. All paths are executed and joined: a value
that depends on the path is a choice between terms. Next to the result, an execution returns its
faults: the conditions under which undefined behaviour would occur. They are

- a check of the sanitizer fails (shift, signed overflow, division, array bounds, builtins);
- an instruction would give poison: a flag nsw, nuw or exact is broken, or a shift is too wide;
- a division by zero, a load outside of an object, a branch that depends on an undefined value;
- a loop runs more often than the bound.

An undefined value is a variable of its own, so that a result is proved for each of its values.
"""
import re

import terms as t


class Unsupported(Exception):
    pass


LOOP_BOUND = 70
_TYPE = re.compile(r"i\d+|void|\{[^{}]*\}|%[\w.\"]+|\[\d+ x [^\]]+\]|<[^>]*>")


class Function:
    def __init__(self, name, parameters):
        self.name, self.parameters, self.blocks = name, parameters, {}


class Module:
    """Functions, global tables and structures of a file of LLVM IR."""

    def __init__(self, text):
        self.functions, self.tables, self.structures = {}, {}, {}
        function = block = None
        joined = re.sub(r"\[\n(.*?)\n  \]", lambda m: "[" + m[1].replace("\n", " ") + "]", text,
                        flags=re.S)
        for line in joined.splitlines():
            line = re.sub(r"(, )?![\w.]+ !\d+|, align \d+|\s+;.*| #\d+(?= ?\{?$)", "", line).rstrip()
            if line.startswith("define"):
                function = self._define(line)
                block = None
            elif line.startswith("}"):
                function = None
            elif function is None:
                self._global(line)
            elif re.match(r'[\w.$-]+:|"[^"]+":', line):
                block = line.partition(":")[0].strip('"')
                function.blocks[block] = []
            elif line.strip():
                if block is None:
                    block = "entry"
                    function.blocks[block] = []
                function.blocks[block].append(line.strip())

    def _define(self, line):
        name, arguments = re.search(r"@([\w.]+)\((.*)\)", line).groups()
        parameters = []
        for p in split(arguments):
            byval = re.search(r"byval\(([^)]*)\)", p)
            parameters.append((p.split()[-1], byval[1] if byval else None))
        self.functions[name] = Function(name, parameters)
        return self.functions[name]

    def _global(self, line):
        struct = re.match(r"(%[\w.]+) = type (\{.*\})", line)
        if struct:
            self.structures[struct[1]] = struct[2]
            return
        table = re.match(r"@([\w.]+) = .*constant (\[\d+ x i\d+\]|\{[i\d, ]*\}) [\[{](.*)[\]}]", line)
        if table:
            cells = [cell.split() for cell in split(table[3])]
            self.tables[table[1]] = [
                t.const(int(v), int(k[1:])) if re.fullmatch(r"-?\d+", v) else t.fresh(int(k[1:]))
                for k, v in cells]

    def size(self, kind):
        """Bytes of a type."""
        kind = self.structures.get(kind, kind)
        if kind[0] == "i":
            return max(1, int(kind[1:]) // 8)
        if kind[0] == "[":
            count, of = re.fullmatch(r"\[(\d+) x (.*)\]", kind).groups()
            return int(count) * self.size(of)
        if kind[0] == "{":
            return self.offset(kind, None)
        return 8

    def offset(self, kind, index):
        """Where a member of a structure begins; with None, the size of all."""
        at, widest = 0, 1
        for i, member in enumerate(split(self.structures.get(kind, kind)[1:-1])):
            size = self.size(member.strip())
            align = min(size, 8) if member.strip()[0] != "[" else 1
            at = -(-at // align) * align
            if i == index:
                return at
            at += size
            widest = max(widest, align)
        return -(-at // widest) * widest


def split(text):
    """Splits at commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += c in "([{<"
        depth -= c in ")]}>"
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    parts.append(text[start:].strip())
    return [p for p in parts if p]


class Memory:
    """An object: one term for each byte."""

    def __init__(self, cells):
        self.cells = cells


class Pointer:
    def __init__(self, memory, at, index=None):
        self.memory, self.at, self.index = memory, at, index


class Execution:
    """The execution of one function and of those that it calls.

    A function in `replaced` is not executed. Its calls have the result that stands there, and are
    collected with their conditions and arguments.
    """

    def __init__(self, module, replaced=None):
        self.module, self.faults, self.branches = module, [], []
        self.replaced, self.calls = replaced or {}, []

    def fault(self, condition, what):
        if condition is not t.FALSE:
            self.faults.append((condition, what))

    def undefined(self):
        """Adds a fault for each branch that is reached and depends on an undefined value."""
        for reached, on in self.branches:
            other = t.renamed(on, "any", "other")
            self.fault(t.and_(reached, t.not_(t.eq(on, other))), "a branch on an undefined value")

    def call(self, name, arguments, condition=t.TRUE):
        """The result of a function; the faults are collected."""
        if name in self.replaced:
            self.calls.append((condition, name, arguments))
            return self.replaced[name]
        function = self.module.functions.get(name)
        if function is None:
            raise Unsupported(f"call of {name}")
        values = {}
        for (parameter, byval), argument in zip(function.parameters, arguments):
            if byval:
                argument = Pointer(Memory(list(argument.memory.cells)), argument.at)
            values[parameter] = argument
        return Frame(self, function, values).run(condition)


class Frame:
    def __init__(self, execution, function, values):
        self.execution, self.function, self.values = execution, function, values
        self.module = execution.module
        self.blocks = function.blocks
        self.returned = []
        self.successors = {b: _targets(lines[-1]) for b, lines in self.blocks.items()}
        self.order = self._order()
        self.position = {b: i for i, b in enumerate(self.order)}
        self.loops = self._loops()

    def _order(self):
        seen, order = set(), []

        def visit(block):
            seen.add(block)
            for s in self.successors[block]:
                if s not in seen:
                    visit(s)
            order.append(block)

        visit(next(iter(self.blocks)))
        return order[::-1]

    def _loops(self):
        """The blocks of each loop, by its header."""
        before = {}
        for b, ss in self.successors.items():
            for s in ss:
                before.setdefault(s, []).append(b)
        loops = {}
        for b in self.order:
            for s in self.successors[b]:
                if self.position[s] <= self.position[b]:
                    body, stack = {s}, [b]
                    while stack:
                        x = stack.pop()
                        if x not in body:
                            body.add(x)
                            stack.extend(before.get(x, []))
                    loops.setdefault(s, set()).update(body)
        return loops

    def run(self, condition):
        edges = {b: [] for b in self.order}
        edges[self.order[0]].append((condition, {}))
        self._region(self.order, edges, None)
        result = None
        for reached, value in reversed(self.returned):
            result = value if result is None else choose(reached, value, result)
        return result

    def _region(self, blocks, edges, own_header):
        blocks = [b for b in blocks]
        done = set()
        for block in blocks:
            if block in done:
                continue
            if block in self.loops and block != own_header:
                body = sorted(self.loops[block], key=self.position.get)
                done.update(body)
                self._loop(block, body, edges)
            else:
                self._block(block, edges)

    def _loop(self, header, body, edges):
        for _ in range(LOOP_BOUND):
            if not [c for c, _ in edges[header] if c is not t.FALSE]:
                edges[header] = []
                return
            inner = {b: [] for b in self.order}
            inner[header] = edges[header]
            self._region(body, inner, header)
            edges[header] = inner.pop("back", [])
            for b in self.order:
                if b not in self.loops[header]:
                    edges[b] += inner[b]
        self.execution.fault(t.or_(*(c for c, _ in edges[header])), "more turns of a loop")
        edges[header] = []

    def _take(self, edges, block, target, condition):
        """The values of the target's phi are those of the moment when the edge is taken."""
        if condition is t.FALSE:
            return
        values = {}
        for line in self.blocks[target]:
            phi = re.match(r"(%[\w.]+) = phi (.*?) (\[.*)", line)
            if not phi:
                break
            for value, source in re.findall(r"\[ ([^,]+), %\"?([\w.$-]+)\"? \]", phi[3]):
                if source == block:
                    values[phi[1]] = self._value(phi[2], value)
        back = self.position[target] <= self.position[block]
        edges.setdefault("back" if back else target, []).append((condition, values))

    def _block(self, block, edges):
        incoming = edges[block]
        if not incoming:
            return
        condition = t.or_(*(c for c, _ in incoming))
        edges[block] = []
        for name in incoming[0][1]:
            value = incoming[-1][1][name]
            for reached, values in reversed(incoming[:-1]):
                value = choose(reached, values[name], value)
            self.values[name] = value
        for line in self.blocks[block]:
            if " = phi " in line:
                continue
            if line.startswith(("br ", "switch ", "ret ", "unreachable")):
                self._leave(line, block, edges, condition)
                return
            self._instruction(line, condition)

    def _leave(self, line, block, edges, condition):
        if line.startswith("br i1 "):
            c, yes, no = re.fullmatch(
                r"br i1 (.*), label %\"?([\w.$-]+)\"?, label %\"?([\w.$-]+)\"?", line).groups()
            c = self._value("i1", c)
            self.execution.branches.append((condition, c))
            self._take(edges, block, yes, t.and_(condition, c))
            self._take(edges, block, no, t.and_(condition, t.not_(c)))
        elif line.startswith("br "):
            self._take(edges, block, re.search(r"%\"?([\w.$-]+)", line)[1], condition)
        elif line.startswith("switch "):
            kind, on, default = re.match(r"switch (\S+) (\S+), label %([\w.$-]+)", line).groups()
            on, rest, to = self._value(kind, on), condition, {}
            self.execution.branches.append((condition, on))
            for value, target in re.findall(r"i\d+ (-?\d+), label %([\w.$-]+)", line):
                same = t.eq(on, t.const(int(value), on.width))
                to[target] = t.or_(to.get(target, t.FALSE), t.and_(condition, same))
                rest = t.and_(rest, t.not_(same))
            to[default] = t.or_(to.get(default, t.FALSE), rest)
            for target, c in to.items():
                self._take(edges, block, target, c)
        elif line.startswith("ret "):
            kind, value = _typed(line[4:])
            self.returned.append((condition, None if kind == "void" else self._value(kind, value)))
        elif not self.blocks[block][-2:-1] or "trap" not in self.blocks[block][-2]:
            self.execution.fault(condition, f"{self.function.name}: unreachable")

    # ---- values

    def _value(self, kind, text):
        text = text.strip()
        if text[0] == "%":
            return self.values[text]
        if text in ("undef", "poison", "zeroinitializer"):
            kind = self.module.structures.get(kind, kind)
            if kind[0] == "{":
                return tuple(self._value(k, text) for k in split(kind[1:-1]))
            width = int(kind[1:])
            if text == "zeroinitializer":
                return t.const(0, width)
            return t.eq(t.fresh(1), t.const(1, 1)) if width == 1 else t.fresh(width)
        if kind.endswith("*"):
            return self._constant_pointer(text)
        if text in ("true", "false"):
            return t.boolean(text == "true")
        return t.const(int(text), int(kind[1:]))

    def _constant_pointer(self, text):
        name = re.search(r"@([\w.]+)", text)[1]
        if name not in self.module.tables:
            return None  # what the sanitizer would print
        cells = []
        for cell in self.module.tables[name]:
            cells += [t.extract(8 * i + 7, 8 * i, cell) for i in range(cell.width // 8)]
        at = re.search(r"i64 0, i32 (\d+)\)", text)
        return Pointer(Memory(cells), int(at[1]) if at else 0)

    def _load(self, width, pointer, condition):
        size, memory = max(1, width // 8), pointer.memory
        if pointer.index is not None and pointer.at:
            raise Unsupported("an index into a part of an object")
        if pointer.index is None:
            if pointer.at + size > len(memory.cells):
                raise Unsupported("load outside of an object")
            return t.low(t.concat(*memory.cells[pointer.at:pointer.at + size][::-1]), width)
        count = len(memory.cells) // size
        index = pointer.index
        self.execution.fault(t.and_(condition, t.not_(t.ult(index, t.const(count, index.width)))),
                             "index outside of a table")
        bits = (count - 1).bit_length()

        def entry(first, bit):
            if bit < 0:
                at = min(first, count - 1) * size
                return t.concat(*memory.cells[at:at + size][::-1])
            set_ = t.eq(t.extract(bit, bit, index), t.const(1, 1))
            return t.ite(set_, entry(first | 1 << bit, bit - 1), entry(first, bit - 1))
        return entry(0, bits - 1)

    # ---- instructions

    def _instruction(self, line, condition):
        assigned = re.match(r"(%[\w.]+) = (.*)", line)
        name, line = assigned.groups() if assigned else (None, line)
        line = re.sub(r"^(tail |musttail |notail )", "", line)
        op, _, rest = line.partition(" ")
        handler = getattr(self, "_do_" + op, None)
        if handler is not None:
            result = handler(rest, condition)
        elif op in _BINARY:
            result = self._binary(op, rest, condition)
        else:
            raise Unsupported(line)
        if name:
            self.values[name] = result

    def _binary(self, op, rest, condition):
        flags = set()
        while rest.split(" ", 1)[0] in ("nsw", "nuw", "exact"):
            flag, rest = rest.split(" ", 1)
            flags.add(flag)
        kind, operands = _typed(rest)
        a, b = (self._value(kind, v) for v in split(operands))
        if a.width == 0:
            return {"and": t.and_, "or": t.or_, "xor": lambda x, y: t.not_(t.eq(x, y))}[op](a, b)
        width, what = a.width, f"{self.function.name}: {op}"
        fault = lambda c: self.execution.fault(t.and_(condition, c), what)
        if op in ("shl", "lshr", "ashr"):
            fault(t.not_(t.ult(b, t.const(width, width))))
        if op in ("udiv", "urem", "sdiv", "srem"):
            fault(t.eq(b, t.const(0, width)))
            if op[0] == "s":
                fault(t.and_(t.eq(b, t.const(-1, width)), t.eq(a, t.const(1 << (width - 1), width))))
        if flags and op in ("add", "sub", "mul"):
            for flag in flags & {"nsw", "nuw"}:
                fault(overflows(op, a, b, flag == "nsw"))
        elif flags:
            back = {"shl": t.ashr if "nsw" in flags else t.lshr, "lshr": t.shl, "ashr": t.shl}.get(op)
            if back is None or len(flags) > 1:
                raise Unsupported(f"{op} {flags}")
            fault(t.not_(t.eq(back(_BINARY[op](a, b), b), a)))
        return _BINARY[op](a, b)

    def _do_icmp(self, rest, condition):
        predicate, kind, operands = re.match(r"(\w+) (\S+) (.*)", rest).groups()
        a, b = (self._value(kind, v) for v in split(operands))
        if a.width == 0 and predicate not in ("eq", "ne"):
            a, b = t.bit(a), t.bit(b)
        return _COMPARE[predicate](a, b)

    def _cast(self, rest):
        kind, value, to = re.match(r"(\S+) (.*) to (\S+)", rest).groups()
        return self._value(kind, value), to

    def _do_zext(self, rest, condition):
        value, to = self._cast(rest)
        return t.zext(t.bit(value) if value.width == 0 else value, int(to[1:]))

    def _do_sext(self, rest, condition):
        value, to = self._cast(rest)
        return t.sext(t.bit(value) if value.width == 0 else value, int(to[1:]))

    def _do_trunc(self, rest, condition):
        value, to = self._cast(rest)
        if to == "i1":
            return t.eq(t.low(value, 1), t.const(1, 1))
        return t.low(value, int(to[1:]))

    def _do_bitcast(self, rest, condition):
        return self._cast(rest)[0]

    def _do_freeze(self, rest, condition):
        return self._value(*_typed(rest))

    def _do_select(self, rest, condition):
        c, a, b = (self._value(*_typed(x)) for x in split(rest))
        return choose(c, a, b)

    def _do_extractvalue(self, rest, condition):
        aggregate, index = split(rest)
        return self._value(*_typed(aggregate))[int(index)]

    def _do_insertvalue(self, rest, condition):
        aggregate, member, index = split(rest)
        values = list(self._value(*_typed(aggregate)))
        values[int(index)] = self._value(*_typed(member))
        return tuple(values)

    def _do_alloca(self, rest, condition):
        return Pointer(Memory([t.fresh(8) for _ in range(self.module.size(split(rest)[0]))]), 0)

    def _do_load(self, rest, condition):
        kind, pointer = split(rest)[:2]
        value = self._load(int(kind[1:]), self._value(*_typed(pointer)), condition)
        return t.eq(t.low(value, 1), t.const(1, 1)) if kind == "i1" else value

    def _do_store(self, rest, condition):
        value, pointer = split(rest)[:2]
        value, pointer = self._value(*_typed(value)), self._value(*_typed(pointer))
        cells = pointer.memory.cells
        if pointer.index is not None:
            raise Unsupported("store at an index")
        for i in range(value.width // 8):
            byte = t.extract(8 * i + 7, 8 * i, value)
            cells[pointer.at + i] = t.ite(condition, byte, cells[pointer.at + i])

    def _do_getelementptr(self, rest, condition):
        parts = split(re.sub(r"^inbounds ", "", rest))
        kind, base = parts[0], self._value(*_typed(parts[1]))
        indices = [self._value(*_typed(p)) for p in parts[2:]]
        if not (t.is_const(indices[0]) and indices[0].data == 0) or len(indices) != 2:
            raise Unsupported(rest)
        if base.index is not None or (kind[0] == "[" and base.at):
            raise Unsupported("an index into a part of an object")
        if kind[0] == "[":
            return Pointer(base.memory, base.at, indices[1])
        return Pointer(base.memory, base.at + self.module.offset(kind, indices[1].data))

    def _do_call(self, rest, condition):
        name, arguments = re.search(r"@([\w.]+)\((.*)\)", rest).groups()
        if name.startswith(("llvm.lifetime", "llvm.dbg", "llvm.assume")):
            return None
        if name in ("llvm.ubsantrap", "llvm.trap"):
            self.execution.fault(condition, f"{self.function.name}: sanitizer {arguments}")
            return None
        values = [self._value(*_typed(_bare(a))) for a in split(arguments)]
        if name.startswith("llvm."):
            return self._intrinsic(name, values, condition)
        return self.execution.call(name, values, condition)

    def _intrinsic(self, name, values, condition):
        if name.startswith("llvm.expect"):
            return values[0]
        if name.startswith("llvm.ctlz"):
            value, poison = values
            if poison is t.TRUE:
                self.execution.fault(t.and_(condition, t.eq(value, t.const(0, value.width))),
                                     f"{self.function.name}: ctlz of 0")
            return leading_zeros(value)
        over = re.match(r"llvm\.([su])(add|sub|mul)\.with\.overflow", name)
        if over:
            return (_BINARY[over[2]](*values), overflows(over[2], *values, over[1] == "s"))
        if name.startswith("llvm.memcpy"):
            to, source, count = values[0], values[1], values[2].data
            for i in range(count):
                to.memory.cells[to.at + i] = t.ite(condition, source.memory.cells[source.at + i],
                                                   to.memory.cells[to.at + i])
            return None
        raise Unsupported(name)


def overflows(op, a, b, is_signed):
    """The exact result does not fit."""
    more = a.width if op == "mul" else 1
    wide = t.sext if is_signed else t.zext
    exact = _BINARY[op](wide(a, a.width + more), wide(b, a.width + more))
    return t.not_(t.eq(exact, wide(t.low(exact, a.width), a.width + more)))


def leading_zeros(a):
    """By halves: if the upper half is 0, count in the lower one."""
    width = a.width
    if width == 1:
        return t.ite(t.eq(a, t.const(0, 1)), t.const(1, 1), t.const(0, 1))
    count, bits, step = t.const(0, width), a, width // 2
    zero = t.eq(a, t.const(0, width))
    while step:
        top = t.extract(bits.width - 1, step, bits)
        none = t.eq(top, t.const(0, top.width))
        count = t.bvor(count, t.ite(none, t.const(step, width), t.const(0, width)))
        bits = t.ite(none, t.low(bits, step), top)
        step //= 2
    return t.ite(zero, t.const(width, width), count)


def choose(condition, a, b):
    if isinstance(a, tuple):
        return tuple(choose(condition, x, y) for x, y in zip(a, b))
    if a is None or isinstance(a, Pointer):
        if a is not b:
            raise Unsupported("a choice between pointers")
        return a
    return t.ite(condition, a, b)


def _targets(line):
    return [x.strip('"') for x in re.findall(r"label %(\"[^\"]+\"|[\w.$-]+)", line)]


def _bare(argument):
    """An argument without its attributes."""
    argument = re.sub(r"\b(noundef|signext|zeroext|nonnull|nocapture|immarg|returned|align \d+)\b",
                      "", argument)
    argument = re.sub(r"byval\([^)]*\)|dereferenceable\(\d+\)", "", argument)
    return re.sub(r"\s+", " ", argument).strip()


def _typed(text):
    """The type and the value of `TYPE VALUE`."""
    text = text.strip()
    depth = 0
    for i, c in enumerate(text):
        depth += c in "([{<"
        depth -= c in ")]}>"
        if c == " " and depth == 0:
            return text[:i], text[i + 1:]
    return text, ""


_BINARY = {"add": t.bvadd, "sub": t.bvsub, "mul": t.bvmul, "and": t.bvand, "or": t.bvor,
           "xor": t.bvxor, "shl": t.shl, "lshr": t.lshr, "ashr": t.ashr, "udiv": t.udiv,
           "urem": t.urem, "sdiv": t.sdiv}
_COMPARE = {"eq": t.eq, "ne": lambda a, b: t.not_(t.eq(a, b)), "ult": t.ult, "ule": t.ule,
            "ugt": t.ugt, "uge": t.uge, "slt": t.slt, "sle": t.sle,
            "sgt": lambda a, b: t.slt(b, a), "sge": lambda a, b: t.sle(b, a)}
