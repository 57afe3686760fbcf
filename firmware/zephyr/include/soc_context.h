/**
 * @file
 * What the architecture keeps of the SoC's state in each interrupt's stack frame: see
 * src/contexts.c.
 */
#ifndef SOC_CONTEXT_H
#define SOC_CONTEXT_H

/* The operation on the vector AES unit that the interrupted thread is in, or NULL. */
#define SOC_ESF_MEMBERS struct cl_lease *lease

#define SOC_ESF_INIT 0

#endif
