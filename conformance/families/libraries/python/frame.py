# SPDX-License-Identifier: MIT
# frame.py -- reads requests of attention, has a library answer them, writes what it says
#
# Runs as: python3 run.py OPTION..., in a folder with the file "plan", a line for each request:
#
#     NUMBER CAUSAL BATCH QUERIES KEYS HEADS KV_HEADS DIM SCALE Q_SCALE K_SCALE V_SCALE Q KV OUT
#
# Q, KV and OUT are the formats of words; the scales are f32 in hexadecimal. Words lie in q.NUMBER,
# k.NUMBER and v.NUMBER, [batch][token][head][dim]. What comes goes to out.NUMBER and, as f32
# [batch][query][head], to lse.NUMBER. The file "report" has a line for each thing that happened:
#
#     library NAME    absent WHY    done NUMBER    refused NUMBER WHY
#
# Behind this file comes that of a library, which has begin(options): what it is, and a function
# that answers a request with the bytes of the output and those of lse, or None.
import ctypes
import importlib
import importlib.util
import os
import sys


class Absent(Exception):
    """What a library needs is not here."""


class Broken(Exception):
    """What no library may do, nor a module that the user named: the program ends."""


class Request:
    def __init__(self, line):
        f = line.split()
        self.number, self.causal = f[0], f[1] == "1"
        self.batch, self.queries, self.keys, self.heads, self.kv_heads, self.dim = map(int, f[2:8])
        self.scale, self.q_scale, self.k_scale, self.v_scale = map(float.fromhex, f[8:12])
        self.q_words, self.kv_words, self.out_words = f[12:15]

    def words(self, name):
        with open(name + "." + self.number, "rb") as file:
            return bytearray(file.read())

    def shape(self, name):
        if name in ("q", "out"):
            return (self.batch, self.queries, self.heads, self.dim)
        return (self.batch, self.keys, self.kv_heads, self.dim)

    def format(self, name):
        return {"q": self.q_words, "out": self.out_words}.get(name, self.kv_words)


def one_line(x):
    return " ".join((type(x).__name__ + ": " + str(x)).split())[:300]


def need_module(name):
    """Whether there is one, without running any of it."""
    if importlib.util.find_spec(name) is None:
        raise Absent("python3 has no module named " + name)


def need_gpu():
    """Asked before a library is imported that would take seconds to say so."""
    try:
        found = ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    except OSError:
        found = False
    if not found:
        raise Absent("no GPU that libcuda.so.1 opens")


def say(report, text):
    report.write(text + "\n")
    report.flush()


def answer_all(report, answer):
    with open("plan") as plan:
        for line in plan:
            request = Request(line)
            try:
                out, lse = answer(request)
            except Broken:
                raise
            except Exception as x:
                say(report, "refused " + request.number + " " + one_line(x))
                if request.number == "0":
                    return
                continue
            for name, data in (("out", out), ("lse", lse)):
                if data is not None:
                    with open(name + "." + request.number, "wb") as file:
                        file.write(data)
            say(report, "done " + request.number)


def main(begin):
    with open("report", "w") as report:
        try:
            name, answer = begin(sys.argv[1:])
        except Absent as x:
            say(report, "absent " + str(x))
            return
        except Broken:
            raise
        except Exception as x:
            say(report, "absent python3 cannot import it: " + one_line(x))
            return
        say(report, "library " + name)
        answer_all(report, answer)
