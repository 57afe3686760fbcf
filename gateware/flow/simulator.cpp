/*
 * What LiteX's simulator asks of the model (its veril.h), of a model without tracing.
 */
#include <stdint.h>

#include "Vsim.h"
#include "verilated.h"

extern "C" void litex_sim_init_cmdargs(int argc, char *argv[])
{
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
	return Verilated::gotFinish();
}
