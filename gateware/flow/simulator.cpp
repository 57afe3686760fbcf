// SPDX-License-Identifier: BSD-2-Clause
/*
 * The functions that LiteX's simulator calls in the model (its veril.h). SIGTERM ends the
 * simulation between two steps, so that the profile, or the waveform file of a model compiled with
 * tracing, is written completely.
 */
#include <csignal>
#include <cstdint>

#include "Vsim.h"
#include "verilated.h"

static volatile std::sig_atomic_t ended;

static void end(int)
{
	ended = 1;
}

#if VM_TRACE
#include <climits>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include "verilated_fst_c.h"

static VerilatedFstC *waves;
/*
 * Cycles of the system clock: the present one, the first traced one, and the one after the last
 * traced one.
 */
static uint64_t cycle, first, behind = UINT64_MAX;
static bool was_high;

/* Reads the traced cycles from the environment: CIPHERLANE_TRACE=FIRST:BEHIND. */
static void read_limits()
{
	const char *text = std::getenv("CIPHERLANE_TRACE");
	int used = 0;

	if (text != nullptr &&
	    (std::sscanf(text, "%" SCNu64 ":%" SCNu64 "%n", &first, &behind, &used) != 2 || text[used] != 0 ||
	     first >= behind)) {
		std::fprintf(stderr, "error: CIPHERLANE_TRACE=%s: give two cycles, as 1000:2000\n", text);
		std::exit(2);
	}
}

/*
 * Path of `trace.fst` in the board's folder; the program is gateware/obj_dir/Vsim in that folder.
 */
static std::string file()
{
	char path[PATH_MAX];
	const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
	std::string folder(path, size > 0 ? size : 0);

	for (int i = 0; i < 3; i++) {
		folder.resize(folder.find_last_of('/'));
	}
	return folder + "/trace.fst";
}

static void close_waves()
{
	if (waves != nullptr) {
		waves->close();
		waves = nullptr;
	}
}

static void dump(Vsim *model, uint64_t time)
{
	cycle += model->sys_clk && !was_high;
	was_high = model->sys_clk;
	if (cycle >= behind) {
		close_waves();
	} else if (cycle >= first) {
		waves->dump(time);
	}
}
#endif

extern "C" void litex_sim_init_cmdargs(int argc, char *argv[])
{
	std::signal(SIGTERM, end);
	Verilated::commandArgs(argc, argv);
}

extern "C" void litex_sim_init_tracer(void *model, long, long)
{
#if VM_TRACE
	read_limits();
	Verilated::traceEverOn(true);
	waves = new VerilatedFstC;
	static_cast<Vsim *>(model)->trace(waves, 99);
	waves->open(file().c_str());
#else
	(void)model;
#endif
}

extern "C" void litex_sim_eval(void *model, uint64_t time)
{
	static_cast<Vsim *>(model)->eval();
#if VM_TRACE
	dump(static_cast<Vsim *>(model), time);
#else
	(void)time;
#endif
}

extern "C" int litex_sim_got_finish()
{
	const bool finished = ended || Verilated::gotFinish();

#if VM_TRACE
	if (finished) {
		close_waves();
	}
#endif
	return finished;
}
