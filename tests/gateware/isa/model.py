# SPDX-License-Identifier: BSD-2-Clause
"""A model of the vector AES unit, written from its reference page. It executes instructions one by one."""

from tests.gateware.gcm.reference import product
from tests.gateware.isa import fips197

LAST_ROUND_KEYS = (0, 10, 12, 14)
UNIT_VERSION = 2
STATUS_PRODUCTS = 1 << 8
FAULT_UNALIGNED = 1
FAULT_ADDRESS = 2


def _word(value: int) -> bytes:
    return value.to_bytes(4, "little")


class UnitModel:
    """The unit's state and key registers, context and memory. `execute` runs one instruction and returns rd.

    Without `products`, the instructions of the multiplier do nothing.
    """

    def __init__(self, origin: int = 0x4000_0000, size: int = 65536, *, products: bool = True):
        self.products = products
        self.context = 0
        self.origin = origin
        self.memory = bytearray(size)
        self.fault = 0
        self.v = [[bytes(16) for _ in range(8)] for _ in range(8)]
        self.k = [[bytes(16) for _ in range(16)] for _ in range(8)]

    def execute(self, name: str, rs1: int = 0, rs2: int = 0, **fields: int) -> int:
        v, k = self.v[self.context], self.k[self.context]
        s = fields.get("s", 0)
        state = v[s]
        key = k[LAST_ROUND_KEYS[fields["l"]]] if "l" in fields else k[fields.get("k", 0)]
        f = fips197
        operations = {
            "round_xor": lambda: f.xor(state, key),
            "shift_rows": lambda: f.shift_rows(state),
            "shift_rows_inv": lambda: f.inv_shift_rows(state),
            "sbox_mix_xor": lambda: f.xor(f.mix_columns(f.sub_bytes(state)), key),
            "sbox_mix_xor_inv": lambda: f.xor(f.inv_mix_columns(f.inv_sub_bytes(state)), key),
            "sbox_xor": lambda: f.xor(f.sub_bytes(state), key),
            "sbox_xor_inv": lambda: f.xor(f.inv_sub_bytes(state), key),
            "round_enc": lambda: f.xor(f.mix_columns(f.shift_rows(f.sub_bytes(state))), key),
            "round_dec": lambda: f.xor(f.inv_mix_columns(f.inv_shift_rows(f.inv_sub_bytes(state))), key),
            "last_enc": lambda: f.xor(f.shift_rows(f.sub_bytes(state)), key),
            "last_dec": lambda: f.xor(f.inv_shift_rows(f.inv_sub_bytes(state)), key),
            "move_in": lambda: self._half(state, fields["h"], _word(rs1) + _word(rs2)),
            "move_in_xor": lambda: f.xor(state, self._half(bytes(16), fields["h"], _word(rs1) + _word(rs2))),
            "counter": lambda: self._counter(rs1, rs2, s),
            "counter_xor": lambda: f.xor(self._counter(rs1, rs2, s), k[0]),
        }
        if name in ("vghsh", "vgmul"):
            if self.products:
                self._multiply(name, s, rs1)
            return 0
        if name in ("vload", "vload_xor", "vstore"):
            self._access(name, (rs1 + 16 * s) % 2**32, s)
            return 0
        if name == "vxor_group":
            self._group(rs1, rs1 + rs2)
            return 0
        if name == "memory_status":
            fault = self.fault
            if rs1 & 1:
                self.fault = 0
            return fault
        if name in operations:
            v[s] = operations[name]()
            return 0
        if name in ("key_write", "key_write_inv_mix"):
            data = _word(rs1) + _word(rs2)
            if name == "key_write_inv_mix":
                data = f.inv_mix_columns(data + bytes(8))[:8]
            k[fields["kw"]] = self._half(k[fields["kw"]], fields["hw"], data)
            return 0
        if name == "context":
            previous, self.context = self.context, rs1 % 8
            return previous
        results = {
            "move_out_xor": lambda: int.from_bytes(state[4 * fields["c"] :][:4], "little") ^ rs1,
            "key_read": lambda: int.from_bytes(k[rs1 >> 2 & 15][4 * (rs1 & 3) :][:4], "little"),
            "sub_word": lambda: int.from_bytes(f.sub_bytes(_word(rs1)), "little") ^ rs2,
            "sub_rot_word": lambda: int.from_bytes(f.sub_bytes(_word(rs1)[1:] + _word(rs1)[:1]), "little") ^ rs2,
            "status": lambda: UNIT_VERSION << 16 | self.products * STATUS_PRODUCTS | self.context,
        }
        return results[name]()

    def _multiply(self, name: str, s: int, rs1: int) -> None:
        v = self.v[self.context]
        target, factor = (rs1 >> 4 & 7 if name == "vghsh" else s), rs1 & 7
        operand = fips197.xor(v[target], v[s]) if name == "vghsh" else v[s]
        v[target] = product(operand, v[factor])

    def _access(self, name: str, address: int, s: int) -> None:
        v = self.v[self.context]
        first = address - self.origin
        if self._refuses(address):
            return
        if name == "vstore":
            self.memory[first : first + 16] = v[s]
        else:
            block = bytes(self.memory[first : first + 16])
            v[s] = block if name == "vload" else fips197.xor(v[s], block)

    def _group(self, source: int, destination: int) -> None:
        for s in range(8):
            addresses = [(base + 16 * s) % 2**32 for base in (source, destination)]
            if any(self._refuses(address) for address in addresses):
                return
            read, written = (address - self.origin for address in addresses)
            block = bytes(self.memory[read : read + 16])
            self.memory[written : written + 16] = fips197.xor(block, self.v[self.context][s])

    def _refuses(self, address: int) -> bool:
        if address % 16 == 0 and 0 <= address - self.origin < len(self.memory):
            return False
        self.fault = self.fault or (address & ~15) | (FAULT_UNALIGNED if address % 16 else FAULT_ADDRESS)
        return True

    def _counter(self, rs1: int, rs2: int, s: int) -> bytes:
        base = int.from_bytes(self.k[self.context][15], "big")
        return ((base + (rs2 << 32 | rs1) + s) % 2**128).to_bytes(16, "big")

    @staticmethod
    def _half(value: bytes, half: int, data: bytes) -> bytes:
        return value[: 8 * half] + data + value[8 * half + 8 :]
