// IDDRX1F, two bits a cycle of a pin: Q0 of the clock's rising edge, Q1 of the falling edge behind it, both from the next
// rising edge on. Its reset is not simulated.
module IDDRX1F(input D, SCLK, output reg Q0, Q1);
    reg rising = 0, falling = 0;
    initial {Q1, Q0} = 0;
    always @(negedge SCLK) falling <= D;
    always @(posedge SCLK) begin
        rising <= D;
        {Q1, Q0} <= {falling, rising};
    end
endmodule
