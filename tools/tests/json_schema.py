# SPDX-License-Identifier: MIT
"""json_schema.py -- JSON vectors and their schemas: json_schema.py SOFTFP8 SOURCE

Every file in vectors/json is valid; so are files that gen writes, and the example of the README.
Files with one rule broken are refused by the schema and by `softfp8 ver`, which agree on that.
"""
import copy
import json
import pathlib
import subprocess
import sys

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

SOFTFP8, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
FOLDER = SOURCE / "vectors" / "json"
GENERATED = ["e4m3_abs", "f16_to_e4m3 --policy ocp-nosat --round rz", "e2m1_add --round sr",
             "p3109_k3p2sf_mulAdd", "e4m3_to_ui8 -exact", "i32_to_e5m2", "e2m1_class",
             "quantize --recipe q4_1-gguf", "dequantize --recipe q4_1-gguf --result f16",
             "quantize --recipe nvfp4-te --in bf16", "mma --unit hopper-hmma --in f16",
             "mma --unit hopper-qgmma,fraction=20,order=two-stage,zero=-120",
             "merge --rule fa3", "attend --order mma-bf16 --recipe bf16 --in bf16",
             "kv-store --cache-layout x-packed --in f16"]


def set_case(key, value):
    return lambda f: f["groups"][0]["cases"][3].__setitem__(key, value)


# What is broken, and how: {"a": ...} of e2m1_add.
BROKEN = {
    "schema": lambda f: f.update(schema="vectors-2"),
    "no title": lambda f: f.pop("title"),
    "no count": lambda f: f.pop("count"),
    "no tags": lambda f: f.pop("tags"),
    "another member": lambda f: f.update(comment=""),
    "a tag that does not exist": lambda f: f["tags"].update(tied=""),
    "an unknown kind": lambda f: f["groups"][0].update(kind="trinary"),
    "the kind of another function": lambda f: f["groups"][0].update(kind="unary"),
    "no function": lambda f: f["groups"][0].pop("function"),
    "a group without cases": lambda f: f["groups"][0].pop("cases"),
    "another member of a group": lambda f: f["groups"][0].update(unit="x"),
    "exact is a string": lambda f: f["groups"][0].update(exact="true"),
    "no id": lambda f: f["groups"][0]["cases"][3].pop("id"),
    "no operand": lambda f: f["groups"][0]["cases"][3].pop("b"),
    "no result": lambda f: f["groups"][0]["cases"][3].pop("result"),
    "no why": lambda f: f["groups"][0]["cases"][3].pop("why"),
    "an id with a blank": set_case("id", "a b"),
    "an empty id": set_case("id", ""),
    "an operand too many": set_case("c", "0"),
    "a number": set_case("a", 0),
    "a capital digit": set_case("a", "F"),
    "no digit": set_case("a", ""),
    "0x": set_case("a", "0x0"),
    "flags above 1f": set_case("flags", "20"),
    "flags of one digit": set_case("flags", "1"),
    "an unknown tag": set_case("why", ["tied"]),
    "no tag": set_case("why", []),
    "a tag twice": set_case("why", ["exact", "exact"]),
    "no bug": set_case("bugs", []),
    "a bug without a link": set_case("bugs", [{"note": ""}]),
    "a link that is none": set_case("bugs", [{"link": "a.b/1"}]),
    "another member of a bug": set_case("bugs", [{"link": "https://a.b", "why": ""}]),
    "a bug with nothing seen": set_case("bugs", [{"link": "https://a.b", "seen": {}}]),
}


def ver(text):
    """The exit status of ver, and what it says."""
    done = subprocess.run([SOFTFP8, "ver", "--format", "json"], input=text, text=True,
                          capture_output=True)
    return done.returncode, done.stdout + done.stderr


def main():
    schemas = {path.name: json.loads(path.read_text()) for path in FOLDER.glob("schema/*.json")}
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    registry = Registry().with_resources((name, Resource.from_contents(schema))
                                         for name, schema in schemas.items())
    validator = Draft202012Validator(schemas["vectors-1.json"], registry=registry)
    failures = []

    def check(name, text, good):
        error = next(validator.iter_errors(json.loads(text)), None)
        status, said = ver(text)
        if (error is None) != good or (status == 0) != good or (not good and status != 2):
            failures.append(f"{name}: schema: {error and error.message[:200]}; ver: {status} {said}")

    files = sorted(FOLDER.glob("*.json"))
    for path in files:
        check(path.name, path.read_text(), True)
    for arguments in GENERATED:
        text = subprocess.run([SOFTFP8, "gen", "--format", "json", *arguments.split()], text=True,
                              stdout=subprocess.PIPE, check=True).stdout
        check(arguments, text, True)
    readme = (FOLDER / "README.md").read_text()
    check("the example of README.md", readme.split("```json\n")[1].split("```")[0], True)
    small = json.loads((FOLDER / "e2m1_add-ocp.json").read_text())
    for name, change in BROKEN.items():
        broken = copy.deepcopy(small)
        change(broken)
        check(name, json.dumps(broken), False)
    print("\n".join(failures))
    print(f"{len(files)} files, {len(GENERATED)} generated, {len(BROKEN)} broken: "
          f"{len(failures)} failures")
    return 1 if failures or not files else 0


sys.exit(main())
