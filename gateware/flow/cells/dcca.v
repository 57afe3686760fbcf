// DCCA, a buffer of a global clock. Its enable, which takes part from the clock's next falling edge on, is not simulated.
module DCCA(input CLKI, CE, output CLKO);
    assign CLKO = CLKI;
endmodule
