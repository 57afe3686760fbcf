/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Driver of LiteX's watchdog, a counter that decreases in each clock cycle. Feeding the watchdog
 * sets the counter to the time-out again. When the counter is zero, the watchdog raises its
 * interrupt. If a reset is configured, the watchdog restarts the SoC some thousand cycles later.
 *
 * The bit that feeds the watchdog shares a register with the configuration: a write that feeds it
 * must preserve the other bits.
 */
#define DT_DRV_COMPAT cipherlane_watchdog

#include <errno.h>

#include <zephyr/device.h>
#include <zephyr/drivers/watchdog.h>
#include <zephyr/irq.h>
#include <zephyr/sys/sys_io.h>

#define CONTROL_FEED         BIT(0)
#define CONTROL_ENABLE       BIT(8)
#define CONTROL_RESET        BIT(16)
#define CONTROL_PAUSE_HALTED BIT(24)
#define EVENT                BIT(0)

#define CYCLES_PER_MS (DT_INST_PROP(0, clock_frequency) / 1000)
#define CONTROL       DT_INST_REG_ADDR_BY_NAME(0, control)
#define CYCLES        DT_INST_REG_ADDR_BY_NAME(0, cycles)
#define PENDING       DT_INST_REG_ADDR_BY_NAME(0, ev_pending)
#define ENABLE        DT_INST_REG_ADDR_BY_NAME(0, ev_enable)

/** The arguments of wdt_install_timeout. `cycles` is 0 until wdt_install_timeout is called. */
static struct {
	uint32_t cycles;
	uint32_t control;
	wdt_callback_t callback;
} timeout;

static bool is_enabled(void)
{
	return (sys_read32(CONTROL) & CONTROL_ENABLE) != 0;
}

static int install_timeout(const struct device *device, const struct wdt_timeout_cfg *request)
{
	ARG_UNUSED(device);
	if (is_enabled()) {
		return -EBUSY;
	}
	if (timeout.cycles != 0) {
		return -ENOMEM; /* there is one channel */
	}
	if (request->window.min != 0 || request->window.max == 0 ||
	    request->window.max > UINT32_MAX / CYCLES_PER_MS) {
		return -EINVAL;
	}
	switch (request->flags & WDT_FLAG_RESET_MASK) {
	case WDT_FLAG_RESET_NONE:
		timeout.control = 0;
		break;
	case WDT_FLAG_RESET_SOC:
		timeout.control = CONTROL_RESET;
		break;
	default:
		return -ENOTSUP;
	}
	timeout.cycles = request->window.max * CYCLES_PER_MS;
	timeout.callback = request->callback;
	return 0;
}

static int setup(const struct device *device, uint8_t options)
{
	ARG_UNUSED(device);
	if ((options & WDT_OPT_PAUSE_IN_SLEEP) != 0) {
		return -ENOTSUP;
	}
	if (is_enabled()) {
		return -EBUSY;
	}
	if (timeout.cycles == 0) {
		return -EINVAL;
	}
	if ((options & WDT_OPT_PAUSE_HALTED_BY_DBG) != 0) {
		timeout.control |= CONTROL_PAUSE_HALTED;
	}
	sys_write32(timeout.cycles, CYCLES);
	sys_write32(timeout.control | CONTROL_ENABLE | CONTROL_FEED, CONTROL);
	sys_write32(EVENT, PENDING);
	sys_write32(timeout.callback != NULL ? EVENT : 0, ENABLE);
	return 0;
}

static int disable(const struct device *device)
{
	ARG_UNUSED(device);
	if (!is_enabled()) {
		return -EFAULT;
	}
	sys_write32(0, CONTROL);
	sys_write32(0, ENABLE);
	timeout.cycles = 0;
	return 0;
}

static int feed(const struct device *device, int channel)
{
	ARG_UNUSED(device);
	if (channel != 0 || !is_enabled()) {
		return -EINVAL;
	}
	sys_write32(timeout.control | CONTROL_ENABLE | CONTROL_FEED, CONTROL);
	return 0;
}

static void isr(const struct device *device)
{
	sys_write32(EVENT, PENDING);
	if (timeout.callback != NULL) {
		timeout.callback(device, 0);
	}
}

static DEVICE_API(wdt, api) = {
	.setup = setup,
	.disable = disable,
	.install_timeout = install_timeout,
	.feed = feed,
};

static int init(const struct device *device)
{
	ARG_UNUSED(device);
	IRQ_CONNECT(DT_INST_IRQN(0), DT_INST_IRQ(0, priority), isr, DEVICE_DT_INST_GET(0), 0);
	irq_enable(DT_INST_IRQN(0));
	return 0;
}

DEVICE_DT_INST_DEFINE(0, init, NULL, NULL, NULL, POST_KERNEL, 0, &api);
