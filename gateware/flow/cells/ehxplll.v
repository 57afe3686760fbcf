// SPDX-License-Identifier: BSD-2-Clause
// EHXPLLL, a PLL of the ECP5. CLKI must have the frequency that CLKOP is meant to have. The model
// passes CLKI on once reset ends, and reports lock 16 cycles later. It does not check that a real
// PLL could make that frequency.
module EHXPLLL(input CLKI, RST, STDBY, output CLKOP, CLKOS, LOCK);
    parameter CLKI_DIV = 1, CLKFB_DIV = 1, FEEDBK_PATH = "CLKOP";
    parameter CLKOP_ENABLE = "ENABLED", CLKOP_DIV = 8, CLKOP_CPHASE = 0, CLKOP_FPHASE = 0;
    parameter CLKOS_ENABLE = "DISABLED", CLKOS_DIV = 8, CLKOS_CPHASE = 0, CLKOS_FPHASE = 0;

    // A phase shift of zero is the last count of a divider.
    generate
        if (CLKOP_CPHASE != CLKOP_DIV - 1 || CLKOP_FPHASE != 0)
            $error("a PLL that gives another phase than its input's is not simulated");
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
