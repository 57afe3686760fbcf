/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs TLS 1.2 with records of 16 KB between a client and a server of mbedTLS in one program. The
 * buffers of client and server do not fit on chip. So the program's heap, and the data that client
 * and server send to each other, are in SDRAM.
 */
#include <errno.h>
#include <string.h>

#include <zephyr/device.h>
#include <zephyr/drivers/entropy.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>
#include <zephyr/sys/ring_buffer.h>

#include <cipherlane/sdram.h>
#include <cipherlane/soc.h>

#include <mbedtls/memory_buffer_alloc.h>
#include <mbedtls/ssl.h>

#define HEAP_BYTES (256 * 1024)
#define WAY_BYTES  32768
#define DATA_BYTES 16384
#define TURNS_MAX  200

static const uint8_t psk[16] = "a sample's key..";
static const uint8_t identity[] = "sample";
static const int suites[] = {MBEDTLS_TLS_PSK_WITH_AES_128_GCM_SHA256, 0};

static uint8_t way_bytes[2][WAY_BYTES] CL_SDRAM_DATA;
static uint8_t sent[DATA_BYTES] CL_SDRAM_DATA;
static uint8_t received[DATA_BYTES] CL_SDRAM_DATA;

struct end {
	struct ring_buf *out;
	struct ring_buf *in;
	mbedtls_ssl_config config;
	mbedtls_ssl_context ssl;
};

static int put(void *context, const unsigned char *data, size_t len)
{
	struct end *const end = context;
	const uint32_t taken = ring_buf_put(end->out, data, len);

	return taken == 0 ? MBEDTLS_ERR_SSL_WANT_WRITE : (int)taken;
}

static int get(void *context, unsigned char *data, size_t len)
{
	struct end *const end = context;
	const uint32_t given = ring_buf_get(end->in, data, len);

	return given == 0 ? MBEDTLS_ERR_SSL_WANT_READ : (int)given;
}

static int draw(void *context, unsigned char *bytes, size_t len)
{
	const struct device *const source = DEVICE_DT_GET(DT_CHOSEN(zephyr_entropy));

	ARG_UNUSED(context);
	return len > UINT16_MAX ? -EINVAL : entropy_get_entropy(source, bytes, (uint16_t)len);
}

static int open(struct end *end, int side)
{
	mbedtls_ssl_config_init(&end->config);
	mbedtls_ssl_init(&end->ssl);
	int status = mbedtls_ssl_config_defaults(&end->config, side, MBEDTLS_SSL_TRANSPORT_STREAM,
						 MBEDTLS_SSL_PRESET_DEFAULT);

	if (status == 0) {
		status = mbedtls_ssl_conf_psk(&end->config, psk, sizeof(psk), identity,
					      sizeof(identity) - 1);
	}
	mbedtls_ssl_conf_rng(&end->config, draw, NULL);
	mbedtls_ssl_conf_ciphersuites(&end->config, suites);
	if (status == 0) {
		status = mbedtls_ssl_setup(&end->ssl, &end->config);
	}
	mbedtls_ssl_set_bio(&end->ssl, end, put, get, NULL);
	return status;
}

static bool waits(int status)
{
	return status == MBEDTLS_ERR_SSL_WANT_READ || status == MBEDTLS_ERR_SSL_WANT_WRITE;
}

/**
 * Calls the handshake functions of client and server in turn, until both have finished the
 * handshake.
 */
static int handshake(struct end *client, struct end *server)
{
	for (unsigned int turn = 0; turn < TURNS_MAX; turn++) {
		const int one = mbedtls_ssl_handshake(&client->ssl);
		const int other = mbedtls_ssl_handshake(&server->ssl);

		if (one == 0 && other == 0) {
			return 0;
		}
		if ((one != 0 && !waits(one)) || (other != 0 && !waits(other))) {
			return one != 0 && !waits(one) ? one : other;
		}
	}
	return -ETIMEDOUT;
}

/**
 * Sends @p data from one end of the connection to the other end. The receiving end stores the data
 * in `received`.
 */
static int carry(struct end *from, struct end *to, const uint8_t *data)
{
	size_t got = 0;

	for (size_t done = 0; done < DATA_BYTES;) {
		const int part = mbedtls_ssl_write(&from->ssl, data + done, DATA_BYTES - done);

		if (part < 0) {
			return part;
		}
		done += (size_t)part;
	}
	for (unsigned int turn = 0; got < DATA_BYTES && turn < TURNS_MAX; turn++) {
		const int part = mbedtls_ssl_read(&to->ssl, received + got, DATA_BYTES - got);

		if (part <= 0) {
			return part == 0 ? -EPIPE : part;
		}
		got += (size_t)part;
	}
	return got == DATA_BYTES ? 0 : -ETIMEDOUT;
}

/**
 * Opens a connection, sends data from the client to the server, and sends the data back.
 *
 * @param opened set to the cycle counter after the handshake
 */
static int talk(struct end *client, struct end *server, uint32_t *opened)
{
	int status = open(client, MBEDTLS_SSL_IS_CLIENT);

	if (status == 0) {
		status = open(server, MBEDTLS_SSL_IS_SERVER);
	}
	if (status == 0) {
		status = handshake(client, server);
	}
	if (status == 0) {
		printk("%s, heap at %p\n", mbedtls_ssl_get_ciphersuite(&client->ssl),
		       (void *)client->ssl.MBEDTLS_PRIVATE(in_buf));
		*opened = cl_soc_cycles(NULL);
		status = carry(client, server, sent);
	}
	if (status == 0) {
		uint8_t *const echo = k_heap_alloc(cl_sdram_heap(), DATA_BYTES, K_NO_WAIT);

		if (echo == NULL) {
			return -ENOMEM;
		}
		memcpy(echo, received, DATA_BYTES);
		memset(received, 0, DATA_BYTES);
		status = carry(server, client, echo);
		k_heap_free(cl_sdram_heap(), echo);
	}
	return status == 0 && memcmp(sent, received, DATA_BYTES) != 0 ? -EIO : status;
}

int main(void)
{
	static struct ring_buf ways[2];
	static struct end client = {.out = &ways[0], .in = &ways[1]};
	static struct end server = {.out = &ways[1], .in = &ways[0]};
	uint8_t *const heap = cl_sdram_heap() == NULL
				      ? NULL
				      : k_heap_alloc(cl_sdram_heap(), HEAP_BYTES, K_NO_WAIT);

	if (heap == NULL) {
		printk("no heap: status %d of the SDRAM\n", cl_sdram_status());
		return 0;
	}
	mbedtls_memory_buffer_alloc_init(heap, HEAP_BYTES);
	for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++) {
		ring_buf_init(&ways[i], WAY_BYTES, way_bytes[i]);
	}
	for (unsigned int i = 0; i < DATA_BYTES; i++) {
		sent[i] = (uint8_t)(i * 7 + (i >> 8));
	}
	uint32_t opened = 0;
	const uint32_t start = cl_soc_cycles(NULL);
	const int status = talk(&client, &server, &opened);
	const uint32_t end = cl_soc_cycles(NULL);

	if (status != 0) {
		printk("failed: -0x%x\n", (unsigned int)-status);
		return 0;
	}
	printk("%u bytes there and back, %u cycles, and %u cycles for the handshake\n", DATA_BYTES,
	       end - opened, opened - start);
	return 0;
}
