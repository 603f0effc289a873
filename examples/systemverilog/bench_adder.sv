// SPDX-License-Identifier: MIT
// bench_adder.sv -- tests the adder of E4M3 in ../python/adder.v: all 65,536 pairs of operands
module bench_adder #(parameter int TIES_AWAY = 0);
    timeunit 1ns; timeprecision 1ps;
    `include "softfp8_dpi.svh"

    logic [7:0] a, b, sum;
    adder #(.TIES_AWAY(TIES_AWAY)) dut(.a, .b, .sum);

    chandle add;
    int unsigned wrong = 0, flags;
    longint unsigned want;

    initial begin
        add = softfp8_function("e4m3_add", "ocp");
        if (add == null) $fatal(1, "softfp8 lacks the function");
        for (int i = 0; i < 65536; i++) begin
            {a, b} = 16'(i);
            #1;
            want = softfp8_call(add, 64'(a), 64'(b), 0, 0, flags);
            if (sum !== want[7:0]) begin
                wrong++;
                if (wrong <= 3) $display("%h + %h: %h, expected %h", a, b, sum, want[7:0]);
            end
        end
        $display("%0d of 65536 sums are wrong", wrong);
        if (wrong != 0) $fatal(1, "adder is wrong");
        $finish;
    end
endmodule
