/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * A model of the hardware that the engines of a board use. The model covers the effects of
 * instructions and register accesses, and stores the complete state of the hardware. It follows
 * FIPS-197 and the reference pages (README.md in gateware/isa, gateware/dma and gateware/net).
 *
 * This header is included before every source of the core, so that instructions and register
 * accesses call the model. If software violates a rule of the hardware, the program ends.
 */
#ifndef UNITS_MODEL_H
#define UNITS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CL_ACCEL_READ(accel, offset)         ((void)(accel), units_accel_read(offset))
#define CL_ACCEL_WRITE(accel, offset, value) ((void)(accel), units_accel_write(offset, value))
#define CL_FASTPATH_READ(device, offset)     ((void)(device), units_fastpath_read(offset))
#define CL_FASTPATH_WRITE(device, offset, value)                                                   \
	((void)(device), units_fastpath_write(offset, value))

/*
 * On a board, these functions are inlined once for each set of constant arguments. Here they are
 * not inlined, which keeps the program small.
 */
#define CL_ISE_INLINE static __attribute__((noinline, unused))
#define CL_C_INLINE   static __attribute__((noinline, unused))

/**
 * The memory that the DMA and the vector unit can access: its first address and its size in bytes.
 * All addresses must fit in 32 bits.
 */
#define UNITS_ORIGIN 0x40000000u
#define UNITS_BYTES  0x10000u

#define UNITS_CONTEXTS 8u
#define UNITS_QUEUE    8u
#define UNITS_SLOTS    8u
#define UNITS_FIFO     64u
#define UNITS_ENTRIES  8u
#define UNITS_ROWS     8u
#define UNITS_WINDOW   64u

/** The faults of the hardware. A test can select one fault, which then happens once. */
enum units_fault {
	UNITS_SOUND,
	/** Fault: a vector load or store fails. */
	UNITS_VECTOR_BUS,
	/** Faults: a DMA descriptor fails halfway, times out, or never ends. */
	UNITS_DMA_BUS,
	UNITS_DMA_TIMEOUT,
	UNITS_DMA_HANGS,
	/** Faults: a key command of the accelerator never ends, is refused, or loads no key. */
	UNITS_KEY_HANGS,
	UNITS_KEY_REFUSED,
	UNITS_KEY_INVALID,
	/** Faults: a key command of the fast path never ends, or loads no key. */
	UNITS_ROW_HANGS,
	UNITS_ROW_INVALID,
	/** Faults: the fast path refuses to open a session, or refuses an access to a window. */
	UNITS_OPEN_REFUSED,
	UNITS_WINDOW_REFUSED,
};

struct units_key {
	uint8_t round_key[15][16];
	uint8_t rounds;
};

struct units_request {
	uint8_t data[16];
	uint32_t address;
	/**
	 * A request of the instruction `vxor_group` (`member` is true) XORs the block at `address`
	 * with `data`, and stores the result at `destination`. Any other request stores `data` at
	 * `address`; its `destination` equals `address`.
	 */
	uint32_t destination;
	bool member;
};

struct units_vector {
	struct {
		uint8_t v[8][16];
		uint8_t k[16][16];
	} context[UNITS_CONTEXTS];
	uint32_t selected;
	uint32_t fault;
	/** True after a request of the current `vxor_group` instruction has failed. */
	bool broken;
	/**
	 * A ring buffer of requests. The oldest waiting request is at index `first`; `waiting` is
	 * the number of waiting requests. Unused entries of the buffer keep the data of earlier
	 * requests.
	 */
	struct units_request queue[UNITS_QUEUE];
	uint32_t first;
	uint32_t waiting;
};

struct units_descriptor {
	uint8_t counter[16];
	uint64_t index;
	uint32_t source;
	uint32_t destination;
	uint32_t length;
	uint32_t options;
	/** Number of register reads after which the DMA completes the descriptor. */
	uint32_t polls;
	bool hangs;
};

struct units_accel {
	uint32_t iv[4];
	uint32_t index[2];
	uint32_t source;
	uint32_t destination;
	uint32_t length;
	uint32_t options;
	uint32_t key_config;
	uint32_t key_word[8];
	struct units_key key[UNITS_SLOTS];
	/**
	 * The key command that the accelerator executes. `polls`: number of register reads until
	 * the command ends. `coming`: bit mask of the slots whose new key becomes valid at that
	 * time.
	 */
	uint32_t polls;
	uint32_t coming;
	bool hangs;
	uint32_t valid;
	uint32_t key_error;
	bool refused;
	struct units_descriptor entry[UNITS_ENTRIES];
	uint16_t submitted;
	uint16_t completed;
	uint32_t results;
	uint32_t error;
	/**
	 * `read` and `written` are the DMA's read and write queues, each with room for two bursts
	 * of 32 beats. `counter` and `keystream` are the cipher core's last input and output.
	 */
	uint8_t read[UNITS_FIFO][16];
	uint8_t written[UNITS_FIFO][16];
	uint32_t beats;
	uint8_t counter[16];
	uint8_t keystream[16];
};

struct units_row {
	uint32_t session;
	uint32_t ip;
	uint32_t port;
	uint32_t token[2];
	uint32_t limit[2];
	uint32_t slot;
	uint32_t iv[4];
	uint32_t record_blocks;
	/** Statistics of the session. */
	uint64_t bytes;
	uint64_t blocks;
	uint32_t records;
	/**
	 * The session's window. `base`: number of the block at which the window begins. `came`: for
	 * each record, a bit that is 1 if the record arrived. `sum`: for each record, its checksum.
	 */
	uint32_t base;
	uint64_t came;
	uint64_t sum[UNITS_WINDOW];
};

struct units_fastpath {
	struct units_row row[UNITS_ROWS];
	struct units_key key[UNITS_SLOTS];
	uint32_t key_word[8];
	uint32_t key_config;
	uint32_t polls;
	uint32_t coming;
	bool hangs;
	uint32_t valid;
	uint32_t opened;
	uint32_t selected;
	uint32_t place;
	uint32_t base;
	uint32_t came;
	uint32_t sum[2];
	uint32_t window_polls;
	bool refused;
	uint64_t bytes;
	uint64_t blocks;
	uint32_t records;
	/**
	 * `under_way`: number of register reads until the model encrypts the current datagram, or 0
	 * if there is no current datagram. `under_way_row`: index of the datagram's session in the
	 * array `row`.
	 */
	uint32_t under_way;
	uint32_t under_way_row;
};

/** All state of the hardware. */
struct units {
	struct units_vector vector;
	struct units_accel accel;
	struct units_fastpath fastpath;
};

extern struct units units;
extern enum units_fault units_fault;

/**
 * `units_drained`: true if all stores of the CPU have reached memory. `units_stale`: true if the
 * hardware has written to memory since the last flush of the CPU's cache.
 */
extern bool units_drained;
extern bool units_stale;

_Noreturn void units_die(const char *why);

/** Returns true if @p fault is the selected fault. In this case, also clears the selection. */
bool units_strikes(enum units_fault fault);

/** Returns the number of register reads after which a command ends. */
uint32_t units_polls(void);

/** The functions of AES (FIPS-197) on bytes. Byte r + 4c of the state is in row r, column c. */
void units_aes_init(void);
void units_sub_bytes(uint8_t *bytes, size_t size, bool inverse);
void units_shift_rows(uint8_t state[16], bool inverse);
void units_mix_columns(uint8_t *columns, size_t size, bool inverse);
void units_xor(uint8_t *to, const uint8_t *from, size_t size);
void units_expand(struct units_key *key, const uint8_t *cipher_key, unsigned int bytes);
void units_encrypt(const struct units_key *key, const uint8_t in[16], uint8_t out[16]);
/** Adds @p number to the last @p width bytes of a counter block. */
void units_add(uint8_t counter[16], uint64_t number, unsigned int width);

/** Executes an instruction of the vector unit. @return the value of rd. */
uint32_t units_execute(unsigned int funct3, unsigned int funct7, uint64_t rs1, uint64_t rs2);

uint32_t units_accel_read(uint32_t offset);
void units_accel_write(uint32_t offset, uint32_t value);

uint32_t units_fastpath_read(uint32_t offset);
void units_fastpath_write(uint32_t offset, uint32_t value);

/** A data record from a peer, as it arrives from the network. */
struct units_datagram {
	uint32_t ip;
	uint32_t port;
	uint32_t session;
	uint64_t token;
	uint64_t offset;
	/**
	 * The data of the record. When the model encrypts the datagram, these data become the data
	 * of the answer.
	 */
	uint8_t *data;
	uint32_t length;
	/** Number of register reads after which the fast path encrypts the datagram. */
	uint32_t polls;
};

/**
 * Passes a datagram to the fast path. Returns the code of the event that the fast path counts: the
 * datagram was answered, or the reason why it was dropped.
 */
uint32_t units_fastpath_receive(const struct units_datagram *datagram);

#endif
