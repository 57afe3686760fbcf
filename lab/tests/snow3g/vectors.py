# SPDX-License-Identifier: BSD-2-Clause
"""3GPP's test sets for 128-EEA1. They are the same as the test sets for UEA2 (TS 35.217)."""

from typing import NamedTuple


class Message(NamedTuple):
    """A test message of 128-EEA1; `bits` is its length in bits."""

    key: bytes
    count: int
    bearer: int
    direction: int
    bits: int
    plaintext: bytes
    ciphertext: bytes


MESSAGES = [
    Message(bytes.fromhex(key), *parameters, bytes.fromhex(plaintext), bytes.fromhex(ciphertext))
    for key, parameters, plaintext, ciphertext in (
        (
            "d3c5d592327fb11c4035c6680af8c6d1",
            (0x398A59B4, 0x15, 1, 253),
            "981ba6824c1bfb1ab485472029b71d808ce33e2cc3c0b5fc1f3de8a6dc66b1f0",
            "5d5bfe75eb04f68ce0a12377ea00b37d47c6a0ba06309155086a859c4341b378",
        ),
        (
            "2bd6459f82c440e0952c49104805ff48",
            (0xC675A64B, 0x0C, 1, 798),
            "7ec61272743bf1614726446a6c38ced166f6ca76eb5430044286346cef130f92922b03450d3a9975e5bd2ea0eb55ad8e"
            "1b199e3ec4316020e9a1b285e762795359b7bdfd39bef4b2484583d5afe082aee638bf5fd5a606193901a08f4ab41aab"
            "9b134880",
            "3f67850714b8da69efb727ed7a6c0c50714ad736c4f5600006e3525be807c467c677ff864af45fba09c27cde38f87a1f"
            "84d59ab255408f2c7b82f9ead41a1fe65eabebfbc1f3a4c56c9a26fcf7b3d66d0220ee4775bc58170a2b12f3431d11b3"
            "44d6e36c",
        ),
        (
            "0a8b6bd8d9b08b08d64e32d1817777fb",
            (0x544D49CD, 0x04, 0, 310),
            "fd40a41d370a1f65745095687d47ba1d36d2349e23f644392c8ea9c49d40c13271aff264d0f248",
            "48148e5452a210c05f46bc80dc6f73495b02048c1b958b026102ca97280279a4c18d2ee308921c",
        ),
        (
            "aa1f95aea533bcb32eb63bf52d8f831a",
            (0x72D8C671, 0x10, 1, 1022),
            "fb1b96c5c8badfb2e8e8edfde78e57f2ad81e74103fc430a534dcc37afcec70e1517bb06f27219dae49022ddc47a068d"
            "e4c9496a951a6b09edbdc864c7adbd740ac50c022f3082bafd22d78197c5d508b977bca13f32e652e74ba728576077ce"
            "628c535e87dc6077ba07d29068590c8cb5f1088e082cfa0ec961302d69cf3d44",
            "ffcfc2fead6c094e96c589d0f6779b6784246c3c4d1cea203db3901f40ad4fd7138bc6d77e8320cb102f497fdd44a269"
            "a96ecb28617700e332eb2f736b34f4f2693094e22ff94f9be4723da40c40dfd3931cc1ac9723f6b4a9913e96b6db7abc"
            "ace415177c1d0115c5f09b5fdea0b3adb8f9da6e9f9a04c543397b9d43f87330",
        ),
    )
]
