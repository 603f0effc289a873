// SPDX-License-Identifier: MIT
// adder.v -- an adder of E4M3: exact sum, rounded to nearest even, overflow gives 448
//
// TIES_AWAY = 1 plants a mistake: a sum half way between two codes is rounded away from zero.
`timescale 1ns / 1ps

module adder #(parameter TIES_AWAY = 0) (input [7:0] a, input [7:0] b, output reg [7:0] sum);
    // A finite value is an integer of 18 bits times 2^-9.
    function [17:0] magnitude(input [6:0] code);
        magnitude = code[6:3] == 0 ? {15'b0, code[2:0]}
                                   : {14'b0, 1'b1, code[2:0]} << (code[6:3] - 1);
    endfunction

    reg sign, up;
    reg [18:0] x, y, total, rest;
    reg [4:0] shift;
    reg [4:0] kept;
    reg [8:0] code;

    always @* begin
        x = {1'b0, magnitude(a[6:0])};
        y = {1'b0, magnitude(b[6:0])};
        if (a[7] == b[7]) {sign, total} = {a[7], x + y};
        else if (x >= y) {sign, total} = {x == y ? 1'b0 : a[7], x - y};
        else {sign, total} = {b[7], y - x};

        // `shift` bits are cut off, so that four remain.
        shift = 0;
        while ((total >> shift) > 15) shift = shift + 1;
        kept = total >> shift;
        rest = total - ({14'b0, kept} << shift);
        up = 0;
        if (shift > 0) begin
            up = rest > (19'b1 << (shift - 1));
            if (rest == (19'b1 << (shift - 1))) up = TIES_AWAY ? 1'b1 : kept[0];
        end
        // A carry out of the mantissa goes into the exponent.
        code = (kept[3] ? {shift + 5'd1, kept[2:0]} : {6'b0, kept[2:0]}) + {8'b0, up};
        if (code > 9'h7e) code = 9'h7e;

        sum = {sign, code[6:0]};
        if (a[6:0] == 7'h7f || b[6:0] == 7'h7f) sum = 8'h7f;
    end
endmodule
