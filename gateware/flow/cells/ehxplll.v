// EHXPLLL, a PLL of the ECP5, as far as it gives its input's own frequency on CLKOP: that clock is passed on from the
// end of reset, and 16 cycles later the PLL has locked.
module EHXPLLL(input CLKI, RST, STDBY, output CLKOP, CLKOS, LOCK);
    parameter CLKI_DIV = 1, CLKFB_DIV = 1, FEEDBK_PATH = "CLKOP";
    parameter CLKOP_ENABLE = "ENABLED", CLKOP_DIV = 8, CLKOP_CPHASE = 0, CLKOP_FPHASE = 0;
    parameter CLKOS_ENABLE = "DISABLED", CLKOS_DIV = 8, CLKOS_CPHASE = 0, CLKOS_FPHASE = 0;

    // The feedback's divider, the output's, and the phase of no shift, which is a divider's last count.
    localparam FEEDBACK_DIV = FEEDBK_PATH == "INT_OS" ? CLKOS_DIV : CLKOP_DIV;
    generate
        if (CLKFB_DIV * FEEDBACK_DIV != CLKI_DIV * CLKOP_DIV || CLKOP_CPHASE != CLKOP_DIV - 1 || CLKOP_FPHASE != 0)
            $error("a PLL that gives another frequency, or another phase, than its input's is not simulated");
    endgenerate

    reg runs = 0;
    reg [4:0] cycles = 0;
    always @(negedge CLKI or posedge RST) runs <= ~RST;
    always @(posedge CLKI or posedge RST)
        if (RST) cycles <= 0;
        else if (!LOCK) cycles <= cycles + 5'd1;
    assign CLKOP = CLKI & runs;
    assign CLKOS = 1'b0;
    assign LOCK = cycles[4];
endmodule
