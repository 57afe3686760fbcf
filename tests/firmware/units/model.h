/**
 * @file
 * The hardware under the engines of the target, modelled from its reference pages (gateware/isa,
 * gateware/dma and gateware/net README.md, gateware/isa/zkn.py) and FIPS-197: what instructions and
 * registers do, and all that the hardware remembers.
 *
 * Included before every source of the core: its instructions and register accesses come here.
 * Whatever software must not do ends the program.
 */
#ifndef UNITS_MODEL_H
#define UNITS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CL_ZKN(operation, select, rs1, rs2)  units_zkn((select) << 5 | (operation), rs1, rs2)
#define CL_ACCEL_READ(accel, offset)         ((void)(accel), units_accel_read(offset))
#define CL_ACCEL_WRITE(accel, offset, value) ((void)(accel), units_accel_write(offset, value))
#define CL_FASTPATH_READ(device, offset)     ((void)(device), units_fastpath_read(offset))
#define CL_FASTPATH_WRITE(device, offset, value)                                                   \
	((void)(device), units_fastpath_write(offset, value))

/* Code for one instance of constants serves all here. */
#define CL_ISE_INLINE static __attribute__((noinline, unused))
#define CL_C_INLINE   static __attribute__((noinline, unused))

/** The memory that vector loads and stores and the DMA reach: its addresses have 32 bits. */
#define UNITS_ORIGIN 0x40000000u
#define UNITS_BYTES  0x10000u

#define UNITS_CONTEXTS 8u
#define UNITS_QUEUE    8u
#define UNITS_SLOTS    8u
#define UNITS_FIFO     64u
#define UNITS_ENTRIES  8u
#define UNITS_ROWS     8u
#define UNITS_WINDOW   64u

/** What goes wrong next, once. */
enum units_fault {
	UNITS_SOUND,
	/** Of a vector load or store. */
	UNITS_VECTOR_BUS,
	/** Of a descriptor, in its middle; it never ends. */
	UNITS_DMA_BUS,
	UNITS_DMA_TIMEOUT,
	UNITS_DMA_HANGS,
	/** Of a command on the accelerator's keys: it never ends; is refused; gives no key. */
	UNITS_KEY_HANGS,
	UNITS_KEY_REFUSED,
	UNITS_KEY_INVALID,
	/** The same of the fast path. */
	UNITS_ROW_HANGS,
	UNITS_ROW_INVALID,
	/** The fast path refuses a session, or an access to a window. */
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
	/** Of a group's member, whose data are added to what is at the address; else the same. */
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
	/** A member of the group under way has failed. */
	bool broken;
	/** Stores under way, from `first` on; what is around them stays from earlier requests. */
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
	/** Reads of registers until it ends. */
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
	/** Key commands: reads of registers until the end, and slots that then hold a key. */
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
	/** Two bursts of 32 beats each way, and what the core was given and gave last. */
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
	/** Statistics. */
	uint64_t bytes;
	uint64_t blocks;
	uint32_t records;
	/** Window: base in blocks, and what came by place. */
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
	/** Reads of registers until the datagram under way is encrypted; of which row. */
	uint32_t under_way;
	uint32_t under_way_row;
};

/** All that the hardware remembers. */
struct units {
	struct units_vector vector;
	struct units_accel accel;
	struct units_fastpath fastpath;
};

extern struct units units;
extern enum units_fault units_fault;

/** The CPU's stores are in memory; its cache holds nothing that was changed behind its back. */
extern bool units_drained;
extern bool units_stale;

_Noreturn void units_die(const char *why);

/** Consumes a fault. */
bool units_strikes(enum units_fault fault);

/** A number of register reads that a command takes. */
uint32_t units_polls(void);

/** FIPS-197 on bytes: byte r + 4c is row r, column c. */
void units_aes_init(void);
void units_sub_bytes(uint8_t *bytes, size_t size, bool inverse);
void units_shift_rows(uint8_t state[16], bool inverse);
void units_mix_columns(uint8_t *columns, size_t size, bool inverse);
void units_xor(uint8_t *to, const uint8_t *from, size_t size);
void units_expand(struct units_key *key, const uint8_t *cipher_key, unsigned int bytes);
void units_encrypt(const struct units_key *key, const uint8_t in[16], uint8_t out[16]);
/** Adds to the last @p width bytes of a counter block. */
void units_add(uint8_t counter[16], uint64_t number, unsigned int width);

/** An instruction of the vector unit; @return rd. */
uint32_t units_execute(unsigned int funct3, unsigned int funct7, uint64_t rs1, uint64_t rs2);
uint32_t units_zkn(unsigned int funct7, uint32_t rs1, uint32_t rs2);

uint32_t units_accel_read(uint32_t offset);
void units_accel_write(uint32_t offset, uint32_t value);

uint32_t units_fastpath_read(uint32_t offset);
void units_fastpath_write(uint32_t offset, uint32_t value);

/** A data record of a peer, as the network brings it. */
struct units_datagram {
	uint32_t ip;
	uint32_t port;
	uint32_t session;
	uint64_t token;
	uint64_t offset;
	/** Replaced by the answer when it is encrypted. */
	uint8_t *data;
	uint32_t length;
	/** Reads of registers until it is. */
	uint32_t polls;
};

/** @return the code of the event that it ends with: answered, or why it is dropped. */
uint32_t units_fastpath_receive(const struct units_datagram *datagram);

#endif
