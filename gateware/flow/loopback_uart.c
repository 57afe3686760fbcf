/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module of LiteX's simulator. It offers the simulated board's UART as a TCP server, which only
 * programs on this machine can reach.
 *
 * The server listens on 127.0.0.1, at the TCP port in the argument `port`. It serves one client at
 * a time: a further client waits until this client has left. While there is no client, the bytes
 * that the board sends are lost, as on a wire. If a client sends faster than the board receives,
 * TCP slows the client down. If a client does not read what the board sends, the server closes the
 * connection. The server also closes the connection of a client that begins with anything but a
 * zero byte (the end of a frame) or a break. This rejects browsers: a web page can make a browser
 * connect, but the browser begins with an HTTP request.
 *
 * The host tool sets the argument `port` to 0, so that the system chooses a TCP port. The argument
 * `tether` is the number of a socket that is connected to the host tool. The host tool starts the
 * simulator in a folder that it made for this run. After the simulator has read its files, this
 * module deletes the folder with the files, and sends the number of the TCP port and a newline to
 * the tether. The simulator ends when the host tool closes its end of the tether or is killed.
 *
 * The pads are LiteX's stream `serial`: source_data carries bytes from the board, sink_data carries
 * bytes to the board. Each of the two has pads valid and ready. One byte moves at each rising edge
 * of sys_clk at which both valid and ready are 1.
 *
 * A byte that the client sends as urgent data stands for a break, in its position among the other
 * bytes. On a board that detects breaks, the pad `uart_break` is 1 for as long as the line would be
 * low. Other boards ignore the break, as a UART does.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <sys/socket.h>

#include <event2/event.h>
#include <event2/listener.h>
#include <json-c/json.h>

#include "error.h"
#include "modules.h"

#define TO_BOARD     2048    /* size in bytes of the buffer from the client to the board */
#define TO_CLIENT    65536   /* size in bytes of the buffer from the board to the client */
#define BREAK_CYCLES 250000u /* length of a break in clock cycles: over 1 ms on each board */

struct uart {
	char *source_data, *source_valid, *source_ready;
	char *sink_data, *sink_valid, *sink_ready;
	char *uart_break; /* NULL if the board does not detect breaks */
	uint32_t break_left;
	char *sys_clk;
	clk_edge_state_t edge;
	struct evconnlistener *listener;
	struct event *readable, *writable;
	int client; /* -1: none */
	bool reading, writing, greeted;
	char to_board[TO_BOARD], to_client[TO_CLIENT];
	size_t to_board_start, to_board_end, to_client_size;
};

static struct event_base *base;
static int tether = -1; /* socket to the host tool, on which `port` is sent; -1: no host tool */
static int port;        /* the TCP port on which the UART listens */

static void hang_up(struct uart *uart)
{
	event_free(uart->readable);
	event_free(uart->writable);
	close(uart->client);
	uart->client = -1;
	uart->to_client_size = 0;
	evconnlistener_enable(uart->listener);
}

/* Sends bytes to the client. Bytes that the socket does not accept stay in the buffer for later. */
static void flush(struct uart *uart)
{
	ssize_t sent = send(uart->client, uart->to_client, uart->to_client_size, MSG_NOSIGNAL);

	if (sent < 0 && errno != EAGAIN && errno != EINTR) {
		hang_up(uart);
		return;
	}
	if (sent > 0) {
		uart->to_client_size -= (size_t)sent;
		memmove(uart->to_client, uart->to_client + sent, uart->to_client_size);
	}
	uart->writing = uart->to_client_size > 0;
	if (uart->writing) {
		event_add(uart->writable, NULL);
	}
}

static void on_writable(evutil_socket_t fd, short what, void *argument)
{
	(void)fd;
	(void)what;
	flush(argument);
}

/*
 * Reads bytes from the client into `to_board`. libevent calls this function only while this buffer
 * is empty.
 */
static void on_readable(evutil_socket_t fd, short what, void *argument)
{
	struct uart *uart = argument;
	const bool urgent = sockatmark(fd) == 1;
	/* Reads an urgent byte by itself. Otherwise, recv() stops before the next urgent byte. */
	ssize_t count = recv(fd, uart->to_board, urgent ? 1 : TO_BOARD, 0);

	(void)what;
	if (count > 0 && urgent) {
		uart->greeted = true;
		uart->break_left = BREAK_CYCLES;
		event_add(uart->readable, NULL);
	} else if (count > 0 && !uart->greeted && uart->to_board[0] != 0) {
		fprintf(stderr, "[loopback_uart] hung up on a client that began with byte 0x%02x\n",
			(unsigned char)uart->to_board[0]);
		hang_up(uart);
	} else if (count > 0) {
		uart->greeted = true;
		uart->to_board_start = 0;
		uart->to_board_end = (size_t)count;
		uart->reading = false;
	} else if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
		event_add(uart->readable, NULL);
	} else {
		hang_up(uart);
	}
}

static void on_client(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *address,
		      int size, void *argument)
{
	struct uart *uart = argument;

	(void)address;
	(void)size;
	setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &(int){1}, sizeof(int));
	uart->client = fd;
	uart->readable = event_new(base, fd, EV_READ, on_readable, uart);
	uart->writable = event_new(base, fd, EV_WRITE, on_writable, uart);
	uart->reading = uart->writing = uart->greeted = false;
	evconnlistener_disable(listener);
}

static int start(void *event_base)
{
	base = event_base;
	return RC_OK;
}

static int number(struct json_object *arguments, const char *name)
{
	struct json_object *value = NULL;

	return json_object_object_get_ex(arguments, name, &value) ? json_object_get_int(value) : -1;
}

/* Ends the simulator when the host tool has ended. Called between two steps of the simulation. */
static void on_tether(evutil_socket_t fd, short what, void *argument)
{
	(void)fd;
	(void)what;
	(void)argument;
	raise(SIGTERM);
}

static int new_session(void **session, char *arguments)
{
	struct sockaddr_in here = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(here);
	struct json_object *parsed = json_tokener_parse(arguments);
	struct uart *uart = calloc(1, sizeof(*uart));

	port = number(parsed, "port");
	tether = number(parsed, "tether");
	json_object_put(parsed);
	if (!uart || port < 0) {
		fprintf(stderr, "[loopback_uart] no port\n");
		return RC_ERROR;
	}
	here.sin_port = htons((uint16_t)port);
	uart->client = -1;
	uart->listener = evconnlistener_new_bind(base, on_client, uart,
						 LEV_OPT_CLOSE_ON_FREE | LEV_OPT_REUSEABLE, 1,
						 (struct sockaddr *)&here, sizeof(here));
	if (!uart->listener || getsockname(evconnlistener_get_fd(uart->listener),
					   (struct sockaddr *)&here, &size) < 0) {
		fprintf(stderr, "[loopback_uart] port %d: %s\n", port, strerror(errno));
		return RC_ERROR;
	}
	port = ntohs(here.sin_port);
	if (tether >= 0) {
		event_add(event_new(base, tether, EV_READ | EV_PERSIST, on_tether, NULL), NULL);
	}
	*session = uart;
	return RC_OK;
}

/* Deletes the links and files (but no subfolders) in the working folder, then the folder itself. */
static void delete_folder(void)
{
	char folder[PATH_MAX];
	DIR *entries = opendir(".");

	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		unlink(entry->d_name);
	}
	if (entries) {
		closedir(entries);
	}
	if (!getcwd(folder, sizeof(folder)) || rmdir(folder) < 0) {
		fprintf(stderr, "[loopback_uart] its folder: %s\n", strerror(errno));
	}
}

/*
 * Deletes the working folder, and sends the port's number to the host tool. Called after the first
 * evaluation of the model, when the simulator has read all files.
 */
static void tell_port(void)
{
	char text[16];
	const int size = snprintf(text, sizeof(text), "%d\n", port);

	delete_folder();
	send(tether, text, (size_t)size, MSG_NOSIGNAL);
	tether = -1;
}

static void *pad(const struct pad_list_s *list, const char *name)
{
	for (const struct pad_s *entry = list->pads; entry->name; entry++) {
		if (!strcmp(entry->name, name)) {
			return entry->signal;
		}
	}
	return NULL;
}

static int add_pads(void *session, struct pad_list_s *list)
{
	struct uart *uart = session;

	if (!strcmp(list->name, "serial")) {
		uart->source_data = pad(list, "source_data");
		uart->source_valid = pad(list, "source_valid");
		uart->source_ready = pad(list, "source_ready");
		uart->sink_data = pad(list, "sink_data");
		uart->sink_valid = pad(list, "sink_valid");
		uart->sink_ready = pad(list, "sink_ready");
	} else if (!strcmp(list->name, "uart_break")) {
		uart->uart_break = pad(list, "uart_break");
	} else if (!strcmp(list->name, "sys_clk")) {
		uart->sys_clk = pad(list, "sys_clk");
	}
	return RC_OK;
}

static int tick(void *session, uint64_t time_ps)
{
	struct uart *uart = session;

	(void)time_ps;
	if (!clk_pos_edge(&uart->edge, *uart->sys_clk)) {
		return RC_OK;
	}
	if (tether >= 0) {
		tell_port();
	}
	if (uart->uart_break) {
		*uart->uart_break = uart->break_left > 0;
		uart->break_left -= uart->break_left > 0;
	}
	*uart->source_ready = 1;
	if (*uart->source_valid && uart->client >= 0) {
		if (uart->to_client_size == TO_CLIENT) {
			hang_up(uart);
		} else {
			uart->to_client[uart->to_client_size++] = *uart->source_data;
			if (!uart->writing) {
				flush(uart);
			}
		}
	}
	*uart->sink_valid = uart->to_board_start < uart->to_board_end;
	if (*uart->sink_valid) {
		*uart->sink_data = uart->to_board[uart->to_board_start];
		uart->to_board_start += *uart->sink_ready != 0;
	} else if (uart->client >= 0 && !uart->reading) {
		uart->reading = true;
		event_add(uart->readable, NULL);
	}
	return RC_OK;
}

static struct ext_module_s module = {"loopback_uart", start, new_session, add_pads, NULL, tick};

int litex_sim_ext_module_init(int (*register_module)(struct ext_module_s *))
{
	return register_module(&module);
}
