/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connects the board by TLS over Ethernet to a computer that runs OpenSSL. The board is a server
 * that sends all received data back. If CONFIG_SAMPLE_SERVER contains an address, the board is a
 * client of the server at this address. The board and the computer share a key. The vector AES unit
 * encrypts and authenticates the data.
 */
#include <errno.h>
#include <string.h>

#include <mbedtls/memory_buffer_alloc.h>
#include <zephyr/kernel.h>
#include <zephyr/net/net_if.h>
#include <zephyr/net/socket.h>
#include <zephyr/net/tls_credentials.h>
#include <zephyr/sys/printk.h>

#include <cipherlane/soc.h>

#define TAG        1
#define DATA_BYTES 2048
#define HEAP_BYTES 49152
#define LINES      3
#define CALLS      100
#define PAUSE      K_MSEC(20)

/** This key is public. Replace it with a random key of your own. */
static const uint8_t psk[] = "a sample's key..";
static const char identity[] = "sample";

static uint8_t data[DATA_BYTES];
static uint8_t heap[HEAP_BYTES] CL_SOC_IN_BUFFER;

/** Sets the board's IP address, and registers the shared key with Zephyr. Returns 0 or -errno. */
static int set_up(void)
{
	struct in_addr own;

	mbedtls_memory_buffer_alloc_init(heap, sizeof(heap));
	if (zsock_inet_pton(AF_INET, CONFIG_SAMPLE_ADDRESS, &own) != 1 ||
	    net_if_ipv4_addr_add(net_if_get_default(), &own, NET_ADDR_MANUAL, 0) == NULL) {
		return -EINVAL;
	}
	const int status = tls_credential_add(TAG, TLS_CREDENTIAL_PSK, psk, sizeof(psk) - 1);

	return status != 0 ? status
			   : tls_credential_add(TAG, TLS_CREDENTIAL_PSK_ID, identity,
						sizeof(identity) - 1);
}

/** Opens a TLS socket that uses the shared key. Returns its file descriptor, or -errno. */
static int secure_socket(void)
{
	static const sec_tag_t tags[] = {TAG};
	const int fd = zsock_socket(AF_INET, SOCK_STREAM, IPPROTO_TLS_1_2);

	if (fd >= 0 && zsock_setsockopt(fd, SOL_TLS, TLS_SEC_TAG_LIST, tags, sizeof(tags)) != 0) {
		const int status = -errno;

		(void)zsock_close(fd);
		return status;
	}
	return fd >= 0 ? fd : -errno;
}

static int send_all(int fd, size_t len)
{
	for (size_t done = 0; done < len;) {
		const ssize_t sent = zsock_send(fd, data + done, len - done, 0);

		if (sent < 0) {
			return -errno;
		}
		done += (size_t)sent;
	}
	return 0;
}

/** Sends back what a client sends, until the client ends the connection. */
static void echo(int connection)
{
	unsigned int total = 0;
	int status = 0;

	while (status == 0) {
		const ssize_t len = zsock_recv(connection, data, sizeof(data), 0);

		if (len <= 0) {
			status = len == 0 ? 0 : -errno;
			break;
		}
		status = send_all(connection, (size_t)len);
		total += (unsigned int)len;
	}
	printk("%u bytes sent back, status %d\n", total, status);
}

/** Serves one client after the other. Returns only after an error. */
static int serve(void)
{
	const struct sockaddr_in own = {.sin_family = AF_INET,
					.sin_port = htons(CONFIG_SAMPLE_PORT)};
	const int fd = secure_socket();

	if (fd < 0) {
		return fd;
	}
	if (zsock_bind(fd, (const struct sockaddr *)&own, sizeof(own)) != 0 ||
	    zsock_listen(fd, 1) != 0) {
		return -errno;
	}
	printk("TLS server at %s, port %u\n", CONFIG_SAMPLE_ADDRESS, CONFIG_SAMPLE_PORT);
	for (;;) {
		const int connection = zsock_accept(fd, NULL, NULL);

		if (connection < 0) {
			printk("no handshake, status %d\n", -errno);
		} else {
			echo(connection);
			(void)zsock_close(connection);
		}
	}
}

/** Sends lines to a server, and prints the server's answers. Returns 0 or -errno. */
static int call(void)
{
	struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons(CONFIG_SAMPLE_PORT)};
	const int fd = secure_socket();
	int status = fd < 0 ? fd : 0;

	if (status == 0 && zsock_inet_pton(AF_INET, CONFIG_SAMPLE_SERVER, &server.sin_addr) != 1) {
		status = -EINVAL;
	}
	if (status == 0 &&
	    zsock_connect(fd, (const struct sockaddr *)&server, sizeof(server)) != 0) {
		status = -errno;
	}
	for (unsigned int n = 0; n < LINES && status == 0; n++) {
		static const char line[] = "the board calls\n";

		memcpy(data, line, sizeof(line) - 1);
		status = send_all(fd, sizeof(line) - 1);
		if (status == 0) {
			const ssize_t len = zsock_recv(fd, data, sizeof(data), 0);

			status = len > 0 ? 0 : len == 0 ? -EPIPE : -errno;
			printk("the server answers: %.*s", len > 0 ? (int)len : 0, data);
		}
	}
	if (fd >= 0) {
		(void)zsock_close(fd);
	}
	return status;
}

/**
 * Calls call() until the server accepts the connection, at most CALLS times. Returns 0 or -errno.
 */
static int call_until_heard(void)
{
	int status = -ECONNREFUSED;

	for (unsigned int n = 0; n < CALLS && status == -ECONNREFUSED; n++) {
		k_sleep(PAUSE);
		status = call();
	}
	return status;
}

int main(void)
{
	int status = set_up();

	if (status == 0) {
		status = sizeof(CONFIG_SAMPLE_SERVER) > 1 ? call_until_heard() : serve();
	}
	printk("ended with status %d\n", status);
	return 0;
}
