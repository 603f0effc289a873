// SPDX-License-Identifier: MIT
// bench_blocks.sv -- shows how a bench quantizes a block and asks for the sum of a matrix unit
//
// The expected values are worked out by hand in the comments.
module bench_blocks;
    `include "softfp8_dpi.svh"

    chandle recipe, unit, bad;
    int unsigned values [32], codes [32], scales [1];
    int unsigned a [32], b [32], longer [33], none [1];
    int unsigned wrong = 0;

    function automatic void check(input string what, input int unsigned got,
                                  input int unsigned want);
        if (got == want) return;
        wrong++;
        $display("%s: %h, expected %h", what, got, want);
    endfunction

    initial begin
        // MXFP8: the largest magnitude 896 = 1.75 * 2^9 gives the scale 2^(9 - 8), code 80. Each
        // value is divided by 2: 448 is 7e, 0.5 is 30, -1 is b8; 1.0625 is a tie, and 1 is 38.
        recipe = softfp8_recipe("mxfp8-e4m3-torchao-floor");
        foreach (values[i]) values[i] = 0;
        values[0] = 'h44600000; // 896
        values[1] = 'h3f800000; // 1
        values[2] = 'hc0000000; // -2
        values[3] = 'h40080000; // 2.125
        check("quantize", softfp8_quantize(recipe, 0, values, codes, scales), 1);
        check("scale", scales[0], 'h80);
        check("896", codes[0], 'h7e);
        check("1", codes[1], 'h30);
        check("-2", codes[2], 'hb8);
        check("2.125", codes[3], 'h38);
        check("0", codes[31], 'h00);

        // Hopper cuts products off 13 bits below the largest one. 1 * 1 - 1 * 1 + 2^-6 * 2^-7 is
        // 2^-13. If the last product is 2^-6 * 2^-8, it is lost.
        unit = softfp8_unit("hopper-qgmma", "e4m3", "e4m3", "f32");
        foreach (a[i]) {a[i], b[i]} = 0;
        a[0] = 'h38; b[0] = 'h38;
        a[1] = 'h38; b[1] = 'hb8;
        a[2] = 'h08; b[2] = 'h04;
        check("2^-13", softfp8_dot(unit, a, b, none, none, 0), 'h39000000);
        b[2] = 'h02;
        check("2^-14", softfp8_dot(unit, a, b, none, none, 0), 'h00000000);

        // A name that does not exist gives null and a message; a wrong length all ones.
        foreach (longer[i]) longer[i] = 0;
        bad = softfp8_unit("hopper-qgmma", "e4m3", "e4m3", "e4m3");
        check("a unit with another result", int'(bad == null), 1);
        bad = softfp8_function("f32_to_e4m4", "ocp");
        check("a function", int'(bad == null), 1);
        bad = softfp8_function("f32_to_e4m3", "ocp round=up");
        check("a policy", int'(bad == null), 1);
        bad = softfp8_recipe("mxfp9");
        check("a recipe", int'(bad == null), 1);

        check("33 products", softfp8_dot(unit, longer, longer, none, none, 0), '1);

        $display("%0d of the results of blocks and units are wrong", wrong);
        if (wrong != 0) $fatal(1, "the functions of softfp8_dpi.c are wrong");
        $finish;
    end
endmodule
