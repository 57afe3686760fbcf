/* SPDX-License-Identifier: BSD-2-Clause */
#include "records.h"

#include <errno.h>

#include <zephyr/device.h>
#include <zephyr/drivers/uart.h>
#include <zephyr/kernel.h>

#include "zeroize.h"

#define CHUNK_BYTES 64

static const struct device *const uart = DEVICE_DT_GET(DT_CHOSEN(cipherlane_uart));
static struct cl_link link;
static struct cl_link_uart framing;
/** The interrupt handler gives this semaphore when the UART has received bytes. */
static K_SEM_DEFINE(arrived, 0, 1);

/** Bytes that were read from the UART but are not decoded yet. */
static struct {
	uint8_t bytes[CHUNK_BYTES];
	int count;
	int next;
} chunk;

static void on_interrupt(const struct device *device, void *unused)
{
	ARG_UNUSED(unused);
	uart_irq_rx_disable(device);
	k_sem_give(&arrived);
}

static int get(void *context)
{
	ARG_UNUSED(context);
	if (chunk.next == chunk.count) {
		/* Zeroize the decoded bytes, because they can be part of a key. */
		cl_zeroize(chunk.bytes, sizeof(chunk.bytes));
		chunk.count = uart_fifo_read(uart, chunk.bytes, CHUNK_BYTES);
		chunk.next = 0;
		if (chunk.count == 0) {
			return -1;
		}
	}
	return chunk.bytes[chunk.next++];
}

static void put(void *context, const uint8_t *bytes, size_t size)
{
	ARG_UNUSED(context);
	while (size > 0) {
		const int sent = uart_fifo_fill(uart, bytes, (int)size);

		if (sent == 0) {
			k_yield();
		}
		bytes += sent;
		size -= (size_t)sent;
	}
}

int records_init(uint8_t *buffer, size_t capacity)
{
	if (!device_is_ready(uart)) {
		return -ENODEV;
	}
	uart_irq_callback_user_data_set(uart, on_interrupt, NULL);
	cl_link_uart_init(&framing, &link, buffer, capacity, put, NULL);
	return 0;
}

size_t records_receive(k_timeout_t timeout)
{
	const size_t len = cl_link_uart_receive(&framing, get, NULL);

	/*
	 * The decoder can return before it has decoded all bytes in `chunk`. So wait for the UART
	 * only if all bytes in `chunk` are decoded.
	 */
	if (len == 0 && chunk.next == chunk.count) {
		uart_irq_rx_enable(uart);
		(void)k_sem_take(&arrived, timeout);
	}
	return len;
}

void records_wake(void)
{
	k_sem_give(&arrived);
}

void records_send(const uint8_t *record, size_t len)
{
	cl_link_uart_send(&framing, record, len);
}

void records_forget(void)
{
	cl_link_uart_forget(&framing);
}

struct cl_link *records_link(void)
{
	return &link;
}
