// SPDX-License-Identifier: MIT
// bench_cast.sv -- tests cast.sv: the cases of cast.hex, then random inputs against softfp8 itself
//
// `softfp8 gen f32_to_e4m3 --format readmemh -o cast.hex` writes the cases: every tie of the
// conversion, its neighbours, and the special values.
module bench_cast #(parameter int FAULT = 0, parameter int RANDOM = 100000);
    `include "softfp8_dpi.svh"

    localparam int CASES = 4210;
    logic [47:0] row [CASES];
    logic [31:0] x;
    logic [7:0] code;
    logic [4:0] flags;
    cast #(.FAULT(FAULT)) dut(.x, .code, .flags);

    chandle f;
    int unsigned wrong = 0, want_flags;
    longint unsigned want;

    function automatic void check(input logic [31:0] input_x, input logic [7:0] want_code,
                                  input logic [4:0] want_bits);
        if (code === want_code && flags === want_bits) return;
        wrong++;
        if (wrong <= 3)
            $display("%h: %h, flags %h; expected %h, flags %h", input_x, code, flags, want_code,
                     want_bits);
    endfunction

    initial begin
        f = softfp8_function("f32_to_e4m3", "ocp");
        if (f == null) $fatal(1, "softfp8 lacks the function");

        $readmemh("cast.hex", row);
        for (int i = 0; i < CASES; i++) begin
            x = row[i][47:16];
            #1;
            check(x, row[i][15:8], row[i][4:0]);
        end
        $display("%0d of %0d cases are wrong", wrong, CASES);

        // Exponents from 2^-12 to 2^10, where the results of e4m3 are.
        for (int i = 0; i < RANDOM; i++) begin
            x = {1'($urandom), 8'(115 + $urandom_range(22)), 23'($urandom)};
            #1;
            want = softfp8_call(f, 64'(x), 0, 0, 0, want_flags);
            check(x, want[7:0], want_flags[4:0]);
        end
        $display("%0d wrong after %0d random inputs", wrong, RANDOM);
        if (wrong != 0) $fatal(1, "cast is wrong");
        $finish;
    end
endmodule
