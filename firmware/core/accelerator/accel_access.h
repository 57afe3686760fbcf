/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Functions that the source files of the accelerator's driver share; users of the driver do not
 * call them. The functions access registers, queue a descriptor, and wait until the accelerator has
 * finished a descriptor.
 */
#ifndef CL_ACCEL_ACCESS_H
#define CL_ACCEL_ACCESS_H

#include "accelerator/accel.h"

/*
 * A test bench can define CL_ACCEL_READ and CL_ACCEL_WRITE itself, to access a simulated
 * accelerator.
 */
#ifndef CL_ACCEL_READ
#define CL_ACCEL_READ(accel, offset)         ((accel)->regs[(offset) / sizeof(uint32_t)])
#define CL_ACCEL_WRITE(accel, offset, value) ((accel)->regs[(offset) / sizeof(uint32_t)] = (value))
#endif

/** Prevents the compiler from moving memory accesses across this point. */
#define CL_ACCEL_BARRIER() __asm__ volatile("" : : : "memory")

/**
 * Queues the descriptor that the registers describe.
 *
 * @retval 0 done
 * @retval -EBUSY the queue is full
 */
int cl_accel_start(const struct cl_accel *accel, uint16_t *number);

/**
 * Waits until the accelerator has finished the descriptor that was queued last.
 *
 * @param length length of the data; the time limit grows with it
 * @param uncached the CPU does not cache the output
 * @return as cl_accel_run
 */
int cl_accel_finish(const struct cl_accel *accel, uint16_t number, uint32_t length, bool uncached);

#endif
