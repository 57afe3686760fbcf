// SPDX-License-Identifier: BSD-2-Clause
// DP16KD, block RAM of the ECP5: 2048 units of 9 bits, which each port accesses as rows of 1, 2, 4,
// 9, 18 or 36 bits.
// 
// A row's address begins at bit 0, 1, 2, 3, 4 or 5 of the address pins. Rows of 1, 2 and 4 bits use
// the lower 8 bits of a unit and cannot reach the ninth. For rows of 18 and 36 bits, the lowest
// address pins enable the writing of each unit. A row of 36 bits uses the data pins of both ports;
// port A carries its lower half. While a port writes, its output keeps its value (NORMAL), shows
// the old data (READBEFOREWRITE) or shows the new data (WRITETHROUGH).
// 
// If one port reads the data that the other port writes in the same cycle, the device guarantees no
// value; this model returns the complement. CONTENTS is a file of the 2048 units at power-on, in
// hexadecimal. It replaces the cell's INITVAL_00 to _3F.
module DP16KD(
    input DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2,
        DIA1, DIA0,
    input ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
    input CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0,
    output DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2,
        DOA1, DOA0,
    input DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2,
        DIB1, DIB0,
    input ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
    input CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
    output DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2,
        DOB1, DOB0
);
    parameter DATA_WIDTH_A = 18, DATA_WIDTH_B = 18, REGMODE_A = "NOREG", REGMODE_B = "NOREG";
    parameter WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL";
    parameter CSDECODE_A = "0b000", CSDECODE_B = "0b000", GSR = "ENABLED";
    parameter RESETMODE = "SYNC", ASYNC_RESET_RELEASE = "SYNC";
    parameter CONTENTS = "";

    generate
        if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG" || CSDECODE_A != "0b000" || CSDECODE_B != "0b000")
            $error("a block RAM with output registers or decoded chip selects is not simulated");
    endgenerate

    reg [8:0] unit [0:2047];
    integer place;
    initial
        if (CONTENTS != "") $readmemh(CONTENTS, unit);
        else for (place = 0; place < 2048; place = place + 1) unit[place] = 0;

    wire [17:0] in_A = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4,
        DIA3, DIA2, DIA1, DIA0};
    wire [13:0] address_A = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
    wire [17:0] in_B = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4,
        DIB3, DIB2, DIB1, DIB0};
    wire [13:0] address_B = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};

    // Port A: number of units in a row, position within the first unit for rows below 9 bits, data
    // to write and its address.
    localparam WA = DATA_WIDTH_A < 9 ? DATA_WIDTH_A : 9, UNITS_A = DATA_WIDTH_A < 9 ? 1 : DATA_WIDTH_A / 9;
    wire acts_A = CEA & ~CSA0 & ~CSA1 & ~CSA2;
    wire [10:0] first_A = address_A[13:3] & ~(11'd0 + UNITS_A - 11'd1);
    wire [2:0] shift_A = WA == 9 ? 3'd0 : address_A[2:0] & ~(3'd0 + WA - 3'd1);
    wire [35:0] data_A = UNITS_A == 4 ? {in_B, in_A} : {18'd0, in_A} << shift_A;
    wire [3:0] writes_A = {4{acts_A & WEA & ~(RESETMODE == "SYNC" & RSTA)}}
        & (UNITS_A == 4 ? address_A[3:0] : UNITS_A == 2 ? {2'd0, address_A[1:0]} : 4'd1);
    wire [8:0] bits_A = (9'd1 << WA) - 9'd1 << shift_A;
    reg [35:0] read_A = 0;

    // Port B: number of units in a row, position within the first unit for rows below 9 bits, data
    // to write and its address.
    localparam WB = DATA_WIDTH_B < 9 ? DATA_WIDTH_B : 9, UNITS_B = DATA_WIDTH_B < 9 ? 1 : DATA_WIDTH_B / 9;
    wire acts_B = CEB & ~CSB0 & ~CSB1 & ~CSB2;
    wire [10:0] first_B = address_B[13:3] & ~(11'd0 + UNITS_B - 11'd1);
    wire [2:0] shift_B = WB == 9 ? 3'd0 : address_B[2:0] & ~(3'd0 + WB - 3'd1);
    wire [35:0] data_B = UNITS_B == 4 ? {in_B, in_A} : {18'd0, in_B} << shift_B;
    wire [3:0] writes_B = {4{acts_B & WEB & ~(RESETMODE == "SYNC" & RSTB)}}
        & (UNITS_B == 4 ? address_B[3:0] : UNITS_B == 2 ? {2'd0, address_B[1:0]} : 4'd1);
    wire [8:0] bits_B = (9'd1 << WB) - 9'd1 << shift_B;
    reg [35:0] read_B = 0;

    integer n_A;
    reg [10:0] place_A;  // address of the unit within the other port's row
    reg [8:0] old_A;
    always @(posedge CLKA) begin
        if (RESETMODE == "SYNC" && RSTA) read_A <= 0;
        else if (acts_A && (!WEA || WRITEMODE_A != "NORMAL"))
            for (n_A = 0; n_A < UNITS_A; n_A = n_A + 1) begin
                place_A = first_A + n_A - first_B;
                old_A = unit[first_A + n_A];
                if (place_A < UNITS_B && writes_B[place_A[1:0]])
                    old_A = old_A & ~bits_B | ~data_B[9 * place_A[1:0] +: 9] & bits_B;
                if (WRITEMODE_A == "WRITETHROUGH" && writes_A[n_A])
                    old_A = old_A & ~bits_A | data_A[9 * n_A +: 9] & bits_A;
                read_A[9 * n_A +: 9] <= (old_A & bits_A) >> shift_A;
            end
        for (n_A = 0; n_A < UNITS_A; n_A = n_A + 1)
            if (writes_A[n_A]) unit[first_A + n_A][shift_A +: WA] <= data_A[9 * n_A + shift_A +: WA];
    end

    integer n_B;
    reg [10:0] place_B;  // address of the unit within the other port's row
    reg [8:0] old_B;
    always @(posedge CLKB) begin
        if (RESETMODE == "SYNC" && RSTB) read_B <= 0;
        else if (acts_B && (!WEB || WRITEMODE_B != "NORMAL"))
            for (n_B = 0; n_B < UNITS_B; n_B = n_B + 1) begin
                place_B = first_B + n_B - first_A;
                old_B = unit[first_B + n_B];
                if (place_B < UNITS_A && writes_A[place_B[1:0]])
                    old_B = old_B & ~bits_A | ~data_A[9 * place_B[1:0] +: 9] & bits_A;
                if (WRITEMODE_B == "WRITETHROUGH" && writes_B[n_B])
                    old_B = old_B & ~bits_B | data_B[9 * n_B +: 9] & bits_B;
                read_B[9 * n_B +: 9] <= (old_B & bits_B) >> shift_B;
            end
        for (n_B = 0; n_B < UNITS_B; n_B = n_B + 1)
            if (writes_B[n_B]) unit[first_B + n_B][shift_B +: WB] <= data_B[9 * n_B + shift_B +: WB];
    end

    wire [35:0] wide = UNITS_B == 4 ? read_B : read_A;
    wire is_wide = UNITS_A == 4 || UNITS_B == 4;
    assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2,
        DOA1, DOA0} = is_wide ? wide[17:0] : read_A[17:0];
    assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2,
        DOB1, DOB0} = UNITS_B == 4 ? wide[35:18] : read_B[17:0];
endmodule
