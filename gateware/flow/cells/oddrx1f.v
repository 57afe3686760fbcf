// SPDX-License-Identifier: BSD-2-Clause
// ODDRX1F, which drives a pin with two bits a cycle. A rising edge of the clock samples both and
// puts out D0; the next falling edge puts out D1. The model ignores its reset.
module ODDRX1F(input D0, D1, SCLK, output reg Q);
    reg second = 0;
    initial Q = 0;
    always @(posedge SCLK) second <= D1;
    always @(posedge SCLK or negedge SCLK)
        if (SCLK) Q <= D0;
        else Q <= second;
endmodule
