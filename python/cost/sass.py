# SPDX-License-Identifier: MIT
# sass.py -- machine code as `cuobjdump -sass` prints it: instructions, loops, paths through them
"""A path is what a warp executes in one iteration of a loop if nothing special happens: the
shortest one that does what the caller needs, for example three accesses of 16 bytes. So slow cases,
unaligned accesses and the ends of rows are left out. An inner loop runs as often as the caller
says.
"""
import re
from collections import namedtuple

Instruction = namedtuple("Instruction", "at guard opcode operands")
Path = namedtuple("Path", "length code before")  # a chain of pieces of code
LINE = re.compile(r"\s*/\*([0-9a-f]{4,6})\*/\s+(?:\{\s*)?(@!?U?P\w+\s+)?([A-Z][\w.]*)([^;/]*)")
WIDTH = re.compile(r"\.(U8|S8|U16|S16|64|128)(?![\w])")
BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
GLOBAL = {"LDG", "STG", "LDGSTS", "LD", "ST"}  # the last two find out which memory it is


def functions(text):
    """The instructions of each function, by its mangled name."""
    found, code = {}, None
    for line in text.splitlines():
        if "Function : " in line:
            code = found.setdefault(line.split("Function : ")[1].strip(), [])
        elif code is not None and (match := LINE.match(line)):
            at, guard, opcode, operands = match.groups()
            code.append(Instruction(int(at, 16), (guard or "").strip(), opcode, operands.strip()))
    return found


def name(i):
    """The opcode without its modifiers."""
    return i.opcode.split(".")[0]


def width(i):
    """The bytes that a lane loads or stores."""
    found = WIDTH.findall(i.opcode)
    return BYTES[found[-1]] if found else 4


def is_needed(i, need):
    """A need is an opcode, without its modifiers or with all of them; or that and a part of the
    operands, FFMA/0.5; or G16, a global access of 16 bytes a lane; or A+B, one of both. If 0 are
    needed, there must be none."""
    if "+" in need:
        return any(is_needed(i, n) for n in need.split("+"))
    if need[0] == "G" and need[1:].isdigit():
        return name(i) in GLOBAL and width(i) == int(need[1:])
    opcode, _, operand = need.partition("/")
    return (i.opcode if "." in opcode else name(i)) == opcode and operand in i.operands


def has(code, needs):
    return tuple(min(sum(is_needed(i, n) for i in code), most) for n, most in needs.items())


def extended(paths, code, got, needs):
    """Paths, by what they have of the needs, with more code behind them."""
    found = {}
    for have, path in paths.items():
        now = tuple(min(a + b, most) for a, b, most in zip(have, got, needs.values()))
        keep_shorter(found, now, Path(path.length + len(code), code, path))
    return found


def keep_shorter(paths, have, path):
    if have not in paths or path.length < paths[have].length:
        paths[have] = path


def useful(paths):
    """Without paths that have no more than a shorter one has."""
    kept = {}
    for have, path in sorted(paths.items(), key=lambda p: p[1].length):
        if not any(all(a <= b for a, b in zip(have, other)) for other in kept):
            kept[have] = path
    return kept


def whole(path):
    """The instructions of a path."""
    pieces = []
    while path:
        pieces.append(path.code)
        path = path.before
    return [i for code in reversed(pieces) for i in code]


class Graph:
    """The blocks of a function, the edges between them, and its loops."""

    def __init__(self, code):
        place = {i.at: n for n, i in enumerate(code)}
        starts = {0}
        for n, i in enumerate(code):
            if name(i) in ("BRA", "EXIT", "RET", "CALL", "BRX", "JMP"):
                starts |= {n + 1, place.get(self.target(i), 0)}
        order = sorted(s for s in starts if s < len(code))
        block = {s: k for k, s in enumerate(order)}
        self.code = [code[a:b] for a, b in zip(order, order[1:] + [len(code)])]
        self.next = []
        for k, part in enumerate(self.code):
            last, after = part[-1], set()
            if self.target(last) in place:
                after.add(block[place[self.target(last)]])
            if self.goes_on(last) and k + 1 < len(self.code):
                after.add(k + 1)
            self.next.append(after)
        self.loops = self.find_loops()

    @staticmethod
    def target(i):
        """Where a branch goes. BRA.DIV is for a warp that diverged, and is left out."""
        to = re.search(r"0x([0-9a-f]+)$", i.operands)
        return int(to[1], 16) if to and name(i) == "BRA" and ".DIV" not in i.opcode else None

    @staticmethod
    def goes_on(i):
        """Whether the next instruction may follow; "@P0 BRA P1, 0x90" has two conditions."""
        return bool(i.guard) or ".DIV" in i.opcode or (
            "," in i.operands if name(i) == "BRA" else name(i) not in ("EXIT", "RET", "BRX", "JMP"))

    def calls(self, b):
        """Whether a block calls a function: a slow case of a division."""
        return name(self.code[b][-1]) == "CALL"

    def excluded(self, b, needs):
        """Whether a block has an instruction of which an iteration must have none."""
        return any(not most and is_needed(i, n) for n, most in needs.items() for i in self.code[b])

    def find_loops(self):
        """{head: blocks} of the natural loops."""
        before = [[a for a, after in enumerate(self.next) if b in after]
                  for b in range(len(self.code))]
        every = set(range(len(self.code)))
        above = [{0}] + [every] * (len(self.code) - 1)
        changed = True
        while changed:
            changed = False
            for b in range(1, len(self.code)):
                to = [above[a] for a in before[b]]
                new = {b} | (set.intersection(*to) if to else every)
                changed |= new != above[b]
                above[b] = new
        loops = {}
        for a, after in enumerate(self.next):
            for head in after & above[a]:
                body, todo = loops.setdefault(head, {head}), [a]
                while todo and len(above[a]) < len(every):
                    b = todo.pop()
                    if b not in body:
                        body.add(b)
                        todo += before[b]
        return loops

    def inner(self, head):
        """{block: head} of the loops directly within a loop."""
        within = [h for h in self.loops if h != head and h in self.loops[head]]
        return {b: h for h in within for b in self.loops[h]
                if not any(h != o and h in self.loops[o] for o in within)}

    def ordered(self, head, inner):
        """The blocks of a loop, each behind those that lead to it; an inner loop is its head."""
        seen, order, stack = set(), [], [(head, False)]
        while stack:
            b, done = stack.pop()
            if done:
                order.append(b)
            elif b not in seen:
                seen.add(b)
                stack.append((b, True))
                after = {inner.get(t, t) for a in self.region(b, inner) for t in self.next[a]}
                stack += [(t, False) for t in after & self.loops[head] - {head}]
        return order[::-1]

    def region(self, b, inner):
        return self.loops[b] if inner.get(b) == b else {b}

    def iterations(self, head, needs, trips):
        """The shortest iterations: {what they have of the needs, up to these: Path}. trips(code) is
        how often an inner loop runs whose iteration that is."""
        if head in self.known:
            return self.known[head]
        inner, ends = self.inner(head), {}
        best = {head: extended({(0,) * len(needs): Path(0, [], None)}, self.code[head],
                               has(self.code[head], needs), needs)}
        for b in self.ordered(head, inner):
            region = self.region(b, inner)
            best[b] = useful(best.get(b, {}))
            for to in {t for a in region for t in self.next[a]} - (region - {head}):
                if to not in self.loops[head] or self.calls(to) or self.excluded(to, needs):
                    continue
                if to == head:
                    found, here = best[b], ends
                elif inner.get(to) == to:
                    found, here = self.repeated(best[b], to, needs, trips), best.setdefault(to, {})
                else:
                    code = self.code[to]
                    found = extended(best[b], code, has(code, needs), needs)
                    here = best.setdefault(to, {})
                for have, path in found.items():
                    keep_shorter(here, have, path)
        self.known[head] = useful(ends)
        return self.known[head]

    def repeated(self, paths, head, needs, trips):
        """Paths with an inner loop behind them, or without it."""
        found = dict(paths)
        for once, path in self.iterations(head, needs, trips).items():
            code = whole(path)
            times = trips(code)
            got = [n * times for n in once]
            for have, longer in extended(paths, code * times, got, needs).items() if times else ():
                keep_shorter(found, have, longer)
        return found

    def hot(self, needs, trips):
        """The first loop that has an iteration with all needs: its address, and the iteration."""
        self.known = {}
        for head in sorted(self.loops):
            path = self.iterations(head, needs, trips).get(tuple(needs.values()))
            if path:
                return self.code[head][0].at, whole(path)
        return None, None
