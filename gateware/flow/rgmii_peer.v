// SPDX-License-Identifier: BSD-2-Clause
// Connects RGMII to GMII at the far end, both at 125 MHz. The lower half of each byte is valid at
// the clock's rising edge, the upper half at its falling edge. Data are sent with their own clock
// and change in step with it; on a real board, one of the two is delayed by a quarter of a period.
module RGMIIPeer(
    input clock,
    input [7:0] rx_data, input rx_dv, output reg [3:0] rgmii_rx_data, output reg rgmii_rx_ctl,
    output reg [7:0] tx_data, output reg tx_en, input rgmii_tx_clock, input [3:0] rgmii_tx_data, input rgmii_tx_ctl
);
    reg [8:0] received = 0;
    reg [4:0] first = 0;
    initial {rgmii_rx_ctl, rgmii_rx_data, tx_en, tx_data} = 0;

    always @(posedge clock) received <= {rx_dv, rx_data};
    always @(posedge clock or negedge clock)
        if (clock) {rgmii_rx_ctl, rgmii_rx_data} <= {received[8], received[7:4]};
        else {rgmii_rx_ctl, rgmii_rx_data} <= {received[8], received[3:0]};

    // The control pin signals an error if its second half differs from its first half.
    always @(posedge rgmii_tx_clock) first <= {rgmii_tx_ctl, rgmii_tx_data};
    always @(negedge rgmii_tx_clock) {tx_en, tx_data} <= {first[4] & rgmii_tx_ctl, rgmii_tx_data, first[3:0]};
endmodule
