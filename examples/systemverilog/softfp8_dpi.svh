// SPDX-License-Identifier: MIT
// softfp8_dpi.svh -- what softfp8_dpi.c offers to SystemVerilog: include it in a module or package
//
// Every code, value and scale is a bit pattern in the low bits of a `longint unsigned` or
// `int unsigned`. A function that finds something by its name returns null if there is no such name,
// and prints why to standard error. What it returns stays valid until the simulation ends.
`ifndef SOFTFP8_DPI_SVH
`define SOFTFP8_DPI_SVH

// A function that `softfp8 gen -list` lists, such as "f32_to_e4m3" or "e4m3_mulAdd", under a policy:
// a name, then fields that differ, such as "ocp" or "ocp round=rz overflow=special".
import "DPI-C" function chandle softfp8_function(input string name, input string policy);

// Computes a function of up to three operands. A function ignores the operands that it does not
// have. `random` is the random number of round=sr. The bits of `flags` are 1 inexact, 2 underflow,
// 4 overflow, 8 division by zero, 16 invalid.
import "DPI-C" function longint unsigned softfp8_call(
    input chandle f, input longint unsigned a, input longint unsigned b, input longint unsigned c,
    input int unsigned random, output int unsigned flags);

// A recipe that `softfp8 recipes` lists, such as "nvfp4-te".
import "DPI-C" function chandle softfp8_recipe(input string name);

// Quantizes a row of f32 values: one code for each value, one scale for each block. `g` is the
// global scale as f32; recipes without one ignore it. Returns 1, or 0 if an array is too short or
// the recipe stores offsets.
import "DPI-C" function int unsigned softfp8_quantize(
    input chandle recipe, input int unsigned g, input int unsigned values[],
    output int unsigned codes[], output int unsigned scales[]);

// A matrix unit that `softfp8 mma --list` lists, with the formats of its operands and its result:
// softfp8_unit("hopper-qgmma", "e4m3", "e4m3", "f32").
import "DPI-C" function chandle softfp8_unit(
    input string name, input string a, input string b, input string out);

// The dot product of `a` and `b` plus `c`, as the unit forms it: `c` and the result are bit patterns
// of the unit's result format. The scales have one element for each block; a unit without scales
// ignores them. The arrays must have as many elements as `a`, or as its blocks.
import "DPI-C" function int unsigned softfp8_dot(
    input chandle unit, input int unsigned a[], input int unsigned b[],
    input int unsigned scale_a[], input int unsigned scale_b[], input int unsigned c);

`endif
