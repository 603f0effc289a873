/* SPDX-License-Identifier: MIT */
/* end.h -- ends a vocabulary, after the loops of its level; no include guard */
#undef SF8_ON
#undef SF8_TARGET
#undef SF8_LANES
#undef SF8_X
#undef SF8_ON_FN
#undef SF8_U
#undef SF8_I
#undef SF8_F
#undef SF8_M
#undef SF8_BM
#undef SF8_OF_ONE
#undef SF8_OF_TWO
#undef SF8_INSTRUCTION
#undef SF8_OPS_SCALE4
#undef SF8_OPS_FIND4
#undef SF8_MMA_LOOPS
