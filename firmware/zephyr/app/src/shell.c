/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shell commands on the console. They run self-tests and benchmarks and show counters, without a
 * host.
 */
#include <stdlib.h>
#include <string.h>

#include <zephyr/kernel.h>
#include <zephyr/shell/shell.h>

#include <cipherlane/contexts.h>

#include "app.h"
#include "service/bench.h"
#include "datagrams.h"
#include "gcm/gcm.h"
#include "records.h"
#include "service/selftest.h"

#define KILO 1000u

static int selftest(const struct shell *sh, size_t argc, char **argv)
{
	uint32_t tests = 0;
	uint32_t failed = 0;

	ARG_UNUSED(argc);
	ARG_UNUSED(argv);
	for (size_t i = 0; i < app_platform.engine_count; i++) {
		const struct cl_engine *const engine = app_platform.engines[i];
		const unsigned int modes = cl_gcm_has(engine) ? 2 : 1;

		for (unsigned int mode = 0; mode < modes; mode++) {
			struct cl_wire_selftest_reply result;

			cl_selftest_run(&app_platform, engine, mode == CL_WIRE_MODE_GCM, &result);
			tests += result.tests;
			failed += result.failed;
			if (result.failed != 0) {
				shell_error(sh, "failed: %s", engine->name);
			}
		}
	}
	shell_print(sh, "%u known-answer tests, %u failed", tests, failed);
	return failed == 0 ? 0 : -EIO;
}

/** Returns the engine with this name, or NULL. */
static const struct cl_engine *find(const char *name)
{
	for (size_t i = 0; i < app_platform.engine_count; i++) {
		if (strcmp(app_platform.engines[i]->name, name) == 0) {
			return app_platform.engines[i];
		}
	}
	return NULL;
}

static int bench_one(const struct shell *sh, const struct cl_engine *engine, uint16_t key_bits)
{
	/*
	 * Engines in plain C are about a hundred times slower than the hardware. So the benchmark
	 * gives these engines only a sixteenth of the data.
	 */
	const bool in_c =
		engine->code == CL_WIRE_ENGINE_BYTE || engine->code == CL_WIRE_ENGINE_TABLE;
	const uint32_t bytes = in_c ? app_platform.bench_bytes / 16 : app_platform.bench_bytes;
	const struct cl_wire_bench_request request = {
		.engine = engine->code,
		.key_bits = key_bits,
		.record_bytes = bytes,
		.total_bytes = bytes,
	};
	struct cl_wire_bench_reply result;

	(void)app_lock();
	const int status = cl_bench_run(&app_platform, engine, &request, &result);

	app_unlock();
	if (status != 0) {
		shell_error(sh, "%s: status %d", engine->name, status);
		return status;
	}
	const uint32_t cycles = (uint32_t)result.cycles;
	const uint32_t tenths = (uint32_t)(10 * result.cycles / result.blocks);
	const uint32_t kbps =
		(uint32_t)(8 * result.bytes * (app_platform.clock_hz / KILO) / result.cycles);

	shell_print(sh, "%s: AES-%u, %u bytes, %u cycles, %u.%u cycles/block, %u.%u Mbps",
		    engine->name, key_bits, (uint32_t)result.bytes, cycles, tenths / 10,
		    tenths % 10, kbps / KILO, kbps % KILO / 100);
	return 0;
}

static int bench(const struct shell *sh, size_t argc, char **argv)
{
	const unsigned long key_bits = argc > 2 ? strtoul(argv[2], NULL, 10) : 128;
	const struct cl_engine *const only = argc > 1 ? find(argv[1]) : NULL;

	if (argc > 1 && only == NULL) {
		shell_error(sh, "no engine %s", argv[1]);
		return -EINVAL;
	}
	if (key_bits != 128 && key_bits != 192 && key_bits != 256) {
		shell_error(sh, "a key has 128, 192 or 256 bits");
		return -EINVAL;
	}
	for (size_t i = 0; i < app_platform.engine_count; i++) {
		const struct cl_engine *const engine = app_platform.engines[i];

		if (only == NULL || engine == only) {
			const int status = bench_one(sh, engine, (uint16_t)key_bits);

			if (status != 0) {
				return status;
			}
		}
	}
	return 0;
}

static void show(const struct shell *sh, const char *link,
		 const struct cl_wire_counters_reply *seen)
{
	shell_print(sh, "%s: %u records, %u rejected, %u damaged; %u sessions opened", link,
		    seen->received, seen->rejected,
		    seen->framing_errors + seen->crc_errors + seen->length_errors,
		    seen->sessions_opened);
}

static int stat(const struct shell *sh, size_t argc, char **argv)
{
	struct cl_contexts_counters contexts;

	ARG_UNUSED(argc);
	ARG_UNUSED(argv);
	cl_contexts_count(&contexts);
	const struct cl_service *const service = app_lock();

	show(sh, "UART", &records_link()->counters);
#ifdef CONFIG_NETWORKING
	show(sh, "UDP", &datagrams_link()->counters);
#endif
	for (unsigned int i = 0; i < CL_SESSIONS; i++) {
		const struct cl_session *const session = &service->sessions.session[i];

		if (session->engine != NULL) {
			shell_print(sh, "session %u: %s, AES-%u, %u records, %u KB", session->id,
				    session->engine->name, session->key.key_bits,
				    session->stat.records, (uint32_t)(session->stat.bytes / KILO));
		}
	}
	app_unlock();
	shell_print(sh,
		    "contexts: %u operations, preempted %u times, all in use %u times, %u aborted",
		    contexts.operations, contexts.preempted, contexts.full, contexts.lost);
	shell_print(sh, "vector loads and stores: out of reach of the data %u times",
		    contexts.falls);
	return 0;
}

SHELL_STATIC_SUBCMD_SET_CREATE(
	commands,
	SHELL_CMD_ARG(selftest, NULL, "Known-answer tests on every engine", selftest, 1, 0),
	SHELL_CMD_ARG(bench, NULL, "Speed from memory to memory: [engine [key bits]]", bench, 1, 2),
	SHELL_CMD_ARG(stat, NULL, "Records, open sessions, hardware contexts", stat, 1, 0),
	SHELL_SUBCMD_SET_END);

SHELL_CMD_REGISTER(aes, &commands, "The AES engines", NULL);
