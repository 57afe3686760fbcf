# SPDX-License-Identifier: BSD-2-Clause
"""Makes the records (rows of the results file) of a core on an FPGA part. Each key length has a record of its own."""

from lab.explore.flow import Device
from lab.explore.members import Member, Peer

BLOCK_BITS = 128
DATA_RATES_MBPS = (100, 200, 300, 1000)


def clock_mhz(mbps: float, cycles_per_block: float) -> float:
    """Returns the clock in MHz that a core needs for a given data rate."""
    return mbps * cycles_per_block / BLOCK_BITS


def records(
    target: Member | Peer,
    device: Device,
    *,
    area: dict[str, int] | None = None,
    measurements: list[dict] | None = None,
    clocks: dict[int, float] | None = None,
    fmax: float | None = None,
    reason: str | None = None,
) -> list[dict]:
    """Returns the records of a core on an FPGA part. Each key length has a record of its own.

    Parameters
    ----------
    target : Member or Peer
        What was built.
    device : Device
        What for.
    area : dict, optional
        lut4, ff, bram.
    measurements : list of dict, optional
        Those of `lab.explore.measure`, one for each key length.
    clocks : dict, optional
        MHz, by seed.
    fmax : float, optional
        The clock that counts.
    reason : str, optional
        Why it could not be built. What was found out before is given all the same.

    Returns
    -------
    list of dict
        core, datapath, sbox, engines, slots, key_lengths (what can be loaded), key_bits (what the record is about),
        device, speed, status (built or failed), reason, lut4, ff, bram, fmax_mhz, fmax_by_seed, cycles_first,
        cycles_per_block, key_cycles, mbps, mbps_per_lut, toggles_per_block, clock_mhz_for_mbps. What is not known is
        None.
    """
    found = []
    measured = {measurement["key_bits"]: measurement for measurement in measurements or []}
    for key_bits in target.key_lengths:
        measurement = measured.get(key_bits, {})
        cycles = measurement.get("cycles_per_block")
        mbps = BLOCK_BITS * fmax / cycles if fmax and cycles else None
        lut4 = area["lut4"] if area else None
        found.append(
            {
                "core": target.core,
                "datapath": target.datapath,
                "sbox": target.sbox,
                "engines": target.engines,
                "slots": target.slots,
                "key_lengths": list(target.key_lengths),
                "key_bits": key_bits,
                "device": device.name,
                "speed": device.speed,
                "status": "failed" if reason else "built",
                "reason": reason,
                "lut4": lut4,
                "ff": area["ff"] if area else None,
                "bram": area["bram"] if area else None,
                "fmax_mhz": fmax and round(fmax, 2),
                "fmax_by_seed": {str(seed): round(clock, 2) for seed, clock in (clocks or {}).items()},
                "cycles_first": measurement.get("cycles_first"),
                "cycles_per_block": cycles,
                "key_cycles": measurement.get("key_cycles"),
                "mbps": mbps and round(mbps, 1),
                "mbps_per_lut": mbps and round(mbps / lut4, 4),
                "toggles_per_block": measurement.get("toggles_per_block"),
                "clock_mhz_for_mbps": {
                    str(rate): cycles and round(clock_mhz(rate, cycles), 2) for rate in DATA_RATES_MBPS
                },
            }
        )
    return found
