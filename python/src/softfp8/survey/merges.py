# SPDX-License-Identifier: MIT
"""merges.py -- the verdict on a kernel that merges two parts of attention: the rule that it follows

Packages have their own e^x and log, whose last bits differ. So a cell whose results are at most
LAST units in the last place away from the rule, and the same where there is NaN or infinity, has a
key of its own.
"""
import functools
import hashlib

import numpy as np

from ..sums import merge_rules, merge_states
from .adapters.lab import CHANNELS

LAST = 8  # units in the last place
LAST_BITS = hashlib.sha256(b"last bits").hexdigest()[:8]
SHOWN = 32  # ranges
LSE = [0.0, -0.0, 1.0, 5.0, 88.0, -88.0, -104.0, 2.0 ** -140, 1e30, -1e30, 3.4e38, np.inf, -np.inf,
       np.nan]
OUTPUTS = [1.0, 3.0, 0.0, -0.0, 2.0 ** -140, 3e38, np.inf, np.nan]
ROWS = 512  # with all pairs of LSE; the others are drawn at random


@functools.cache
def parts():
    """Outputs and lse of the first part, and of the second one. Each of the first rows has all
    pairs of OUTPUTS. Random outputs have one sign, so that nothing cancels."""
    generator = np.random.default_rng(1)
    pairs = np.array(np.meshgrid(LSE, LSE)).reshape(2, -1)
    special = np.array(np.meshgrid(OUTPUTS, OUTPUTS)).reshape(2, -1)
    found = []
    for lse, outputs in zip(pairs, special):
        drawn = ROWS - lse.size
        found += [np.concatenate([np.tile(outputs, (lse.size, 1)),
                                  np.exp(generator.normal(0, 1, (drawn, CHANNELS)))]),
                  np.concatenate([lse, generator.uniform(1, 20, drawn)])]
    return [array.astype(np.float32) for array in found]


@functools.cache
def expected(rule, fuse):
    """Outputs and lse of a rule, one after the other."""
    a, lse_a, b, lse_b = parts()
    with np.errstate(all="ignore"):
        return _joined(*merge_states(a, lse_a, b, lse_b, rule, fuse=fuse))


def _joined(outputs, lse):
    return np.concatenate([outputs, lse[:, None]], 1)


def distances(got, want):
    """How far apart results are in units in the last place; a large number if one is NaN or
    infinite, and the other one is not the same."""
    far = np.int64(1) << 40
    ordered = [np.where(x.view(np.int32) < 0, -(x.view(np.int32) & 0x7fffffff).astype(np.int64),
                        x.view(np.int32)) for x in (got, want)]
    apart = np.abs(ordered[0] - ordered[1])
    apart[(np.signbit(got) != np.signbit(want)) & (apart == 0)] = 1  # the sign of zero
    finite = np.isfinite(got) & np.isfinite(want)
    same = (np.isnan(got) & np.isnan(want)) | (got == want)
    return np.where(finite, apart, np.where(same, 0, far))


def judge(process, conversion):
    """The fields of the cell that need the results."""
    given = [array.view(np.uint32) for array in parts()]
    kinds = [(np.uint32, array.shape) for array in given[:2]]
    (outputs, lse), seconds = process.call(conversion, ROWS * CHANNELS, given, kinds)
    got = _joined(outputs, lse).view(np.float32)
    cell = {"inputs": ROWS * CHANNELS, "all": False,
            "speed": round(ROWS * CHANNELS / max(seconds, 1e-9)) if seconds else None}
    away = {(rule, fuse): distances(got, expected(rule, fuse))
            for rule in merge_rules() for fuse in ("sum", "none")}
    claim = conversion.claim if conversion.claim in merge_rules() else None
    chosen = min((key for key in away if claim in (None, key[0])),
                 key=lambda key: (np.count_nonzero(away[key] > LAST), np.count_nonzero(away[key])))
    name = chosen[0] + (", without fma" if chosen[1] == "none" else "")
    if claim:
        cell["claimed"] = claim
    apart = away[chosen]
    if not apart.any():
        return cell | {"status": "equal" if claim else "unclaimed", "rule": name}
    found = _differences(got, expected(*chosen), apart)
    other = next((key[0] for key in away if away[key].max() <= LAST), None)
    if not claim:
        cell["nearest"] = name
    elif other not in (None, claim):
        found["diagnosis"] = f"it follows {other}"
    return cell | {"status": "differs" if claim else "unclaimed"} | found


def _differences(got, want, apart):
    """The results that differ: how many, a key that stands for them, and examples."""
    close = int(apart.max()) <= LAST
    at = np.argwhere(apart > (0 if close else LAST))
    rows = np.concatenate([at, got[tuple(at.T)].view(np.uint32)[:, None]], 1).astype("<u4")
    return {"differ": int(np.count_nonzero(apart)), "range_count": len(at),
            "key": LAST_BITS if close else hashlib.sha256(rows.tobytes()).hexdigest()[:8],
            "diagnosis": f"only the last bits differ, by up to {int(apart.max())} units" if close
            else None,
            "ranges": [_range(got, want, *place) for place in at[:SHOWN]]}


def _range(got, want, row, channel):
    """One result; the input is shown as the two lse, and by the values of both parts."""
    a, lse_a, b, lse_b = parts()
    code = f"{lse_a[row].view(np.uint32):08x}{lse_b[row].view(np.uint32):08x}"
    value = f"lse {lse_a[row]:.9g} and {lse_b[row]:.9g}: "
    value += "lse" if channel == CHANNELS else \
        f"outputs {a[row, channel]:.9g} and {b[row, channel]:.9g}"
    x, y = got[row, channel], want[row, channel]
    return {"first": code, "last": code, "value": value, "got": f"{x.view(np.uint32):08x}",
            "got_value": f"{x:.9g}", "expected": f"{y.view(np.uint32):08x}",
            "expected_value": f"{y:.9g}"}
