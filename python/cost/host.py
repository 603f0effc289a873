# SPDX-License-Identifier: MIT
# host.py -- the host's share of an object: the code and the tables that start kernels
"""Functions and tables of an ELF object by name: their bytes, and what each relocation means.

A relocation that refers to a literal stands for its contents, one that refers to a symbol for its
name. So two objects agree in a function if it does the same, wherever the linker will put it.
"""
import re
import struct

FUNCTION, OBJECT, SECTION = 2, 1, 3
# Instructions with a constant behind the address, from which the address is counted: how many bytes.
BEHIND = {b"\x80\x3d": 1, b"\xc6\x05": 1, b"\x83\x3d": 1, b"\xf6\x05": 1, b"\x81\x3d": 4,
          b"\xc7\x05": 4, b"\xf7\x05": 4}
# nvcc names a file by a number, gcc the tables of a switch.
HASH = re.compile(r"_[0-9a-f]{8}(?=_|$)|(?<=CSWTCH\.)\d+")


class Elf:
    def __init__(self, data):
        self.data = data
        at, size, count, names = (*struct.unpack_from("<Q", data, 40),
                                  *struct.unpack_from("<HHH", data, 58))
        rows = [struct.unpack_from("<IIQQQQIIQQ", data, at + i * size) for i in range(count)]
        self.sections = [self._section(row, rows[names]) for row in rows]
        table = next(s for s in self.sections if s["type"] == 2)
        texts = self.sections[table["link"]]["data"]
        self.symbols = []
        for at in range(0, len(table["data"]), 24):
            name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", table["data"], at)
            self.symbols.append((self._text(texts, name), info & 15, section, value, size))
        self.relocations = {}
        for s in self.sections:
            if s["type"] == 4:
                self.relocations[s["info"]] = [struct.unpack_from("<QQq", s["data"], at)
                                               for at in range(0, len(s["data"]), 24)]

    def _section(self, row, names):
        name, kind, _, _, offset, size, link, info, _, _ = row
        data = b"" if kind == 8 else self.data[offset:offset + size]
        return {"name": self._text(self.data[names[4]:names[4] + names[5]], name), "type": kind,
                "data": data, "link": link, "info": info}

    @staticmethod
    def _text(data, at):
        return data[at:data.index(b"\0", at)].decode()

    def meaning(self, symbol, kind, addend, opcode):
        """What a relocation refers to; `opcode` is the two bytes before it."""
        name, type_, section, value, _ = self.symbols[symbol]
        near = 4 + BEHIND.get(opcode, 0) if kind in (2, 4, 9, 41, 42) else 0
        target = self.sections[section] if 0 < section < len(self.sections) else None
        if target and target["name"].startswith(".rodata."):
            at = value + addend + near
            data = target["data"]
            if ".str" in target["name"]:
                return data[at:data.find(b"\0", at)]
            return data[at:at + 16]
        if type_ == SECTION:
            return self.covering(section, addend + near) or (target["name"], addend)
        return HASH.sub("_", name), addend

    def covering(self, section, at):
        """The function or table that has this place of a section, and the place in it."""
        for name, type_, of, value, size in self.symbols:
            if type_ in (FUNCTION, OBJECT) and of == section and value <= at < value + size:
                return HASH.sub("_", name), at - value
        return None

    def parts(self):
        """{name: (bytes, relocations)} of the functions and tables."""
        found = {}
        for name, type_, section, value, size in self.symbols:
            if type_ not in (FUNCTION, OBJECT) or not size or section >= len(self.sections):
                continue
            if self.sections[section]["name"].startswith((".nv", "__nv")):
                continue
            data = bytearray(self.sections[section]["data"][value:value + size])
            means = []
            for at, info, addend in self.relocations.get(section, []):
                if not value <= at < value + size:
                    continue
                kind = info & 0xffffffff
                width = 8 if kind == 1 else 4
                data[at - value:at - value + width] = bytes(width)
                opcode = self.sections[section]["data"][max(at - 2, 0):at]
                means.append((at - value, kind, self.meaning(info >> 32, kind, addend, opcode)))
            found[HASH.sub("_", name)] = bytes(data), tuple(sorted(means, key=str))
        return found


def parts(path):
    with open(path, "rb") as file:
        return Elf(file.read()).parts()
