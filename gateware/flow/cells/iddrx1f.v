// SPDX-License-Identifier: BSD-2-Clause
// IDDRX1F, which samples a pin twice a cycle: Q0 at the clock's rising edge, Q1 at the next falling
// edge. Both outputs change at the following rising edge. The model ignores its reset.
module IDDRX1F(input D, SCLK, output reg Q0, Q1);
    reg rising = 0, falling = 0;
    initial {Q1, Q0} = 0;
    always @(negedge SCLK) falling <= D;
    always @(posedge SCLK) begin
        rising <= D;
        {Q1, Q0} <= {falling, rising};
    end
endmodule
