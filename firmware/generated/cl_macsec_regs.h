/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated from gateware/net/macsec/peripheral.py; do not edit. */
/**
 * @file
 * Registers of the MACsec SecY: byte offsets from its base address; masks, positions and values of fields.
 */
#ifndef CL_MACSEC_REGS_H
#define CL_MACSEC_REGS_H

/**
 * Access: read, write. Commands. Writing 1 to a field gives the command; writing 0 does
 * nothing. Reads as last written. A command that is refused sets refused and does nothing else.
 * Give one command at a time.
 */
#define CL_MACSEC_CONTROL 0x00u
#define CL_MACSEC_CONTROL_INSTALL_SHIFT 0u
#define CL_MACSEC_CONTROL_INSTALL_MASK 0x1u
#define CL_MACSEC_CONTROL_REMOVE_SHIFT 1u
#define CL_MACSEC_CONTROL_REMOVE_MASK 0x2u
#define CL_MACSEC_CONTROL_READ_PN_SHIFT 2u
#define CL_MACSEC_CONTROL_READ_PN_MASK 0x4u
#define CL_MACSEC_CONTROL_ZEROIZE_SHIFT 3u
#define CL_MACSEC_CONTROL_ZEROIZE_MASK 0x8u

/**
 * Access: read. State of the SecY. Reading has no side effect.
 */
#define CL_MACSEC_STATUS 0x04u
#define CL_MACSEC_STATUS_BUSY_SHIFT 0u
#define CL_MACSEC_STATUS_BUSY_MASK 0x1u
#define CL_MACSEC_STATUS_REFUSED_SHIFT 1u
#define CL_MACSEC_STATUS_REFUSED_MASK 0x2u
#define CL_MACSEC_STATUS_EXPIRING_SHIFT 2u
#define CL_MACSEC_STATUS_EXPIRING_MASK 0x4u
#define CL_MACSEC_STATUS_REQUIRED_SHIFT 3u
#define CL_MACSEC_STATUS_REQUIRED_MASK 0x8u

/**
 * Access: read, write. What is done with frames. All fields change at once. A frame is subject
 * to the values of the moment when its turn comes.
 */
#define CL_MACSEC_POLICY 0x08u
#define CL_MACSEC_POLICY_PROTECT_SHIFT 0u
#define CL_MACSEC_POLICY_PROTECT_MASK 0x1u
#define CL_MACSEC_POLICY_ENCRYPT_SHIFT 1u
#define CL_MACSEC_POLICY_ENCRYPT_MASK 0x2u
#define CL_MACSEC_POLICY_INCLUDE_SCI_SHIFT 2u
#define CL_MACSEC_POLICY_INCLUDE_SCI_MASK 0x4u
#define CL_MACSEC_POLICY_TRANSMIT_AN_SHIFT 3u
#define CL_MACSEC_POLICY_TRANSMIT_AN_MASK 0x18u
#define CL_MACSEC_POLICY_VALIDATE_SHIFT 5u
#define CL_MACSEC_POLICY_VALIDATE_MASK 0x60u
#define CL_MACSEC_POLICY_VALIDATE_STRICT 0u
#define CL_MACSEC_POLICY_VALIDATE_CHECK 1u
#define CL_MACSEC_POLICY_VALIDATE_DISABLED 2u
#define CL_MACSEC_POLICY_VALIDATE_INVALID 3u
#define CL_MACSEC_POLICY_REPLAY_PROTECT_SHIFT 7u
#define CL_MACSEC_POLICY_REPLAY_PROTECT_MASK 0x80u
#define CL_MACSEC_POLICY_WINDOW_SHIFT 8u
#define CL_MACSEC_POLICY_WINDOW_MASK 0x7f00u
#define CL_MACSEC_POLICY_RECEIVE_SHIFT 16u
#define CL_MACSEC_POLICY_RECEIVE_MASK 0xf0000u

/**
 * Access: write. Bytes 0 to 3 of the own SCI, first byte in bits 7:0. Write-only: reads as 0.
 * While busy or while an association is live, writes are ignored and set refused. Reset value
 * 0.
 */
#define CL_MACSEC_SCI0 0x0cu

/**
 * Access: write. Bytes 4 to 7 of the own SCI, first byte in bits 7:0. Write-only: reads as 0.
 * While busy or while an association is live, writes are ignored and set refused. Reset value
 * 0.
 */
#define CL_MACSEC_SCI1 0x10u

/**
 * Access: write. Bytes 0 to 3 of the peer's SCI, first byte in bits 7:0. Write-only: reads as
 * 0. While busy or while an association is live, writes are ignored and set refused. Reset
 * value 0.
 */
#define CL_MACSEC_PEER_SCI0 0x14u

/**
 * Access: write. Bytes 4 to 7 of the peer's SCI, first byte in bits 7:0. Write-only: reads as
 * 0. While busy or while an association is live, writes are ignored and set refused. Reset
 * value 0.
 */
#define CL_MACSEC_PEER_SCI1 0x18u

/**
 * Access: read, write. The association to which a command applies. Must not be written while
 * busy. Reset value 0.
 */
#define CL_MACSEC_ASSOCIATION 0x1cu
#define CL_MACSEC_ASSOCIATION_AN_SHIFT 0u
#define CL_MACSEC_ASSOCIATION_AN_MASK 0x3u
#define CL_MACSEC_ASSOCIATION_TRANSMIT_SHIFT 2u
#define CL_MACSEC_ASSOCIATION_TRANSMIT_MASK 0x4u
#define CL_MACSEC_ASSOCIATION_XPN_SHIFT 3u
#define CL_MACSEC_ASSOCIATION_XPN_MASK 0x8u
#define CL_MACSEC_ASSOCIATION_KEY_LENGTH_SHIFT 4u
#define CL_MACSEC_ASSOCIATION_KEY_LENGTH_MASK 0x30u
#define CL_MACSEC_ASSOCIATION_KEY_LENGTH_AES_128 0u
#define CL_MACSEC_ASSOCIATION_KEY_LENGTH_AES_256 2u

/**
 * Access: read, write. Bits 31:0 of a packet number: the first one for install, or the result
 * of read_pn. Must not be written while busy. Reset value 0.
 */
#define CL_MACSEC_PN_LO 0x20u

/**
 * Access: read, write. Bits 63:32, 0 without XPN, of a packet number: the first one for
 * install, or the result of read_pn. Must not be written while busy. Reset value 0.
 */
#define CL_MACSEC_PN_HI 0x24u

/**
 * Access: write. Bytes 0 to 3 of the SSCI, for XPN, first byte in bits 7:0. Write-only: reads
 * as 0. Writes are ignored while busy, and set refused. Reset value 0.
 */
#define CL_MACSEC_SSCI 0x28u

/**
 * Access: write. Bytes 0 to 3 of the salt, for XPN, first byte in bits 7:0. Write-only: reads
 * as 0. Writes are ignored while busy, and set refused. Reset value 0.
 */
#define CL_MACSEC_SALT0 0x2cu

/**
 * Access: write. Bytes 4 to 7 of the salt, for XPN, first byte in bits 7:0. Write-only: reads
 * as 0. Writes are ignored while busy, and set refused. Reset value 0.
 */
#define CL_MACSEC_SALT1 0x30u

/**
 * Access: write. Bytes 8 to 11 of the salt, for XPN, first byte in bits 7:0. Write-only: reads
 * as 0. Writes are ignored while busy, and set refused. Reset value 0.
 */
#define CL_MACSEC_SALT2 0x34u

/**
 * Access: write. Bytes 0 to 3 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Writes are ignored while busy, and set refused. Zeroized by reset, install and zeroize.
 */
#define CL_MACSEC_KEY0 0x38u

/**
 * Access: write. Bytes 4 to 7 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Writes are ignored while busy, and set refused. Zeroized by reset, install and zeroize.
 */
#define CL_MACSEC_KEY1 0x3cu

/**
 * Access: write. Bytes 8 to 11 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Writes are ignored while busy, and set refused. Zeroized by reset, install and zeroize.
 */
#define CL_MACSEC_KEY2 0x40u

/**
 * Access: write. Bytes 12 to 15 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Writes are ignored while busy, and set refused. Zeroized by reset, install and zeroize.
 */
#define CL_MACSEC_KEY3 0x44u

/**
 * Access: write. Bytes 16 to 19 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Writes are ignored while busy, and set refused. Zeroized by reset, install and zeroize.
 */
#define CL_MACSEC_KEY4 0x48u

/**
 * Access: write. Bytes 20 to 23 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Writes are ignored while busy, and set refused. Zeroized by reset, install and zeroize.
 */
#define CL_MACSEC_KEY5 0x4cu

/**
 * Access: write. Bytes 24 to 27 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Writes are ignored while busy, and set refused. Zeroized by reset, install and zeroize.
 */
#define CL_MACSEC_KEY6 0x50u

/**
 * Access: write. Bytes 28 to 31 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Writes are ignored while busy, and set refused. Zeroized by reset, install and zeroize.
 */
#define CL_MACSEC_KEY7 0x54u

/**
 * Access: read. Associations with a key and with packet numbers. Bits 3:0 are the associations
 * 0 to 3 that receive, bits 7:4 those that transmit.
 */
#define CL_MACSEC_LIVE 0x58u
#define CL_MACSEC_LIVE_BITS 8u

/**
 * Access: read. Associations that have used all packet numbers. Bits 3:0 are the associations 0
 * to 3 that receive, bits 7:4 those that transmit.
 */
#define CL_MACSEC_EXHAUSTED 0x5cu
#define CL_MACSEC_EXHAUSTED_BITS 8u

/**
 * Access: read, write. Selects a counter of IEEE 802.1AE-2018. Each frame counts once; EAPOL
 * frames never.
 */
#define CL_MACSEC_COUNTER 0x60u
#define CL_MACSEC_COUNTER_CODE_SHIFT 0u
#define CL_MACSEC_COUNTER_CODE_MASK 0x1fu
#define CL_MACSEC_COUNTER_CODE_INPKTSUNTAGGED 0u
#define CL_MACSEC_COUNTER_CODE_INPKTSNOTAG 1u
#define CL_MACSEC_COUNTER_CODE_INPKTSBADTAG 2u
#define CL_MACSEC_COUNTER_CODE_INPKTSNOSA 3u
#define CL_MACSEC_COUNTER_CODE_INPKTSNOSAERROR 4u
#define CL_MACSEC_COUNTER_CODE_INPKTSOVERRUN 5u
#define CL_MACSEC_COUNTER_CODE_INPKTSUNCHECKED 6u
#define CL_MACSEC_COUNTER_CODE_INPKTSDELAYED 7u
#define CL_MACSEC_COUNTER_CODE_INPKTSLATE 8u
#define CL_MACSEC_COUNTER_CODE_INPKTSOK 9u
#define CL_MACSEC_COUNTER_CODE_INPKTSINVALID 10u
#define CL_MACSEC_COUNTER_CODE_INPKTSNOTVALID 11u
#define CL_MACSEC_COUNTER_CODE_INERRORS 12u
#define CL_MACSEC_COUNTER_CODE_OUTPKTSUNTAGGED 16u
#define CL_MACSEC_COUNTER_CODE_OUTPKTSPROTECTED 17u
#define CL_MACSEC_COUNTER_CODE_OUTPKTSENCRYPTED 18u
#define CL_MACSEC_COUNTER_CODE_OUTPKTSTOOLONG 19u
#define CL_MACSEC_COUNTER_CODE_OUTPKTSTOOSHORT 20u
#define CL_MACSEC_COUNTER_CODE_OUTPKTSSTOPPED 21u

/**
 * Access: read. The selected counter, modulo 2^32. It counts from power-on and is never
 * cleared.
 */
#define CL_MACSEC_COUNT 0x64u

#define CL_MACSEC_BYTES 0x68u

#endif
