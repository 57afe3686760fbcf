/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Version of the firmware core. The reply to a record of type `info` reports it.
 */
#ifndef CL_VERSION_H
#define CL_VERSION_H

#define CL_VERSION_MAJOR 0u
#define CL_VERSION_MINOR 1u
#define CL_VERSION_PATCH 0u
#define CL_VERSION       (CL_VERSION_MAJOR << 16 | CL_VERSION_MINOR << 8 | CL_VERSION_PATCH)

#endif
