/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the UART and Ethernet links with arbitrary bytes and frames. In addition to the
 * sanitizers' checks, it checks that no answer is longer than the largest frame, and that each
 * answer goes to a unicast MAC address.
 */
#include <string.h>

#include "board.h"
#include "links/copy_sum.h"

#define FRAME_ROOM (2 + CL_LINK_UDP_HEADERS + RECORD_MAX + CL_LINK_UDP_FRAME_MAX)

static uint8_t uart_buffer[CL_LINK_UART_BUFFER(RECORD_MAX)] __attribute__((aligned(4)));

struct bytes {
	const uint8_t *data;
	size_t size;
};

static int get(void *context)
{
	struct bytes *const bytes = context;

	if (bytes->size == 0) {
		return -1;
	}
	bytes->size--;
	return *bytes->data++;
}

static void transmit(void *context, const uint8_t *bytes, size_t size)
{
	(void)context;
	(void)bytes;
	EXPECT(size <= 2 * RECORD_MAX);
}

static void over_uart(const uint8_t *data, size_t size)
{
	struct bytes bytes = {data, size};
	struct cl_link link = {0};
	struct cl_link_uart uart;

	cl_link_uart_init(&uart, &link, uart_buffer, sizeof(uart_buffer), transmit, NULL);
	while (bytes.size > 0) {
		const size_t len = cl_link_uart_receive(&uart, get, &bytes);

		EXPECT(len <= RECORD_MAX);
		if (len > 0) {
			cl_link_uart_send(&uart, uart_buffer,
					  cl_service_handle(&board_service, &link, uart_buffer, len,
							    uart_buffer, RECORD_MAX));
		}
	}
}

static void refresh(struct cl_link *link)
{
	link->pauses++;
}

/** Passes the frames in the input to the UDP link. Two bytes before each frame state its length. */
static void over_ethernet(const uint8_t *data, size_t size)
{
	static struct cl_wire_network_reply network;
	static uint8_t memory[FRAME_ROOM] __attribute__((aligned(4)));
	struct cl_link link = {
		.max_data = CL_LINK_UDP_MAX_DATA, .network = &network, .refresh = refresh};
	struct cl_link_udp udp = {.link = &link,
				  .mac = {2, 0x43, 0x4c, 0x4e, 0x45, 1},
				  .address = {192, 168, 1, 50},
				  .port = CL_WIRE_UDP_PORT};
	uint8_t *const frame = memory + 2;

	while (size >= 2) {
		size_t len = (data[0] | (size_t)data[1] << 8) % (CL_LINK_UDP_FRAME_MAX + 1);

		data += 2;
		size -= 2;
		len = len < size ? len : size;
		/*
		 * The receive buffer `slot` is only one byte larger than the frame, so that the
		 * sanitizer notices reads beyond the buffer.
		 */
		uint8_t *const slot = malloc(len + 1);

		memcpy(slot, data, len);
		data += len;
		size -= len;
		const uint32_t sum = cl_copy_sum(frame, slot, len);

		const enum cl_link_udp_kind kind =
			cl_link_udp_receive(&udp, frame, slot, &len, sum);

		free(slot);

		if (kind == CL_LINK_UDP_RECORD) {
			uint8_t *const record = frame + CL_LINK_UDP_HEADERS;

			len = cl_service_handle(&board_service, &link, record, len, record,
						RECORD_MAX);
			len = len == 0 ? 0 : cl_link_udp_answer(&udp, frame, len);
		}
		if (kind != CL_LINK_UDP_NOTHING && len > 0) {
			EXPECT(len <= CL_LINK_UDP_FRAME_MAX);
			EXPECT((frame[0] & 1) == 0);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0) {
		return 0;
	}
	board_start();
	if ((data[0] & 1) != 0) {
		over_uart(data + 1, size - 1);
	} else {
		over_ethernet(data + 1, size - 1);
	}
	return 0;
}
