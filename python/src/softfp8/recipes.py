# SPDX-License-Identifier: MIT
"""recipes.py -- recipes: how products quantize blocks of elements that share a scale"""
import functools

from ._base.command import found_by, not_found
from ._base.library import check, encoded, ffi, lib, number, row_dict, rows, size, text, unknown
from ._base.value import Value
from .formats import Format, format as format_of, formats


def recipes(*words):
    """The names of all recipes; with words (a product, a model, a format of blocks) of those that
    belong to all of them, as `softfp8 recipes` finds them.

    >>> "nvfp4-te" in recipes(), recipes("gguf", "mxfp4")
    (True, ['mxfp4-gguf'])
    """
    if words:
        return found_by("recipes", words)
    return [text(row.name) for row in rows(lib.sf8_recipe_at)]


class Recipe(Value):
    """How a product quantizes a block of elements with a scale, and reads it back."""

    def __init__(self, raw, name, row=None):
        self._recipe, self.name, self._row = raw, name, row

    def _parts(self):
        return self.name, self.info()

    @classmethod
    def _of(cls, name, row):
        made, known = recipe(name), recipe(name).info()
        return recipe(made, **{field: row[field] for field in row if row[field] != known[field]})

    element = property(lambda self: self._element_name(), doc="The format of an element, or int4.")
    block = property(lambda self: self._recipe.block,
                     doc="Elements with one scale; 0: a whole row.")
    has_offsets = property(lambda self: self._recipe.offset_at == lib.SF8_OFFSET_WORD,
                           doc="Whether blocks have offsets beside their scales.")
    has_global_scale = property(lambda self: self._recipe.has_g != lib.SF8_G_NONE,
                                doc="Whether the tensor has a global scale.")
    scale_is_given = property(lambda self: bool(lib.sf8_recipe_scale_given(self._recipe)),
                              doc="Whether the global scale is the scale, of the whole tensor.")
    per = property(lambda self: text(lib.sf8_recipe_per_name(self._recipe.per)),
                   doc="What a row of the recipe is in a tensor: row, token, token-head, ...")

    @property
    def bits(self):
        """The bits of an element's code."""
        return self._recipe.integer or lib.sf8_format_bits(self._recipe.element)

    @property
    def scale(self):
        """The format of a scale."""
        return Format(self._recipe.scale, self._row["scale"] if self._row else "scale")

    @property
    def offset(self):
        """The format of an offset, or None if blocks have none."""
        return Format(self._recipe.offset, _format_name(self._recipe.offset)) \
            if self.has_offsets else None

    def _element_name(self):
        return self._row["element"] if self._row else None

    def info(self):
        """The recipe's row: its programs, product, versions, source and evidence."""
        return dict(self._row or {})

    def global_scale(self, amax, tensor="f32"):
        """The global scale of a tensor whose largest magnitude is `amax`, as the product has it."""
        g = ffi.new("float *")
        check(lib.sf8_recipe_g(self._recipe, format_of(tensor)._format, number("amax", amax), g),
              f"{self.name}: the recipe does not say how its global scale is computed; pass "
              "global_scale")
        return float(g[0])

    def scale_shape(self, rows, columns, along="rows"):
        """The shape of the scales of a matrix."""
        rows, columns = size("rows", rows), size("columns", columns)
        blocks = functools.partial(lib.sf8_recipe_blocks, self._recipe)
        if along == "columns":
            return blocks(rows), columns
        return lib.sf8_recipe_scale_rows(self._recipe, rows), blocks(columns)

    def __repr__(self):
        return f"softfp8.recipe({self.name!r})"


def _format_name(raw):
    """The first name of a format, given its fields."""
    return next((name for name in formats() if Format(raw, "").is_named(name)), "the format")


@functools.cache
def _recipe_named(name):
    raw = ffi.new("sf8_recipe *")
    if lib.sf8_recipe_named(raw, encoded("recipe", name)) != lib.SF8_OK:
        raise not_found("recipe", "recipes", name)
    row = next((row_dict(row) for row in rows(lib.sf8_recipe_at) if text(row.name) == name), None)
    return Recipe(raw, name, row)


def recipe(name, **changes):
    """A recipe by its name; keywords replace fields of its row, which info() shows.

    >>> recipe("nvfp4-te").block
    16
    """
    if not isinstance(name, Recipe):
        encoded("recipe", name)
    found = name if isinstance(name, Recipe) else _recipe_named(name)
    if not changes:
        return found
    row, known = {**found.info()}, found.info()
    for field, value in changes.items():
        if field not in known:
            raise unknown("recipe field", field, known)
        if isinstance(known[field], int):
            row[field] = size(field, value, (1 << 31) - 1)
        elif value is None and field not in ("g_of", "second_of", "error_of"):
            raise TypeError(f"{field}: expected text, got None")
        else:
            row[field] = value
    keep = {field: value if value is None or isinstance(known[field], int)
            else ffi.new("char[]", encoded(field, value)) for field, value in row.items()}
    raw = ffi.new("sf8_recipe *")
    c_row = ffi.new("sf8_recipe_row *", {field: value for field, value in keep.items()
                                         if value is not None})
    check(lib.sf8_recipe_read(raw, c_row), f"recipe {found.name} with {changes}")
    return Recipe(raw, found.name, row)


def valid_program(program):
    """Whether a text is a program of a recipe, such as "amax 448 /".

    >>> valid_program("amax 448 /"), valid_program("amax /")
    (True, False)
    """
    return bool(lib.sf8_program_read(ffi.new("sf8_program *"), encoded("program", program)))
