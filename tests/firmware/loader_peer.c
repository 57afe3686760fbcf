/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Runs the loader's record handling on the host. test_loader.py builds this program with
 * sanitizers. The modelled code memory is allocated with exactly its nominal size, so the
 * sanitizers notice accesses beyond it. Commands and replies have the format of core_peer.c.
 *
 * Command S: start a loader as after a reset. Arguments: size of the code memory (u32), cause of
 * the reset (u8), 1 if the loader is about to start the firmware (u8). Reply: empty. Command M: set
 * the content of the code memory. Arguments: content. Reply: empty. Command R: handle a record.
 * Arguments: record. Reply: 1 if the caller must start the image (u8), reply to the record. Command
 * G: read the code memory. Reply: number of cache flushes (u32), content.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader.h"

#define ORIGIN 0x20000000u

static unsigned int flushes;

static void flush(void)
{
	flushes++;
}

static void answer(const void *head, uint32_t head_len, const void *data, uint32_t len)
{
	const uint32_t size = head_len + len;

	fwrite(&size, 4, 1, stdout);
	fwrite(head, 1, head_len, stdout);
	fwrite(data, 1, len, stdout);
	fflush(stdout);
}

static void handle(struct loader *loader, const uint8_t *record, uint32_t len)
{
	uint8_t *const buffer = malloc(LOADER_RECORD_MAX);
	bool start = true;

	if (len > LOADER_RECORD_MAX) {
		exit(3);
	}
	memcpy(buffer, record, len);
	const size_t size = loader_handle(loader, buffer, len, buffer, &start);
	const uint8_t starts = start;

	answer(&starts, 1, buffer, (uint32_t)size);
	free(buffer);
}

int main(void)
{
	static const uint8_t build_id[16] = "gatewareLOADER\1";
	struct loader loader = {0};
	uint32_t size;

	while (fread(&size, 4, 1, stdin) == 1) {
		uint8_t *const message = malloc(size);

		if (fread(message, 1, size, stdin) != size) {
			return 2;
		}
		const uint8_t *const given = message + 1;

		switch (message[0]) {
		case 'S':
			free(loader.memory);
			loader = (struct loader){
				.size = cl_load_u32(given),
				.origin = ORIGIN,
				.flush = flush,
				.kind = CL_WIRE_KIND_SIM,
				.cause = given[4],
				.board = "a_name_of_sixteen_and_more",
				.build_id = build_id,
				.passing = given[5] != 0,
			};
			loader.memory = calloc(1, loader.size);
			answer("", 0, "", 0);
			break;
		case 'M':
			memcpy(loader.memory, given, size - 1);
			answer("", 0, "", 0);
			break;
		case 'R':
			handle(&loader, given, size - 1);
			break;
		case 'G':
			answer(&flushes, 4, loader.memory, (uint32_t)loader.size);
			break;
		default:
			return 4;
		}
		free(message);
	}
	free(loader.memory);
	return 0;
}
