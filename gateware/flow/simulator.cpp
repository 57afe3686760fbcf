/*
 * What LiteX's simulator asks of the model (its veril.h), of a model without tracing. SIGTERM ends it between two steps,
 * so that a profile is written whole.
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

extern "C" void litex_sim_init_cmdargs(int argc, char *argv[])
{
	std::signal(SIGTERM, end);
	Verilated::commandArgs(argc, argv);
}

extern "C" void litex_sim_init_tracer(void *, long, long)
{
}

extern "C" void litex_sim_eval(void *model, uint64_t)
{
	static_cast<Vsim *>(model)->eval();
}

extern "C" int litex_sim_got_finish()
{
	return ended || Verilated::gotFinish();
}
