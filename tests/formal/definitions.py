# SPDX-License-Identifier: BSD-2-Clause
"""FIPS-197 in Verilog, written from the standard as the reference for the proofs.

The S-box tables come from the tests' own FIPS-197 model. Products are computed from the polynomial.
"""

from gateware.aes.field import multiply
from tests.gateware.isa import fips197


def _table(name: str, values: bytes) -> str:
    entries = "".join(f"8'd{x}: {name} = 8'd{y};" for x, y in enumerate(values))
    return f"function [7:0] {name}; input [7:0] x; case (x) {entries} endcase endfunction\n"


# Verilog functions on bytes. `product` multiplies two bytes modulo x^8 + x^4 + x^3 + x + 1 (FIPS-197, 4.2). `affine` is
# the affine transformation of SubBytes (equation 5.2).
ALGEBRA = """
function [7:0] times_x; input [7:0] a; times_x = {a[6:0], 1'b0} ^ (a[7] ? 8'h1b : 8'h00); endfunction
function [7:0] product; input [7:0] a; input [7:0] b; integer i; reg [7:0] power;
begin
    product = 0; power = a;
    for (i = 0; i < 8; i = i + 1) begin if (b[i]) product = product ^ power; power = times_x(power); end
end endfunction
function [7:0] affine; input [7:0] b; integer i;
begin
    for (i = 0; i < 8; i = i + 1)
        affine[i] = b[i] ^ b[(i + 4) % 8] ^ b[(i + 5) % 8] ^ b[(i + 6) % 8] ^ b[(i + 7) % 8] ^ ((8'h63 >> i) & 1);
end endfunction
"""

# Verilog functions that multiply a state column by the matrix of MixColumns or InvMixColumns (FIPS-197, 5.1.3, 5.3.3).
# Row r of the column is in bits 8r+7:8r. `row` is the first row of the matrix. All other rows are rotations of this
# row.
COLUMNS = """
function [31:0] matrix_column; input [31:0] a; input [31:0] row; integer r, i; reg [7:0] p1, p2, p4, p8, m, t;
begin
    matrix_column = 0;
    for (i = 0; i < 4; i = i + 1) begin
        p1 = a[8*i +: 8];
        p2 = {p1[6:0], 1'b0} ^ (p1[7] ? 8'h1b : 8'h00);
        p4 = {p2[6:0], 1'b0} ^ (p2[7] ? 8'h1b : 8'h00);
        p8 = {p4[6:0], 1'b0} ^ (p4[7] ? 8'h1b : 8'h00);
        for (r = 0; r < 4; r = r + 1) begin
            m = row[8*((i - r + 4) % 4) +: 8];
            t = (m[0] ? p1 : 8'h00) ^ (m[1] ? p2 : 8'h00) ^ (m[2] ? p4 : 8'h00) ^ (m[3] ? p8 : 8'h00);
            matrix_column[8*r +: 8] = matrix_column[8*r +: 8] ^ t;
        end
    end
end endfunction
function [31:0] mix_column; input [31:0] a; mix_column = matrix_column(a, 32'h01010302); endfunction
function [31:0] inv_mix_column; input [31:0] a; inv_mix_column = matrix_column(a, 32'h090d0b0e); endfunction
"""

# A table of the inverses in GF(2^8), found by trial. A proof that uses this table must also prove that the product of x
# and its inverse is 1.
INVERSES = _table("inverse_of", bytes(next((y for y in range(256) if multiply(x, y) == 1), 0) for x in range(256)))

# Verilog functions of whole states. The byte in row r and column c begins at bit 8(r + 4c) (FIPS-197, 3.4).
STATES = """
function [127:0] mix_columns; input [127:0] a; integer c;
    for (c = 0; c < 4; c = c + 1) mix_columns[32*c +: 32] = mix_column(a[32*c +: 32]); endfunction
function [127:0] inv_mix_columns; input [127:0] a; integer c;
    for (c = 0; c < 4; c = c + 1) inv_mix_columns[32*c +: 32] = inv_mix_column(a[32*c +: 32]); endfunction
function [127:0] shift_rows; input [127:0] a; integer r, c;
    for (c = 0; c < 4; c = c + 1) for (r = 0; r < 4; r = r + 1)
        shift_rows[8*(r + 4*c) +: 8] = a[8*(r + 4*((c + r) % 4)) +: 8]; endfunction
function [127:0] inv_shift_rows; input [127:0] a; integer r, c;
    for (c = 0; c < 4; c = c + 1) for (r = 0; r < 4; r = r + 1)
        inv_shift_rows[8*(r + 4*((c + r) % 4)) +: 8] = a[8*(r + 4*c) +: 8]; endfunction
function [127:0] reverse_bytes; input [127:0] a; integer i;
    for (i = 0; i < 16; i = i + 1) reverse_bytes[8*i +: 8] = a[8*(15 - i) +: 8]; endfunction
"""

TABLES = _table("sbox", fips197.SBOX) + _table("inv_sbox", fips197.INV_SBOX)
SUBSTITUTION = (
    TABLES
    + """
function [127:0] sub_bytes; input [127:0] a; integer i;
    for (i = 0; i < 16; i = i + 1) sub_bytes[8*i +: 8] = sbox(a[8*i +: 8]); endfunction
function [127:0] inv_sub_bytes; input [127:0] a; integer i;
    for (i = 0; i < 16; i = i + 1) inv_sub_bytes[8*i +: 8] = inv_sbox(a[8*i +: 8]); endfunction
"""
)
