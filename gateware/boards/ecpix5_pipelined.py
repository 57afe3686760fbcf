"""The ECPIX-5 with the pipelined core in the accelerator, as fast as the DMA's port into the buffer memory."""

from dataclasses import replace

from gateware.boards.ecpix5 import BOARD as ECPIX5

BOARD = replace(
    ECPIX5,
    name="ecpix5_pipelined",
    title="LambdaConcept ECPIX-5 (ECP5-85F), pipelined AES core",
    core_datapath="pipelined",
    core_sbox="canright",
)
