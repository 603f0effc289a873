# SPDX-License-Identifier: MIT
"""test_package_matrix.py -- the matrix of packages: verdicts, broken ones, resumed runs, pages"""
import html
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import softfp8
from softfp8.survey import environments, inputs, known, report
from softfp8.survey.__main__ import main
from softfp8.survey.adapters import lab
from softfp8.testing import critical

jsonschema = pytest.importorskip("jsonschema")
pytestmark = pytest.mark.long
ROOT = pathlib.Path(__file__).parents[3]
PACKAGE = pathlib.Path(softfp8.__file__).parent / "survey"
HEAD = """
import os, time
import numpy as np
PACKAGE, VERSION = "planted", "1"
def claim(source, to, mode): return "ml_dtypes"
"""
AWAY = """
def cast(words):
    import ml_dtypes
    values = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e4m3fn).astype(np.float64)[:127]
    x = words.view(np.float16).astype(np.float64)
    above = np.searchsorted((values[:-1] + values[1:]) / 2, np.abs(x), side="right")
    codes = np.where((np.abs(x) >= 464) | np.isnan(x), 127, above)
    return codes.astype(np.uint8) | (words >> 15).astype(np.uint8) << 7
def conversions():
    yield "f16", "e4m3", "", cast
"""


def run(tmp_path, *arguments, out="out"):
    """Runs the command; returns its status and the JSON."""
    path = tmp_path / "matrix.json"
    status = main(["--keep", str(tmp_path / out), "--json", str(path), *map(str, arguments)])
    return status, json.loads(path.read_text())


def planted(tmp_path, text):
    path = tmp_path / "planted.py"
    path.write_text(HEAD + text)
    return path


def only_cell(found):
    (package,) = found["packages"]
    (cell,) = package["cells"]
    return cell


def valid(found):
    jsonschema.validate(found, json.loads((PACKAGE / "schema.json").read_text()))


def test_ml_dtypes_equals_its_policy(tmp_path):
    status, found = run(tmp_path, "--package", "ml_dtypes", "--only", "*/*f16_to_*")
    cells = found["packages"][0]["cells"]
    assert status == 0 and len(cells) == 22
    assert all(cell["status"] == "equal" and cell["policy"] == "ml_dtypes" and cell["all"] and
               cell["inputs"] == 65536 for cell in cells)
    valid(found)


def as_published(cells):
    """What the page shows of each mode."""
    names = "status", "policy", "inputs", "all", "differ", "diagnosis"
    return {(cell.get("operation"), cell["from"], cell["to"], mode):
            [cell.get(name) for name in names] for cell in cells for mode in cell["modes"]}


@pytest.mark.parametrize("cells", ["*/[be]*", "*/f16_*", "*/add_*"])
def test_ml_dtypes_is_as_the_committed_page_says(tmp_path, cells):
    """All inputs of formats up to 16 bits, converted and added."""
    _, found = run(tmp_path, "--package", "ml_dtypes", "--only", cells)
    (now,) = found["packages"]
    committed = json.loads((ROOT / "docs" / "matrix" / "matrix.json").read_text())["packages"]
    before = [p for p in committed if (p["package"], p["version"]) == ("ml_dtypes", now["version"])]
    if not before:
        pytest.skip(f"the page has no ml_dtypes {now['version']}")
    seen, shown = as_published(now["cells"]), as_published(before[0]["cells"])
    assert len(seen) >= 11 and {key: shown.get(key) for key in seen} == seen


def test_ties_away_from_zero_are_red(tmp_path):
    status, found = run(tmp_path, "--adapter", planted(tmp_path, AWAY))
    cell = only_cell(found)
    assert status == 1 and cell["status"] == "differs"
    assert cell["policy"].endswith("round=rna") and cell["claimed"] == "ml_dtypes"
    assert cell["diagnosis"].startswith("ties go away from zero")
    # 1.0625 lies half way between 1 and 1.125
    assert {"first": "3c40", "last": "3c40", "got": "39", "expected": "38", "value": "1.0625",
            "got_value": "1.125", "expected_value": "1"} in all_ranges(tmp_path)
    assert cell["differ"] == cell["range_count"] == 128  # every other tie, and 464
    valid(found)


def test_without_a_claim_the_policy_is_found(tmp_path):
    text = AWAY.replace('"right"', '"left"').replace(">=", ">") + "\ndel claim\n"
    _, found = run(tmp_path, "--adapter", planted(tmp_path, text))
    cell = only_cell(found)
    assert cell["status"] == "unclaimed" and cell["policy"].endswith("round=rnz")
    valid(found)


def test_without_a_claim_and_a_policy_the_nearest_is_named(tmp_path):
    text = AWAY.replace("codes = np.where(", "codes = np.where(words == 0, 1, above)\n"
                        "    codes = np.where(", 1).replace("127, above", "127, codes") + \
        "\ndel claim\n"
    _, found = run(tmp_path, "--adapter", planted(tmp_path, text))
    cell = only_cell(found)
    assert cell["status"] == "unclaimed" and "policy" not in cell and cell["nearest"]
    assert any(part["first"] == "0000" and part["got"] == "01" for part in all_ranges(tmp_path))
    valid(found)


@pytest.mark.parametrize("body, why", [
    ("os.kill(os.getpid(), 11)", "it ended with signal 11"),
    ("os._exit(3)", "it ended with status 3"),
    ("time.sleep(60)", "no answer within 2 s"),
    ("return np.zeros(3, np.uint8)", "it answered 'ok 3 "),
    ("return np.full(words.size, 16, np.uint8)", "the code 0x10 has more than 4 bits")])
def test_a_broken_conversion_spoils_no_other(tmp_path, body, why):
    text = f"""
def bad(words): {body}
def good(words):
    import ml_dtypes
    with np.errstate(all="ignore"):
        return words.view(np.float16).astype(ml_dtypes.float4_e2m1fn).view(np.uint8)
def conversions():
    yield "f16", "e2m1", "bad", bad
    yield "f16", "e2m1", "good", good
"""
    status, found = run(tmp_path, "--limit", 2, "--adapter", planted(tmp_path, text))
    bad, good = found["packages"][0]["cells"]
    assert status == 1 and bad["status"] == "broken" and bad["why"].startswith(why)
    assert good["status"] == "equal"
    valid(found)


def test_a_refusal_is_absent(tmp_path):
    text = """
def refuse(words): raise TypeError("no such cast")
def conversions(): yield "f16", "e4m3", "", refuse
"""
    status, found = run(tmp_path, "--adapter", planted(tmp_path, text))
    assert status == 0 and only_cell(found)["status"] == "absent"
    assert only_cell(found)["why"] == "TypeError: no such cast"


@pytest.mark.parametrize("adapter, status, why", [
    ("import no_such_package", "absent", "No module named 'no_such_package'"),
    ("1 / 0", "broken", "division by zero"),
    ("os._exit(0)", "broken", "it ended with status 0")])
def test_an_adapter_that_cannot_start(tmp_path, adapter, status, why):
    code, found = run(tmp_path, "--adapter", planted(tmp_path, adapter))
    (package,) = found["packages"]
    assert code == 3 and package["status"] == status and why in package["why"]
    valid(found)


def test_environments_that_do_not_exist_are_absent(tmp_path):
    status, found = run(tmp_path, "--env", tmp_path)
    assert status == 0 and {package["status"] for package in found["packages"]} == {"absent"}
    assert len(found["packages"]) == sum(len(section["runs"].strip().splitlines())
                                         for section in environments.table().values())
    valid(found)


def test_each_adapter_has_an_environment_and_pinned_versions():
    adapters = {path.stem.removeprefix("from_") for path in
                (PACKAGE / "adapters").rglob("from_*.py")}
    assert adapters == {line.split()[0] for section in environments.table().values()
                        for line in section["runs"].strip().splitlines()}
    assert all("==" in requirement for section in environments.table().values()
               for requirement in section["requires"].split())


def test_a_program_that_does_not_exist(tmp_path):
    code, found = run(tmp_path, "--adapter", tmp_path / "nothing")
    assert code == 3 and found["packages"][0]["why"].startswith("it cannot be started")


def test_a_run_resumes_after_a_kill(tmp_path):
    log = tmp_path / "log"
    text = f"""
def cast(words):
    open({str(log)!r}, "a").write("x")
    time.sleep(0.3)
    return np.zeros(words.size, np.uint8)
def conversions():
    for i in range(6):
        yield "e2m1", "e4m3", str(i), cast
"""
    arguments = ["--keep", str(tmp_path / "out"), "--adapter", str(planted(tmp_path, text))]
    child = subprocess.Popen([sys.executable, "-m", "softfp8.survey", *arguments],
                             stderr=subprocess.DEVNULL, start_new_session=True)
    cells = tmp_path / "out" / "cells"
    deadline = time.monotonic() + 60
    while len(list(cells.glob("*.json"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    done = {path.name: path.read_text() for path in cells.glob("*.json")}
    assert 2 <= len(done) < 6
    log.write_text("")
    _, found = run(tmp_path, "--adapter", tmp_path / "planted.py")
    assert list(only_cell(found)["modes"]) == list("012345")
    calls_of_a_cell = 4  # the tally, the check of a policy that was found, the tally of the nearest
    assert 6 - len(done) <= len(log.read_text()) <= calls_of_a_cell * (6 - len(done))
    assert all((cells / name).read_text() == text for name, text in done.items())


def test_the_budget_leaves_cells_for_another_run(tmp_path):
    adapter = planted(tmp_path, AWAY)
    status, found = run(tmp_path, "--budget", 0, "--adapter", adapter)
    assert status == 3 and found["packages"][0]["cells"] == []
    status, found = run(tmp_path, "--only", "*/f16_to_e5m2/*", "--adapter", adapter)
    assert status == 3 and found["packages"][0]["cells"] == []
    _, found = run(tmp_path, "--adapter", adapter)
    assert only_cell(found)["status"] == "differs"


def all_ranges(tmp_path):
    """The file of a cell has more ranges than the result."""
    (path,) = (tmp_path / "out" / "cells").glob("*.json")
    return json.loads(path.read_text())["ranges"]


# ---- known differences


def test_a_known_difference_needs_its_reason_and_its_key(monkeypatch):
    cell = {"package": "gguf", "from": "f32", "to": "ue4m3", "mode": "-", "key": "12345678",
            "status": "differs"}
    assert known.labelled(cell)["status"] == "differs"
    monkeypatch.setattr(known, "_keys", lambda: {known.line(cell)})
    assert known.labelled(cell)["status"] == "known"
    assert known.labelled(cell | {"package": "other"})["status"] == "differs"
    assert known.labelled(cell | {"key": "12345679"})["status"] == "differs"


def test_each_known_difference_has_a_reason():
    for line in known._keys():
        package, conversion, mode, key = line.split()
        assert known.explained(package, conversion, mode) and \
            re.fullmatch("[0-9a-f]{8}|broken", key)


def test_a_broken_cell_stays_broken_and_gets_its_reason(monkeypatch):
    cell = {"package": "gguf", "from": "f32", "to": "ue4m3", "mode": "-", "status": "broken"}
    assert "reason" not in known.labelled(cell)
    monkeypatch.setattr(known, "_keys", lambda: {"gguf f32_to_ue4m3 - broken"})
    shown = known.labelled(cell)
    assert shown["status"] == "broken" and shown["reason"].startswith("half is added")


# ---- inputs


@pytest.mark.parametrize("source, to", [("f32", "e4m3"), ("f64", "e2m1")])
def test_random_inputs_are_sorted_and_have_the_fixed_set(source, to):
    given = inputs.Inputs(source, to, 1 << 14)
    words = np.concatenate(list(given.blocks()))
    assert (words[1:] > words[:-1]).all() and words.dtype == lab.dtype_of(source)
    for those in critical(source, to).view(words.dtype), inputs.dense(source):
        assert (words[np.searchsorted(words, those)] == those).all()
    again = np.concatenate(list(inputs.Inputs(source, to, 1 << 14, 1 << 12).blocks()))
    assert np.array_equal(words, again)


def test_all_inputs_of_f32_in_blocks():
    given = inputs.Inputs("f32", "e4m3", None)
    blocks = given.blocks()
    first, second = next(blocks), next(blocks)
    assert first[0] == 0 and second[0] == first[-1] + 1 and first.size == 1 << 20 and given.whole


# ---- devices

GPU = """
MACHINE = "Planted GPU 1"
def conversions():
    yield "f16", "e4m3", "cuda", cast
"""


def test_each_cell_names_the_gpu_that_it_ran_on(tmp_path):
    _, found = run(tmp_path, "--adapter", planted(tmp_path, AWAY + GPU),
                   "--markdown", tmp_path / "table.md")
    assert only_cell(found)["device"] == "Planted GPU 1"
    assert "| planted 1 on Planted GPU 1 |" in (tmp_path / "table.md").read_text()
    valid(found)


def test_the_adapters_of_gpus_are_absent_without_one(tmp_path):
    """The packages stand for those that find no GPU."""
    (tmp_path / "torch.py").write_text("""
class backends:
    class cpu: get_cpu_capability = staticmethod(lambda: "default")
class cuda: is_available = staticmethod(lambda: False)
def set_num_threads(n): pass
def __getattr__(name): return name
__version__ = "1"
""")
    (tmp_path / "triton").mkdir()
    (tmp_path / "triton" / "__init__.py").write_text("__version__ = '1'\njit = lambda f: f\n")
    (tmp_path / "triton" / "language.py").write_text("constexpr = int\n")
    (tmp_path / "jax.py").write_text("""
class lax: pass
def devices(): raise AssertionError
""")
    for name in "torch", "triton", "jax":
        done = subprocess.run(
            [sys.executable, PACKAGE / "adapters" / "worker.py", name], capture_output=True,
            env=os.environ | {"PYTHONPATH": str(tmp_path), f"{name.upper()}_DEVICE": "cuda"},
            text=True)
        assert "finds no GPU" in done.stderr.splitlines()[-1] and done.stdout == ""
        assert done.stderr.splitlines()[-1].startswith("ModuleNotFoundError")


# ---- results


def test_the_committed_matrix_is_valid_and_has_no_red_cell():
    folder = ROOT / "docs" / "matrix"
    if not folder.is_dir():
        pytest.skip("docs/ is not in a source archive")
    found = json.loads((folder / "matrix.json").read_text())
    valid(found)
    assert not report.counts(found)["differs"]
    assert report.markdown(found) in (folder / "index.md").read_text()
    for package in found["packages"]:
        assert all(known.labelled(cell | {"package": package["package"], "status": "differs",
                                          "mode": mode})["status"] == "known"
                   for cell in package["cells"] if cell["status"] == "known"
                   for mode in cell["modes"])
        assert all(known.labelled(cell | {"package": package["package"], "mode": mode}) ==
                   cell | {"package": package["package"], "mode": mode} and cell["reason"]
                   for cell in package["cells"] if cell["status"] == "broken"
                   for mode in cell["modes"])


def test_the_page_has_the_json_and_loads_nothing(tmp_path):
    _, found = run(tmp_path, "--adapter", planted(tmp_path, AWAY),
                   "--html", tmp_path / "page.html", "--markdown", tmp_path / "table.md")
    page = (tmp_path / "page.html").read_text()
    text = re.search(r'<script type="application/json" id="result">(.*?)</script>', page, re.S)
    assert json.loads(text[1]) == found
    assert not re.search(r'(src|href)="|https?://|url\(|@import', page)
    assert "| planted 1 |  |  |  | 1 |  |  | 65,536 |" in (tmp_path / "table.md").read_text()


# What a reader does: goes to the right, opens the cell, closes it, filters.
READER = """
const press = (key, at) => at.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const shown = [];
const note = text => shown.push(text);
const first = document.querySelector("td button");
first.focus();
press("ArrowRight", first);
note(document.activeElement.textContent);
document.activeElement.click();
note($("detail").open + " " + $("title").textContent);
note([...$("detail").querySelectorAll("tbody th")].map(th => th.textContent).join(", "));
note($("detail").querySelectorAll("tbody tr").length + " " + document.activeElement.textContent);
document.activeElement.click();
note($("detail").open + " " + document.querySelectorAll("td button").length);
$("status").value = "broken";
document.querySelector("form").dispatchEvent(new Event("input"));
note(document.querySelectorAll("td button").length + " " + location.hash);
document.title = shown.join("|");
"""


def test_the_page_in_a_browser(tmp_path):
    browsers = "chromium", "chromium-browser", "google-chrome", "headless_shell"
    browser = next(filter(None, map(shutil.which, browsers)), None)
    if browser is None:
        pytest.skip("no Chromium")
    text = AWAY + """
def bad(words): raise SystemExit("<b>bad</b>")
def both():
    yield "f16", "e2m1", "", bad
    yield "f16", "e4m3", "", cast
conversions = both
"""
    run(tmp_path, "--adapter", planted(tmp_path, text), "--html", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    page = page.replace("draw();\n</script>", f"draw();{READER}</script>")
    (tmp_path / "page.html").write_text(page)
    done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                           f"--user-data-dir={tmp_path / 'profile'}", "--enable-logging=stderr",
                           "--virtual-time-budget=10000", "--dump-dom",
                           f"file://{tmp_path / 'page.html'}"], capture_output=True, text=True,
                          timeout=300)
    assert "CONSOLE" not in done.stderr and done.returncode == 0
    title = html.unescape(re.search("<title>(.*?)</title>", done.stdout)[1])
    assert title.split("|") == ["\u2717 torch-2.12, round=rna",
                                "true planted 1: f16 to e4m3, mode -",
                                "Status, Codes are those of, softfp8's policy for the product, "
                                "Likely mistake, OCP 8-bit Floating Point 1.0, section 5, and "
                                "Microscaling Formats 1.0, section 5.3, Inputs, Inputs that differ, "
                                "Values per second, Ran on", "12 Close", "false 2",
                                "1 #status=broken"]


# ---- the guide


def guide():
    page = ROOT / "docs" / "guides" / "add-your-implementation.md"
    if not page.is_file():
        pytest.skip("docs/ is not in a source archive")
    return page.read_text()


@pytest.mark.parametrize("name", ["my_cast.py", "truncate.c"])
def test_the_examples_of_the_guide(tmp_path, capsys, name):
    path = tmp_path / name
    path.write_text(re.search(rf"<!-- file: {name} -->\n```\w+\n(.*?)^```$", guide(),
                              re.S | re.M)[1])
    if name.endswith(".c"):
        subprocess.run(["cc", "-Wall", "-Werror", path, "-o", path.with_suffix("")], check=True)
        path = path.with_suffix("")
    capsys.readouterr()
    status, _ = run(tmp_path, "--adapter", path)
    assert status == 1
    printed = capsys.readouterr().err.splitlines()[0]
    assert printed.startswith("differs") and printed in guide().splitlines()


def test_an_environment_of_a_newer_python(monkeypatch, tmp_path):
    monkeypatch.setattr(environments, "table", lambda: {"new": {"python": "9.9", "requires": ""}})
    monkeypatch.setattr(environments.shutil, "which", lambda name: None)
    said = []
    environments.install(tmp_path, lambda name: True, said.append)
    assert said == ["leaves out new: there is no python9.9"] and not list(tmp_path.iterdir())
    monkeypatch.setattr(environments.shutil, "which", lambda name: "/bin/" + name)
    assert environments.interpreter({"python": "9.9"}) == "/bin/python9.9"
    assert environments.interpreter({}) == sys.executable
