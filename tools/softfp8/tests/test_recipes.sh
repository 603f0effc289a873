# SPDX-License-Identifier: MIT
# test_recipes.sh -- softfp8 recipes
. "$source/tools/softfp8/tests/tensors.sh"

# ---- recipes

recipes=$("$softfp8" recipes --names | wc -l | tr -d ' ')
tests=$((tests + 1))
[ "$recipes" -ge 40 ] || failed "only $recipes recipes"
same "each once" "$recipes" "$("$softfp8" recipes --names | sort -u | wc -l | tr -d ' ')"
same "the names" "$("$softfp8" recipes --names)" "$("$softfp8" recipes | sed '1d; s/ .*//')"
cat > expected <<'END'
nvfp4-compressed
  source:     compressed-tensors
  open:       NaN and infinite elements
  element     e2m1 by cuda-satfinite
  block       16 elements
  scale       e4m3 by cuda-satfinite
              20 instead of a zero
  g           encodes: 448 * 6 / amax of the tensor
  amax        NaN is passed over
  scale of    g amax 6 / *
  factor of   s g /
  element of  x f /
  value of    e f *

kvquant-int4
  source:     KVQuant quant_fn_zp without clamp
  open:       nothing
  element     uint4 by cuda-satfinite
  block       the row
  scale       f32 by ocp-nosat
  offset      a word of f32
  amax        NaN is passed over
  scale of    15 high low - /
  offset of   low s *
  element of  s x * o - nan-to-0 rint 0 max 15 min
  value of    e o + s / nan-to-0
END
"$softfp8" recipes nvfp4-compressed kvquant-int4 > got
same_file "two in full" expected got
same "objects" "$recipes" "$("$softfp8" recipes --json | grep -c '"name": "')"
same "one object" '[{"block": 16, "name": "sglang-kvfp4", "element": "e2m1",' \
    "$("$softfp8" recipes --json sglang-kvfp4 | cut -d ' ' -f 1-6)"
refuses "an unknown one" "recipes: no recipe 'kivi-int5'; did you mean 'kivi-int4'\?" "$softfp8" recipes kivi-int5
refuses "lists of two kinds" "one of --names and --json" "$softfp8" recipes --names --json
