/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows how to use the record service, with one engine, in your own application. First the program
 * acts as its own host: it opens a session and passes records with example F.5.1 of SP 800-38A to
 * the service. Then a host can use the service on the UART (`cipherlane info --port tcp://...`). A
 * real application must also zeroize memory that can contain parts of keys, and must start a
 * watchdog. The application in firmware/zephyr/app does both.
 */
#include <string.h>

#include <zephyr/device.h>
#include <zephyr/drivers/uart.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include <cipherlane/engines.h>
#include <cipherlane/soc.h>

#include "links/link_uart.h"
#include "service/service.h"

#define MAX_DATA   1024u
#define RECORD_MAX CL_SERVICE_RECORD_MAX(MAX_DATA)
#define BOARD      DT_NODELABEL(cipherlane0)
#define TOKEN      1u

static const struct device *const uart = DEVICE_DT_GET(DT_CHOSEN(cipherlane_uart));

static const uint8_t key[] = {
	0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
	0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c,
};

static const uint8_t counter[] = {
	0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7,
	0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff,
};

static const uint8_t plaintext[] = {
	0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73,
	0x93, 0x17, 0x2a, 0xae, 0x2d, 0x8a, 0x57, 0x1e, 0x03, 0xac, 0x9c, 0x9e, 0xb7,
	0x6f, 0xac, 0x45, 0xaf, 0x8e, 0x51, 0x30, 0xc8, 0x1c, 0x46, 0xa3, 0x5c, 0xe4,
	0x11, 0xe5, 0xfb, 0xc1, 0x19, 0x1a, 0x0a, 0x52, 0xef, 0xf6, 0x9f, 0x24, 0x45,
	0xdf, 0x4f, 0x9b, 0x17, 0xad, 0x2b, 0x41, 0x7b, 0xe6, 0x6c, 0x37, 0x10,
};

static const uint8_t ciphertext[] = {
	0x87, 0x4d, 0x61, 0x91, 0xb6, 0x20, 0xe3, 0x26, 0x1b, 0xef, 0x68, 0x64, 0x99,
	0x0d, 0xb6, 0xce, 0x98, 0x06, 0xf6, 0x6b, 0x79, 0x70, 0xfd, 0xff, 0x86, 0x17,
	0x18, 0x7b, 0xb9, 0xff, 0xfd, 0xff, 0x5a, 0xe4, 0xdf, 0x3e, 0xdb, 0xd5, 0xd3,
	0x5e, 0x5b, 0x4f, 0x09, 0x02, 0x0d, 0xb0, 0x3e, 0xab, 0x1e, 0x03, 0x1d, 0xda,
	0x2f, 0xbe, 0x03, 0xd1, 0x79, 0x21, 0x70, 0xa0, 0xf3, 0x00, 0x9c, 0xee,
};

/**
 * The record being handled, in memory that the accelerator can access. The record's data are
 * aligned to 16 bytes.
 */
static struct {
	uint8_t unused[8];
	uint8_t record[CL_LINK_UART_BUFFER(RECORD_MAX)];
} buffer CL_SOC_IN_BUFFER;

static struct cl_streams streams CL_SOC_IN_BUFFER;
static struct cl_service service;

/**
 * Passes a record with header @p request and @p len bytes of data to the service. Returns the data
 * of the reply, or NULL if the reply is an error.
 */
static const uint8_t *ask(struct cl_link *link, struct cl_wire_header *request, const void *data,
			  size_t len)
{
	request->version = CL_WIRE_VERSION;
	request->length = (uint16_t)len;
	request->token = TOKEN;
	cl_wire_put_header(buffer.record, request);
	memcpy(buffer.record + CL_WIRE_HEADER_SIZE, data, len);
	(void)cl_service_handle(&service, link, buffer.record, CL_WIRE_HEADER_SIZE + len,
				buffer.record, RECORD_MAX);
	const uint8_t type = request->type;

	cl_wire_get_header(request, buffer.record);
	return request->type == (type | CL_WIRE_REPLY) ? buffer.record + CL_WIRE_HEADER_SIZE : NULL;
}

/** Runs one session, in which this program acts as the host. */
static void encrypt(void)
{
	struct cl_link link = {0};
	struct cl_wire_header open = {.type = CL_WIRE_TYPE_OPEN};
	struct cl_wire_open_request request = {
		.key_bits = 8 * sizeof(key),
		.engine = CL_WIRE_ENGINE_ACCELERATOR,
		.length = sizeof(plaintext),
		.record_bytes = sizeof(plaintext),
	};

	memcpy(request.key, key, sizeof(key));
	memcpy(request.iv, counter, sizeof(counter));
	if (ask(&link, &open, &request, sizeof(request)) == NULL) {
		printk("no session\n");
		return;
	}
	struct cl_wire_header data = {.type = CL_WIRE_TYPE_DATA, .session = open.session};
	const uint8_t *const out = ask(&link, &data, plaintext, sizeof(plaintext));
	const bool right = out != NULL && memcmp(out, ciphertext, sizeof(ciphertext)) == 0;

	printk("session %u: %u bytes, %s SP 800-38A\n", open.session,
	       (unsigned int)sizeof(plaintext), right ? "as in" : "NOT as in");
	struct cl_wire_header close = {.type = CL_WIRE_TYPE_CLOSE, .session = open.session};

	(void)ask(&link, &close, "", 0);
}

static int get(void *context)
{
	unsigned char byte;

	ARG_UNUSED(context);
	return uart_poll_in(uart, &byte) == 0 ? byte : -1;
}

static void put(void *context, const uint8_t *bytes, size_t size)
{
	ARG_UNUSED(context);
	while (size > 0) {
		const int sent = uart_fifo_fill(uart, bytes, (int)size);

		bytes += sent;
		size -= (size_t)sent;
	}
}

static void serve(void)
{
	static struct cl_link link = {.peer = 1};
	struct cl_link_uart framing;

	cl_link_uart_init(&framing, &link, buffer.record, sizeof(buffer.record), put, NULL);
	printk("records on %s\n", uart->name);
	for (;;) {
		const size_t len = cl_link_uart_receive(&framing, get, NULL);

		if (len != 0) {
			cl_link_uart_send(&framing, buffer.record,
					  cl_service_handle(&service, &link, buffer.record, len,
							    buffer.record, RECORD_MAX));
		} else {
			k_yield();
		}
		cl_service_poll(&service);
	}
}

int main(void)
{
	static const struct cl_engine *const engines[] = {&cl_zephyr_accelerator};
	static const struct cl_platform platform = {
		.board = DT_PROP(BOARD, board_name),
		.firmware = "sample",
		.kind = DT_PROP(BOARD, simulated) ? CL_WIRE_KIND_SIM : CL_WIRE_KIND_BOARD,
		.max_data = MAX_DATA,
		.clock_hz = DT_PROP(BOARD, clock_frequency),
		.rx_window = 2 * RECORD_MAX,
		.streams = &streams,
		.identity = &cl_zephyr_ise,
		.engines = engines,
		.engine_count = ARRAY_SIZE(engines),
		.cycles = cl_soc_cycles,
	};
	const int status = cl_service_init(&service, &platform);

	if (status != 0 || !device_is_ready(uart)) {
		printk("no start: status %d\n", status);
		return 0;
	}
	encrypt();
	serve();
	return 0;
}
