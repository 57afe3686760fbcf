/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The state of the SoC that the architecture saves in each interrupt's stack frame: see
 * src/contexts.c.
 */
#ifndef SOC_CONTEXT_H
#define SOC_CONTEXT_H

/*
 * The lease of the interrupted thread's operation on the vector AES unit; NULL if there is no such
 * operation.
 */
#define SOC_ESF_MEMBERS struct cl_lease *lease

#define SOC_ESF_INIT 0

#endif
