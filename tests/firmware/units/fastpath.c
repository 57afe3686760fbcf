/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model of the UDP fast path (gateware/net/README.md) without its checks of frames. Each read of
 * a register advances the model's time. The model encrypts a datagram with the key and the settings
 * that the session had when the datagram was accepted.
 */
#include <string.h>

#include "cl_fastpath_regs.h"
#include "model.h"

#define DROP(name) CL_FASTPATH_EVENT_CODE_##name

static struct units_fastpath *const path = &units.fastpath;
/** The datagram in progress, and a copy of its session's settings. Software cannot read these. */
static struct units_datagram accepted;
static struct units_row its_row;

static uint32_t in_use(void)
{
	return path->under_way > 0 ? 1u << path->under_way_row : 0;
}

static bool locked(void)
{
	return ((path->opened | in_use()) >> path->selected & 1) != 0;
}

static void encrypt(void)
{
	const struct units_key *const key = &path->key[its_row.slot];

	for (uint32_t at = 0; at < accepted.length; at += 16) {
		const uint32_t part = accepted.length - at < 16 ? accepted.length - at : 16;
		uint8_t block[16];

		memcpy(block, its_row.iv, 16);
		units_add(block, (accepted.offset + at) / 16, 16);
		units_encrypt(key, block, block);
		units_xor(accepted.data + at, block, part);
	}
	memset(&its_row, 0, sizeof(its_row));
}

static void tick(void)
{
	if (path->under_way > 0 && --path->under_way == 0) {
		encrypt();
	}
	if (path->polls > 0 && !path->hangs && --path->polls == 0) {
		path->valid |= path->coming;
		path->coming = 0;
	}
	if (path->window_polls > 0) {
		path->window_polls--;
	}
}

static uint64_t sum_of(const uint8_t *data, uint32_t length)
{
	uint32_t a = length;
	uint32_t b = 0;

	for (uint32_t i = 0; i < length; i++) {
		a += (uint32_t)data[i] << 8 * (i % 4);
		b += i % 4 == 3 || i == length - 1 ? a : 0;
	}
	return (uint64_t)b << 32 | a;
}

/**
 * Checks a record against the window of its session, and marks a new record as arrived. Returns one
 * of these event codes. RECORD: the record is new, or it repeats an earlier record. OTHER_DATA: an
 * earlier record with the same number had other data. WINDOW: the record is outside the window.
 * KEY: the session has no key.
 */
static uint32_t window(struct units_row *row, uint64_t block, const uint8_t *data, uint32_t length)
{
	const uint64_t distance = block - row->base;
	const uint64_t sum = sum_of(data, length);

	if (row->record_blocks == 0 || length > 16 * row->record_blocks || block < row->base ||
	    distance % row->record_blocks != 0 ||
	    distance / row->record_blocks >= 2 * UNITS_WINDOW) {
		return DROP(WINDOW);
	}
	uint32_t place = (uint32_t)(distance / row->record_blocks);

	if ((path->valid >> row->slot & 1) == 0) {
		return DROP(KEY);
	}
	for (; place >= UNITS_WINDOW; place--) {
		row->base += row->record_blocks;
		row->came >>= 1;
		memmove(row->sum, row->sum + 1, sizeof(row->sum) - sizeof(row->sum[0]));
		row->sum[UNITS_WINDOW - 1] = 0;
	}
	if ((row->came >> place & 1) == 0) {
		row->came |= UINT64_C(1) << place;
		row->sum[place] = sum;
	}
	return row->sum[place] == sum ? DROP(RECORD) : DROP(OTHER_DATA);
}

uint32_t units_fastpath_receive(const struct units_datagram *d)
{
	uint32_t n = 0;

	while (n < UNITS_ROWS &&
	       ((path->opened >> n & 1) == 0 || path->row[n].session != d->session)) {
		n++;
	}
	if (n == UNITS_ROWS) {
		return DROP(SESSION);
	}
	struct units_row *const row = &path->row[n];

	if (row->ip != d->ip || row->port != d->port) {
		return DROP(PEER);
	}
	if (((uint64_t)row->token[1] << 32 | row->token[0]) != d->token) {
		return DROP(TOKEN);
	}
	if (d->offset + d->length > ((uint64_t)row->limit[1] << 32 | row->limit[0])) {
		return DROP(LIMIT);
	}
	const uint32_t verdict = window(row, d->offset / 16, d->data, d->length);

	if (verdict == DROP(RECORD)) {
		row->bytes += d->length;
		row->blocks += (d->length + 15) / 16;
		row->records++;
		accepted = *d;
		its_row = *row;
		path->under_way_row = n;
		path->under_way = d->polls;
		if (d->polls == 0) {
			encrypt();
		}
	}
	return verdict;
}

static void zeroize(void)
{
	memset(path->key, 0, sizeof(path->key));
	memset(path->key_word, 0, sizeof(path->key_word));
	path->valid = 0;
	path->coming = 0;
	path->hangs = false;
	path->under_way = 0;
	path->polls = units_polls();
}

static bool key_command(bool load)
{
	const uint32_t length = path->key_config & CL_FASTPATH_KEY_CONFIG_KEY_LENGTH_MASK;
	const uint32_t slot = path->key_config >> CL_FASTPATH_KEY_CONFIG_SLOT_SHIFT & 7;

	if (path->polls > 0 || (load && length > CL_FASTPATH_KEY_CONFIG_KEY_LENGTH_AES_256)) {
		return false;
	}
	if (path->under_way > 0) { /* finish the datagram in progress under the old key */
		path->under_way = 0;
		encrypt();
	}
	path->valid &= ~(1u << slot);
	memset(&path->key[slot], 0, sizeof(path->key[slot]));
	path->polls = units_polls();
	path->hangs = units_strikes(UNITS_ROW_HANGS);
	if (load && !units_strikes(UNITS_ROW_INVALID)) {
		units_expand(&path->key[slot], (const uint8_t *)path->key_word, 16 + 8 * length);
		path->coming = 1u << slot;
	}
	if (load) {
		memset(path->key_word, 0, sizeof(path->key_word));
	}
	return true;
}

static bool window_command(bool write)
{
	struct units_row *const row = &path->row[path->selected];
	const uint64_t bit = UINT64_C(1) << path->place;

	if (path->window_polls > 0 || (write && locked()) || units_strikes(UNITS_WINDOW_REFUSED)) {
		return false;
	}
	path->window_polls = units_polls();
	if (write) {
		row->base = path->base;
		row->came = path->came != 0 ? row->came | bit : row->came & ~bit;
		row->sum[path->place] = (uint64_t)path->sum[1] << 32 | path->sum[0];
	} else {
		path->base = row->base;
		path->came = (row->came & bit) != 0;
		path->sum[0] = (uint32_t)row->sum[path->place];
		path->sum[1] = (uint32_t)(row->sum[path->place] >> 32);
	}
	return true;
}

static bool open_row(void)
{
	struct units_row *const row = &path->row[path->selected];

	if (locked() || units_strikes(UNITS_OPEN_REFUSED)) {
		return false;
	}
	row->bytes = 0;
	row->blocks = 0;
	row->records = 0;
	path->opened |= 1u << path->selected;
	return true;
}

static void close_row(void)
{
	struct units_row *const row = &path->row[path->selected];

	memset(row, 0, offsetof(struct units_row, bytes));
	path->opened &= ~(1u << path->selected);
}

static void control(uint32_t commands)
{
	struct units_row *const row = &path->row[path->selected];
	bool taken = true;

	switch (commands) {
	case CL_FASTPATH_CONTROL_OPEN_MASK:
		taken = open_row();
		break;
	case CL_FASTPATH_CONTROL_CLOSE_MASK:
		close_row();
		break;
	case CL_FASTPATH_CONTROL_LOAD_KEY_MASK:
		taken = key_command(true);
		break;
	case CL_FASTPATH_CONTROL_CLEAR_KEY_MASK:
		taken = key_command(false);
		break;
	case CL_FASTPATH_CONTROL_ZEROIZE_MASK:
		zeroize();
		break;
	case CL_FASTPATH_CONTROL_READ_STATISTICS_MASK:
		path->bytes = row->bytes;
		path->blocks = row->blocks;
		path->records = row->records;
		break;
	case CL_FASTPATH_CONTROL_READ_WINDOW_MASK:
		taken = window_command(false);
		break;
	case CL_FASTPATH_CONTROL_WRITE_WINDOW_MASK:
		taken = window_command(true);
		break;
	default:
		units_die("an unexpected command to the fast path");
	}
	path->refused = !taken;
}

uint32_t units_fastpath_read(uint32_t offset)
{
	tick();
	switch (offset) {
	case CL_FASTPATH_STATUS:
		return (path->polls > 0) << CL_FASTPATH_STATUS_BUSY_SHIFT |
		       path->refused << CL_FASTPATH_STATUS_REFUSED_SHIFT |
		       (path->window_polls > 0) << CL_FASTPATH_STATUS_WINDOW_BUSY_SHIFT;
	case CL_FASTPATH_OPENED:
		return path->opened;
	case CL_FASTPATH_IN_USE:
		return in_use();
	case CL_FASTPATH_KEY_VALID:
		return path->valid;
	case CL_FASTPATH_WINDOW_BASE:
		return path->base;
	case CL_FASTPATH_WINDOW_CAME:
		return path->came;
	case CL_FASTPATH_WINDOW_SUM_LO:
		return path->sum[0];
	case CL_FASTPATH_WINDOW_SUM_HI:
		return path->sum[1];
	case CL_FASTPATH_BYTES_LO:
		return (uint32_t)path->bytes;
	case CL_FASTPATH_BYTES_HI:
		return (uint32_t)(path->bytes >> 32);
	case CL_FASTPATH_BLOCKS_LO:
		return (uint32_t)path->blocks;
	case CL_FASTPATH_BLOCKS_HI:
		return (uint32_t)(path->blocks >> 32);
	case CL_FASTPATH_RECORDS:
		return path->records;
	default:
		units_die("an unexpected read of the fast path");
	}
}

/** Writes a register of the selected session. While the session is open, the write is refused. */
static void write_row(uint32_t *field, uint32_t value)
{
	if (locked()) {
		path->refused = true;
	} else {
		*field = value;
	}
}

void units_fastpath_write(uint32_t offset, uint32_t value)
{
	struct units_row *const row = &path->row[path->selected];

	if (offset >= CL_FASTPATH_KEY0 && offset <= CL_FASTPATH_KEY7) {
		if (path->polls == 0) {
			path->key_word[(offset - CL_FASTPATH_KEY0) / 4] = value;
		}
		return;
	}
	if (offset >= CL_FASTPATH_IV0 && offset <= CL_FASTPATH_IV3) {
		write_row(&row->iv[(offset - CL_FASTPATH_IV0) / 4], value);
		return;
	}
	switch (offset) {
	case CL_FASTPATH_CONTROL:
		control(value);
		break;
	case CL_FASTPATH_ROW:
		path->selected = value % UNITS_ROWS;
		break;
	case CL_FASTPATH_SESSION:
		write_row(&row->session, value);
		break;
	case CL_FASTPATH_PEER_IP:
		write_row(&row->ip, value);
		break;
	case CL_FASTPATH_PEER_PORT:
		write_row(&row->port, value);
		break;
	case CL_FASTPATH_TOKEN_LO:
		write_row(&row->token[0], value);
		break;
	case CL_FASTPATH_TOKEN_HI:
		write_row(&row->token[1], value);
		break;
	case CL_FASTPATH_LIMIT_LO:
		write_row(&row->limit[0], value);
		break;
	case CL_FASTPATH_LIMIT_HI:
		write_row(&row->limit[1], value);
		break;
	case CL_FASTPATH_SLOT:
		write_row(&row->slot, value % UNITS_SLOTS);
		break;
	case CL_FASTPATH_RECORD_BLOCKS:
		write_row(&row->record_blocks, value & 0x7f);
		break;
	case CL_FASTPATH_KEY_CONFIG:
		path->key_config = value;
		break;
	case CL_FASTPATH_WINDOW_PLACE:
	case CL_FASTPATH_WINDOW_BASE:
	case CL_FASTPATH_WINDOW_CAME:
	case CL_FASTPATH_WINDOW_SUM_LO:
	case CL_FASTPATH_WINDOW_SUM_HI:
		if (path->window_polls > 0) {
			units_die("a write to the window's registers while they are in use");
		}
		*(offset == CL_FASTPATH_WINDOW_PLACE    ? &path->place
		  : offset == CL_FASTPATH_WINDOW_BASE   ? &path->base
		  : offset == CL_FASTPATH_WINDOW_CAME   ? &path->came
		  : offset == CL_FASTPATH_WINDOW_SUM_LO ? &path->sum[0]
							: &path->sum[1]) = value;
		break;
	default:
		units_die("an unexpected write to the fast path");
	}
}
