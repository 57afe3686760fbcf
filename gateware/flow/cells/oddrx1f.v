// ODDRX1F, two bits a cycle to a pin: D0 from the clock's rising edge on that takes both, D1 from the falling edge on. Its
// reset is not simulated.
module ODDRX1F(input D0, D1, SCLK, output reg Q);
    reg second = 0;
    initial Q = 0;
    always @(posedge SCLK) second <= D1;
    always @(posedge SCLK or negedge SCLK)
        if (SCLK) Q <= D0;
        else Q <= second;
endmodule
