// SPDX-License-Identifier: BSD-2-Clause
// DCCA, a buffer of a global clock. The model ignores its enable, which takes effect at the clock's
// next falling edge.
module DCCA(input CLKI, CE, output CLKO);
    assign CLKO = CLKI;
endmodule
