# SPDX-License-Identifier: MIT
"""solve.py -- one solver on one file: solve.py SOLVER FILE; prints sat, unsat or unknown, and a model

The file has no (check-sat). The caller limits the time by ending this process.
"""
import importlib.metadata
import sys

PACKAGES = {"bitwuzla": "bitwuzla", "z3": "z3-solver", "cvc5": "cvc5"}


def version(solver):
    return f"{solver} {importlib.metadata.version(PACKAGES[solver])}"


def bitwuzla(file):
    import bitwuzla as b
    options = b.Options()
    options.set(b.Option.PRODUCE_MODELS, True)
    parser = b.Parser(b.TermManager(), options)
    parser.parse(file, True, True)
    solver = parser.bitwuzla()
    answer = solver.check_sat()
    print({b.Result.SAT: "sat", b.Result.UNSAT: "unsat"}.get(answer, "unknown"))
    if answer == b.Result.SAT:
        for v in parser.get_declared_funs():
            text = str(solver.get_value(v))
            print(v, {"true": "1", "false": "0"}.get(text, text.removeprefix("#b")))


def z3(file):
    import z3 as z
    solver = z.SolverFor("QF_FPBV" if "FloatingPoint" in open(file).read() else "QF_BV")
    solver.from_file(file)
    answer = solver.check()
    print(answer)
    if answer == z.sat:
        model = solver.model()
        for v in model.decls():
            print(v.name(), f"{model[v].as_long():b}")


def cvc5(file):
    import cvc5 as c
    solver = c.Solver(c.TermManager())
    solver.setOption("produce-models", "true")
    parser = c.InputParser(solver)
    parser.setFileInput(c.InputLanguage.SMT_LIB_2_6, file)
    symbols = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        command.invoke(solver, symbols)
    answer = solver.checkSat()
    print("sat" if answer.isSat() else "unsat" if answer.isUnsat() else "unknown")
    if answer.isSat():
        for v in symbols.getDeclaredTerms():
            print(v, solver.getValue(v).getBitVectorValue(2))


if __name__ == "__main__":
    {"bitwuzla": bitwuzla, "z3": z3, "cvc5": cvc5}[sys.argv[1]](sys.argv[2])
