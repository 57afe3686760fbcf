/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * State of the SoC that Zephyr saves in the stack frame of each interrupt: see src/contexts.c.
 */
#ifndef SOC_CONTEXT_H
#define SOC_CONTEXT_H

/*
 * The lease (contexts.h) of the interrupted operation on the vector AES unit. NULL if the interrupt
 * came while the thread was not in such an operation.
 */
#define SOC_ESF_MEMBERS struct cl_lease *lease

#define SOC_ESF_INIT 0

#endif
