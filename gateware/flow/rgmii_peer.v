// The far end of RGMII for a far end of GMII, both at 125 MHz: of each byte the lower half is there at the clock's rising
// edge, the upper one at its falling edge. What is sent comes with its own clock, in step with which its data change:
// on a board one of the two is late by a quarter of a period.
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

    // The second half of the control pin is an error where it is not the first half.
    always @(posedge rgmii_tx_clock) first <= {rgmii_tx_ctl, rgmii_tx_data};
    always @(negedge rgmii_tx_clock) {tx_en, tx_data} <= {first[4] & rgmii_tx_ctl, rgmii_tx_data, first[3:0]};
endmodule
