/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Addresses, sizes and functions of the SoC for firmware/sdram, with the names that LiteX uses. The
 * addresses of the registers and of the memory, and the size of the L2 cache, come from the
 * devicetree. The cycle counter and the flush of the data cache come from soc.h.
 */
#ifndef SDRAM_PORT_H
#define SDRAM_PORT_H

#include <zephyr/devicetree.h>
#include <zephyr/kernel.h>

#include <cipherlane/sdram.h>
#include <cipherlane/soc.h>

#define SDRAM_REGISTER(name) DT_REG_ADDR_BY_NAME(CL_SDRAM_CONTROLLER, name)
#define SDRAM_VALUE(name)    DT_PROP(CL_SDRAM_CONTROLLER, name)

#define MAIN_RAM_BASE  CL_SDRAM_BASE
#define MAIN_RAM_SIZE  CL_SDRAM_BYTES
#define CONFIG_L2_SIZE SDRAM_VALUE(l2_bytes)

#define CL_SDRAM_KIND         SDRAM_VALUE(memory_kind)
#define CL_SDRAM_PHASES       SDRAM_VALUE(phases)
#define CL_SDRAM_READ_PHASE   SDRAM_VALUE(read_phase)
#define CL_SDRAM_WRITE_PHASE  SDRAM_VALUE(write_phase)
#define CL_SDRAM_PHASE_WORDS  SDRAM_VALUE(phase_words)
#define CL_SDRAM_SHOWN_PHASES SDRAM_VALUE(shown_phases)
#define CL_SDRAM_LANES        SDRAM_VALUE(lanes)
#define CL_SDRAM_BITSLIPS     SDRAM_VALUE(bitslips)
#define CL_SDRAM_DELAYS       SDRAM_VALUE(delays)
#define CL_SDRAM_RESET_CYCLES SDRAM_VALUE(reset_cycles)
#define CL_SDRAM_LANE_BITS    SDRAM_VALUE(lane_bits)
#define CL_SDRAM_STEPS        SDRAM_VALUE(steps)

#define CSR_SDRAM_DFII_PI0_COMMAND_ADDR       SDRAM_REGISTER(pi0_command)
#define CSR_SDRAM_DFII_PI0_COMMAND_ISSUE_ADDR SDRAM_REGISTER(pi0_command_issue)
#define CSR_SDRAM_DFII_PI0_ADDRESS_ADDR       SDRAM_REGISTER(pi0_address)
#define CSR_SDRAM_DFII_PI0_BADDRESS_ADDR      SDRAM_REGISTER(pi0_baddress)
#define CSR_SDRAM_DFII_PI0_WRDATA_ADDR        SDRAM_REGISTER(pi0_wrdata)
#define CSR_SDRAM_DFII_PI0_RDDATA_ADDR        SDRAM_REGISTER(pi0_rddata)
#define CSR_SDRAM_DFII_PI1_COMMAND_ADDR       SDRAM_REGISTER(pi1_command)

#define SDRAM_WRITER(function, name)                                                               \
	static inline void function(uint32_t value)                                                \
	{                                                                                          \
		sys_write32(value, SDRAM_REGISTER(name));                                          \
	}

SDRAM_WRITER(sdram_dfii_control_write, control)

#if CL_SDRAM_DELAYS > 1
#define CSR_DDRPHY_BASE SDRAM_REGISTER(dly_sel)

SDRAM_WRITER(ddrphy_dly_sel_write, dly_sel)
SDRAM_WRITER(ddrphy_rdly_dq_rst_write, rdly_dq_rst)
SDRAM_WRITER(ddrphy_rdly_dq_inc_write, rdly_dq_inc)
SDRAM_WRITER(ddrphy_rdly_dq_bitslip_rst_write, rdly_dq_bitslip_rst)
SDRAM_WRITER(ddrphy_rdly_dq_bitslip_write, rdly_dq_bitslip)
SDRAM_WRITER(ddrphy_burstdet_clr_write, burstdet_clr)

static inline uint32_t ddrphy_burstdet_seen_read(void)
{
	return sys_read32(SDRAM_REGISTER(burstdet_seen));
}
#endif

static inline void csr_write_simple(uint32_t value, unsigned long address)
{
	sys_write32(value, address);
}

static inline uint32_t csr_read_simple(unsigned long address)
{
	return sys_read32(address);
}

static inline uint32_t port_cycles(void *context)
{
	return cl_soc_cycles(context);
}

static inline void port_dcache_flush(void)
{
	cl_soc_dcache_flush();
}

#endif
