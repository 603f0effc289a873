// SPDX-License-Identifier: MIT
// cast.sv -- converts f32 to e4m3 as the policy ocp does: to nearest even, overflow gives 448
//
// FAULT plants a mistake: 1 rounds ties away from zero; 2 loses the carry into the exponent;
// 3 decides underflow before rounding.
module cast #(parameter int FAULT = 0) (
    input logic [31:0] x, output logic [7:0] code, output logic [4:0] flags);

    localparam logic [4:0] INEXACT = 1, UNDERFLOW = 2, OVERFLOW = 4, INVALID = 16;

    logic sign, is_nan, is_inf, up, inexact, tiny;
    logic [7:0] exponent;
    logic [23:0] significand, rest, half;
    logic [5:0] cut;
    logic [3:0] kept;
    logic [11:0] magnitude;

    always_comb begin
        sign = x[31];
        is_nan = x[30:23] == 8'hff && x[22:0] != 0;
        is_inf = x[30:0] == 31'h7f800000;
        exponent = x[30:23] == 0 ? 8'd1 : x[30:23]; // its bias is 127
        significand = {x[30:23] != 0, x[22:0]};

        // Below 2^-6, exponent 121, one bit more is cut off for each power of two. Of a significand
        // that is cut off as a whole only its size relative to `half` matters.
        cut = 20;
        if (exponent < 121) cut = exponent < 117 ? 6'd25 : 6'(8'd141 - exponent);
        kept = 4'(significand >> cut);
        half = cut == 25 ? 24'hffffff : 24'h1 << (cut - 1);
        rest = cut >= 24 ? significand : significand & ((24'h1 << cut) - 1);
        inexact = rest != 0;
        up = rest > half || (rest == half && cut != 25 && (FAULT == 1 || kept[0]));

        // A carry out of the three bits of the mantissa goes into the exponent.
        magnitude = kept[3] ? {1'b0, (exponent < 121 ? 8'd1 : exponent - 8'd120), kept[2:0]}
                            : {9'b0, kept[2:0]};
        if (FAULT == 2) magnitude[2:0] = magnitude[2:0] + {2'b0, up};
        else magnitude = magnitude + {11'b0, up};

        // Tiny: below 2^-6 after rounding to four bits. 31 * 2^-11 rounds up to 2^-6.
        tiny = exponent < 121;
        if (FAULT != 3 && exponent == 120 && significand >= 24'hf80000) tiny = 0;

        flags = inexact ? INEXACT : 0;
        if (inexact && tiny) flags |= UNDERFLOW;
        if (is_nan) begin
            magnitude = 12'h7f;
            sign = 0;
            flags = x[22] ? 0 : INVALID; // a signaling NaN
        end else if (is_inf) begin
            magnitude = 12'h7e;
            flags = INVALID;
        end else if (magnitude > 12'h7e) begin
            magnitude = 12'h7e;
            flags = OVERFLOW | INEXACT;
        end
        code = {sign, magnitude[6:0]};
    end
endmodule
