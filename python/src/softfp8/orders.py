# SPDX-License-Identifier: MIT
"""orders.py -- attention in the orders of other stacks: their fields, read and written as text"""
from ._base.library import check, encoded, ffi, lib, row_dict, rows, text, unknown
from ._base.value import Value

# Each field, as a keyword, and its values in a text; "" for a unit.
FIELDS = {}
while (_name := lib.sf8_attend_order_field_at(len(FIELDS))) != ffi.NULL:
    FIELDS[text(_name).replace("-", "_")] = text(lib.sf8_attend_order_field_values(len(FIELDS)))


def attend_orders():
    """The orders in which other stacks compute attention, as dictionaries."""
    return [row_dict(row) for row in rows(lib.sf8_attend_order_at)]


class Order(Value):
    """An order of attention. Its fields can be read as attributes, and changed in a copy by
    `replace`.

    >>> order("fa3-fp8").tile
    160
    >>> str(order("fa3-fp8").replace(tile=96, rescale_after=8))
    'fa3-fp8 tile=96 rescale-after=8'
    """

    __slots__ = "_order",

    def __init__(self, words):
        self._order, at = ffi.new("sf8_attend_order *"), ffi.new("size_t *")
        if lib.sf8_attend_order_read(encoded("order", words), self._order, at) != lib.SF8_OK:
            word = (words[at[0]:].replace(",", " ").split() or [words])[0]
            field = word.partition("=")[0].replace("-", "_")
            if "=" in word and field in FIELDS:
                raise ValueError(f"order: {word}: expected {FIELDS[field] or 'a unit, or none'}, "
                                 "and each field once")
            raise unknown("order field", field, FIELDS) if at[0] or "=" in word else \
                unknown("order", word, [text(row.name) for row in rows(lib.sf8_attend_order_at)])

    def _parts(self):
        return str(self),

    def __getattr__(self, field):
        if field not in FIELDS:
            raise AttributeError(f"an order has no field {field!r}; it has {', '.join(FIELDS)}")
        room = ffi.new("char[64]")
        check(lib.sf8_attend_order_get(self._order, field.replace("_", "-").encode(), room, 64),
              f"order.{field}")
        return int(text(room)) if ".." in FIELDS[field] else text(room)

    def fields(self):
        """All fields and their values, as a dictionary."""
        return {field: getattr(self, field) for field in FIELDS}

    def replace(self, **fields):
        """A copy in which some fields have other values."""
        for field in fields:
            if field not in FIELDS:
                raise unknown("order field", field, FIELDS)
        raw = Order(str(self))
        for field, value in fields.items():
            if lib.sf8_attend_order_set(raw._order, field.replace("_", "-").encode(),
                                        encoded(field, str(value))) != lib.SF8_OK:
                raise ValueError(f"{field}: expected {FIELDS[field] or 'a unit, or none'}, got "
                                 f"{value!r}")
        return Order(str(raw))

    def info(self):
        """What is known about it: product, versions, source, evidence, and what is open."""
        return next((row for row in attend_orders() if row["name"] == str(self)), {})

    def __str__(self):
        room = ffi.new("char[]", lib.SF8_ORDER_TEXT_SIZE)
        check(lib.sf8_attend_order_write(self._order, room, lib.SF8_ORDER_TEXT_SIZE), "order")
        return text(room)

    def __repr__(self):
        return f"softfp8.order({str(self)!r})"


def order(name, **fields):
    """An order by its name, by fields, or by a name and the fields in which it differs.

    Keywords set fields of the order too; without a name the fields change split-f32.

    >>> order("fa3-fp8 tile=96")
    softfp8.order('fa3-fp8 tile=96')
    >>> order("fa3-fp8", tile=95.5)
    Traceback (most recent call last):
    ValueError: tile: expected 0..4096, got 95.5
    """
    made = name if isinstance(name, Order) else Order(name)
    return made.replace(**fields) if fields else made
