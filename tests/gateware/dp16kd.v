// DP16KD, block RAM of the ECP5, as far as synthesis of this project uses it: rows of 9, 18 or 36 bits, both ports on
// the rising edge of one clock, no output register. Where a port reads what the other one writes in the same cycle, the
// device promises nothing: here it reads the complement.
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
    parameter WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL", CLKAMUX = "CLKA", CLKBMUX = "CLKB";
    parameter CSDECODE_A = "0b000", CSDECODE_B = "0b000", GSR = "ENABLED";
    parameter RESETMODE = "SYNC", ASYNC_RESET_RELEASE = "SYNC";
    parameter [319:0] INITVAL_00 = 0, INITVAL_01 = 0, INITVAL_02 = 0, INITVAL_03 = 0, INITVAL_04 = 0, INITVAL_05 = 0,
        INITVAL_06 = 0, INITVAL_07 = 0, INITVAL_08 = 0, INITVAL_09 = 0, INITVAL_0A = 0, INITVAL_0B = 0,
        INITVAL_0C = 0, INITVAL_0D = 0, INITVAL_0E = 0, INITVAL_0F = 0, INITVAL_10 = 0, INITVAL_11 = 0,
        INITVAL_12 = 0, INITVAL_13 = 0, INITVAL_14 = 0, INITVAL_15 = 0, INITVAL_16 = 0, INITVAL_17 = 0,
        INITVAL_18 = 0, INITVAL_19 = 0, INITVAL_1A = 0, INITVAL_1B = 0, INITVAL_1C = 0, INITVAL_1D = 0,
        INITVAL_1E = 0, INITVAL_1F = 0, INITVAL_20 = 0, INITVAL_21 = 0, INITVAL_22 = 0, INITVAL_23 = 0,
        INITVAL_24 = 0, INITVAL_25 = 0, INITVAL_26 = 0, INITVAL_27 = 0, INITVAL_28 = 0, INITVAL_29 = 0,
        INITVAL_2A = 0, INITVAL_2B = 0, INITVAL_2C = 0, INITVAL_2D = 0, INITVAL_2E = 0, INITVAL_2F = 0,
        INITVAL_30 = 0, INITVAL_31 = 0, INITVAL_32 = 0, INITVAL_33 = 0, INITVAL_34 = 0, INITVAL_35 = 0,
        INITVAL_36 = 0, INITVAL_37 = 0, INITVAL_38 = 0, INITVAL_39 = 0, INITVAL_3A = 0, INITVAL_3B = 0,
        INITVAL_3C = 0, INITVAL_3D = 0, INITVAL_3E = 0, INITVAL_3F = 0;

    generate
        if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG" || CLKAMUX != "CLKA" || CLKBMUX != "CLKB"
            || DATA_WIDTH_A % 9 != 0 || DATA_WIDTH_B % 9 != 0
            || WRITEMODE_A == "WRITETHROUGH" || WRITEMODE_B == "WRITETHROUGH")
            $error("a block RAM in a mode that is not simulated");
    endgenerate

    // Units of 9 bits: a row has 1, 2 or 4 of them. One of 36 bits enters and leaves by the pins of both ports.
    reg [8:0] unit [0:2047];
    wire [17:0] in_A = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4,
        DIA3, DIA2, DIA1, DIA0};
    wire [13:0] address_A = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
    wire [17:0] in_B = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4,
        DIB3, DIB2, DIB1, DIB0};
    wire [13:0] address_B = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};

    localparam UNITS_A = DATA_WIDTH_A / 9;
    wire [10:0] first_A = UNITS_A == 4 ? {address_A[13:5], 2'd0}
        : UNITS_A == 2 ? {address_A[13:4], 1'd0} : address_A[13:3];
    wire [35:0] data_A = UNITS_A == 4 ? {in_B, in_A} : {18'd0, in_A};
    wire [3:0] writes_A = {4{CEA & WEA}}
        & (UNITS_A == 4 ? address_A[3:0] : UNITS_A == 2 ? {2'd0, address_A[1:0]} : 4'd1);
    reg [35:0] read_A = 0;
    integer n_A;
    reg [10:0] place_A;  // of the unit in the other port's row

    localparam UNITS_B = DATA_WIDTH_B / 9;
    wire [10:0] first_B = UNITS_B == 4 ? {address_B[13:5], 2'd0}
        : UNITS_B == 2 ? {address_B[13:4], 1'd0} : address_B[13:3];
    wire [35:0] data_B = UNITS_B == 4 ? {in_B, in_A} : {18'd0, in_B};
    wire [3:0] writes_B = {4{CEB & WEB}}
        & (UNITS_B == 4 ? address_B[3:0] : UNITS_B == 2 ? {2'd0, address_B[1:0]} : 4'd1);
    reg [35:0] read_B = 0;
    integer n_B;
    reg [10:0] place_B;  // of the unit in the other port's row

    always @(posedge CLKA) begin
        if (RSTA) read_A <= 0;
        else if (CEA && (!WEA || WRITEMODE_A == "READBEFOREWRITE"))
            for (n_A = 0; n_A < UNITS_A; n_A = n_A + 1) begin
                place_A = first_A + n_A - first_B;
                read_A[9 * n_A +: 9] <= place_A < UNITS_B && writes_B[place_A[1:0]]
                    ? ~data_B[9 * place_A[1:0] +: 9] : unit[first_A + n_A];
            end
        for (n_A = 0; n_A < UNITS_A; n_A = n_A + 1)
            if (writes_A[n_A]) unit[first_A + n_A] <= data_A[9 * n_A +: 9];
    end

    always @(posedge CLKB) begin
        if (RSTB) read_B <= 0;
        else if (CEB && (!WEB || WRITEMODE_B == "READBEFOREWRITE"))
            for (n_B = 0; n_B < UNITS_B; n_B = n_B + 1) begin
                place_B = first_B + n_B - first_A;
                read_B[9 * n_B +: 9] <= place_B < UNITS_A && writes_A[place_B[1:0]]
                    ? ~data_A[9 * place_B[1:0] +: 9] : unit[first_B + n_B];
            end
        for (n_B = 0; n_B < UNITS_B; n_B = n_B + 1)
            if (writes_B[n_B]) unit[first_B + n_B] <= data_B[9 * n_B +: 9];
    end

    wire [35:0] wide = UNITS_B == 4 ? read_B : read_A;
    wire is_wide = UNITS_A == 4 || UNITS_B == 4;
    assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2,
        DOA1, DOA0} = is_wide ? wide[17:0] : read_A[17:0];
    assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2,
        DOB1, DOB0} = UNITS_B == 4 ? wide[35:18] : read_B[17:0];

    // Each INITVAL has 16 rows of 18 bits, 20 bits apart.
    localparam [64 * 320 - 1:0] contents = {INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A,
        INITVAL_39, INITVAL_38, INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32, INITVAL_31,
        INITVAL_30, INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
        INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20, INITVAL_1F,
        INITVAL_1E, INITVAL_1D, INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18, INITVAL_17, INITVAL_16,
        INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10, INITVAL_0F, INITVAL_0E, INITVAL_0D,
        INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08, INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04,
        INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00};
    integer row;
    initial for (row = 0; row < 1024; row = row + 1) begin
        unit[2 * row] = contents[20 * row +: 9];
        unit[2 * row + 1] = contents[20 * row + 9 +: 9];
    end
endmodule
