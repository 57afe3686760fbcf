/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The functions that firmware/core needs from the SoC, for LiteX without an operating system.
 */
#ifndef PORT_H
#define PORT_H

#include <stddef.h>
#include <stdint.h>

#include <generated/csr.h>

/** Returns the clock cycles since reset, modulo 2^32 (CSR mcycle). */
uint32_t port_cycles(void *context);

/**
 * Invalidates the data cache, so that the CPU reads the data that a DMA wrote. The cache writes
 * through, so memory already contains the CPU's stores.
 */
void port_dcache_flush(void);

/** Waits until the CPU's earlier stores are in memory, where a DMA or the vector unit reads them.
 */
void port_drain(void);

/**
 * Erases the data that earlier function calls left in memory and in registers. Zeroizes the stack
 * below the caller's frame. Overwrites every line of the data cache, even invalid lines, with
 * constants. Clears the caller-saved registers.
 */
void port_forget(void);

/**
 * Sends bytes over the UART. Gives up if the UART accepts no byte for a tenth of a second. The host
 * then gets no complete reply and repeats its request.
 */
void port_uart_put(void *context, const uint8_t *bytes, size_t size);

/** Handles a trap of the CPU: restarts the SoC. All sessions and their keys are lost. */
void port_trap(uint32_t cause, uint32_t address) __attribute__((noreturn));

/**
 * Bit of the UART's event registers that means "a byte was received"; writing 1 to it removes the
 * byte from the FIFO.
 */
#define PORT_UART_EVENT_RX 2u

/** Resets the loader's watchdog, if the SoC has a loader. Call this in every turn of the main loop.
 */
static inline void port_feed(void)
{
#ifdef CSR_LOADER_BASE
	loader_feed_write(1);
#endif
}

/** Returns the next byte from the UART, or -1 if there is none. */
static inline int port_uart_get(void *context)
{
	(void)context;
	if (uart_rxempty_read()) {
		return -1;
	}
	int byte = (int)(uart_rxtx_read() & 0xff);

	uart_ev_pending_write(PORT_UART_EVENT_RX);
	return byte;
}

/**
 * Waits for four bytes from the UART and returns them as a little-endian number. Used by programs
 * that a test controls over the UART.
 */
static inline uint32_t port_receive_word(void)
{
	uint32_t word = 0;

	for (unsigned int i = 0; i < 4; i++) {
		int byte;

		do {
			byte = port_uart_get(NULL);
		} while (byte < 0);
		word |= (uint32_t)byte << (8 * i);
	}
	return word;
}

/** Sends 32-bit numbers over the UART, each as four little-endian bytes. */
static inline void port_send_words(const uint32_t *words, unsigned int count)
{
	port_uart_put(NULL, (const uint8_t *)words, 4 * count);
}

#endif
