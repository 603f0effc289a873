# SPDX-License-Identifier: MIT
"""policies.py -- policies: the rules by which a product rounds and treats overflow and NaN"""
import functools

from ._base import html
from ._base.command import found_by, not_found
from ._base.library import check, encoded, ffi, lib, row_dict, rows, text, unknown
from ._base.names import raw_format
from ._base.value import Value

FIELDS = {text(name): text(lib.sf8_policy_field_values(i)).split()
          for i, name in enumerate(rows(lib.sf8_policy_field_at))}


RENAMED = {"early": "overflow_test", "carry": "round_past_max", "band": "beyond_max"}


def policies(*words):
    """The names of all policies; with words, of the policies of these products, or with these names.

    >>> policies()[:3], policies("torch-2.12", "hip")
    (['ocp', 'ocp-nosat', 'cuda-satfinite'], ['torch-2.12', 'hip-ocp'])
    """
    if words:
        return list(dict.fromkeys(name for word in words for name in _of_product(word)))
    return [text(row.name) for row in rows(lib.sf8_policy_at)]


def _of_product(word):
    """The policies of all conversions of a product; or those that the command finds by the name."""
    if not isinstance(word, str):
        raise TypeError(f"policies: expected words, got {type(word).__name__}")
    own, i, product = ffi.new("const char **"), 0, word
    while alias := lib.sf8_product_alias_at(i, own):
        if text(alias) == word:
            product = text(own[0])
        i += 1
    return [row["policy_name"] for row in products() if row["product"] == product] or \
        found_by("policies", [word])


@functools.cache
def _known():
    products = {text(row.product) for row in rows(lib.sf8_product_at)}
    aliases = {text(alias) for alias in rows(lambda i: lib.sf8_product_alias_at(i, ffi.NULL))}
    return sorted({*policies(), *products, *aliases})


class Policy(Value):
    """A policy. Its fields can be read as attributes, and changed in a copy by `replace`.

    >>> policy("ocp").overflow
    'max'
    >>> policy("ocp", overflow="special")
    softfp8.policy('ocp', overflow='special')
    """

    __slots__ = "_policy", "_changed", "name"

    def __init__(self, raw, name, changed=()):
        self._policy, self.name, self._changed = raw, name, dict(changed)

    def _parts(self):
        return self.word(), self.name, self._changed

    @classmethod
    def _of(cls, word, name, changed):
        return cls(cls.of_word(word)._policy, name, changed)

    def __getattr__(self, field):
        if field not in FIELDS:
            raise AttributeError(f"a policy has no field {field!r}; it has {', '.join(FIELDS)}")
        room = ffi.new("char[32]")
        check(lib.sf8_policy_get(self._policy, field.encode(), room, 32), f"policy.{field}")
        value = text(room)
        return value if FIELDS[field] else int(value)

    def fields(self):
        """All fields and their values, as a dictionary."""
        return {field: getattr(self, field) for field in FIELDS}

    def replace(self, **fields):
        """A copy in which some fields have other values."""
        raw = ffi.new("sf8_policy *", self._policy)
        for field, value in fields.items():
            if field in RENAMED:
                raise ValueError(f"no policy field {field!r}; it is {RENAMED[field]!r} now")
            if field not in FIELDS:
                raise unknown("policy field", field, FIELDS)
            status = lib.sf8_policy_set(raw, field.encode(), str(value).encode())
            if status != lib.SF8_OK:
                values = ", ".join(FIELDS[field]) or "a number from 1 to 32"
                raise ValueError(f"{field}: expected {values}; got {value!r}")
        return Policy(raw[0], self.name, {**self._changed, **fields})

    def word(self):
        """The policy as the integer of sf8_policy_pack."""
        return lib.sf8_policy_pack(self._policy)

    def _text(self, to, source):
        """The policy as the library reads it for a conversion: its name, and the fields that are
        changed; or all fields, where that name stands for another policy in this conversion."""
        found = lib.sf8_policy_for(self.name.encode(), to._format, source._format)
        known = self.name in policies() and found != ffi.NULL and text(found) == self.name
        base = policy("ocp").fields()
        fields = self._changed if known else \
            {name: value for name, value in self.fields().items() if value != base[name]}
        return " ".join([self.name if known else "ocp",
                         *(f"{name}={value}" for name, value in fields.items())])

    @classmethod
    def of_word(cls, word):
        """The policy that `word()` was taken of."""
        raw = ffi.new("sf8_policy *")
        if not 0 <= word < 1 << 64 or lib.sf8_policy_unpack(word, raw) != lib.SF8_OK:
            raise ValueError(f"word: {word:#x} is no policy")
        for name in policies():
            if lib.sf8_policy_pack(lib.sf8_policy_named(name.encode(), ffi.NULL)) == word:
                return cls(raw[0], name)
        return cls(raw[0], f"{word:#x}")

    def info(self):
        """What is known about it: product, versions, source, evidence, and what is open."""
        for row in rows(lib.sf8_policy_at):
            if text(row.name) == self.name:
                found = row_dict(row)
                rank = lib.sf8_evidence_rank(row.evidence)
                return {**found, "established": text(lib.sf8_evidence_name(rank))}
        return {}

    def holds(self, to, from_="f32"):
        """Whether the policy is meant for this conversion."""
        to, source = raw_format(to)[0], raw_format(from_)[0]
        return any(text(row.name) == self.name and bool(lib.sf8_policy_holds(row, to, source))
                   for row in rows(lib.sf8_policy_at))

    def __eq__(self, other):
        return isinstance(other, Policy) and self.word() == other.word()

    def __hash__(self):
        return hash(self.word())

    def __repr__(self):
        changed = "".join(f", {field}={value!r}" for field, value in self._changed.items())
        return f"softfp8.policy({self.name!r}{changed})"

    def _repr_html_(self):
        known = [(name, str(value)) for name, value in self.info().items() if name != "name" and value]
        return html.card(repr(self), known + [(field, str(value)) for field, value in self._changed.items()])


def policy(name="ocp", *, to="e4m3", from_="f32", **fields):
    """A policy by its name, or by the name of a product with or without its version.

    A product may convert different formats by different policies; `to` and `from_` select one.
    Other keywords set fields of the policy, and so do fields after the name.

    >>> policy("torch-2.12").name
    'torch-2.12'
    >>> policy("ocp round=rz")
    softfp8.policy('ocp', round='rz')
    >>> policy("torch-2.12", nan_sign="ones")
    Traceback (most recent call last):
    ValueError: nan_sign: expected positive, signed, sign-bit; got 'ones'
    """
    if isinstance(name, Policy):
        return name.replace(**fields)
    if isinstance(name, str) and "=" in name:
        words = name.replace(",", " ").split()
        name = "ocp" if "=" in words[0] else words.pop(0)
        if not all("=" in word for word in words):
            raise ValueError(f"policy: expected FIELD=VALUE after {name!r}, got {words}")
        fields = {**dict(word.split("=", 1) for word in words), **fields}
    (to, to_name), (source, source_name) = raw_format(to), raw_format(from_)
    found = lib.sf8_policy_for(encoded("policy", name), to, source)
    if not found:
        if name in _known():
            raise ValueError(f"policy: no policy of {name!r} is known for conversions of "
                             f"{source_name} to {to_name}")
        raise not_found("policy", "policies", name)
    raw = lib.sf8_policy_named(found, ffi.NULL)
    return Policy(raw, text(found)).replace(**fields) if fields else Policy(raw, text(found))


def products():
    """The rules that select a product's policy, as dictionaries; the first that fits counts."""
    return [row_dict(row) for row in rows(lib.sf8_product_at)]
