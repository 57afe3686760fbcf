/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Driver of LiteX's UART.
 *
 * If software writes the pending bit of the receive event, the hardware removes a byte from the
 * receive FIFO, even if nobody has read this byte. So this driver writes the bit only after it has
 * read a byte. Each event marks a change: the receive FIFO becomes non-empty, or the transmit FIFO
 * becomes non-full. If software enables an interrupt after the change, the hardware does not raise
 * this interrupt. So the functions that enable interrupts call the handler themselves.
 */
#define DT_DRV_COMPAT cipherlane_uart

#include <zephyr/device.h>
#include <zephyr/drivers/uart.h>
#include <zephyr/init.h>
#include <zephyr/irq.h>
#include <zephyr/sys/sys_io.h>

#include <cipherlane/soc.h>

#define EVENT_TX BIT(0)
#define EVENT_RX BIT(1)

/*
 * Maximum time for which poll_out waits for room in the transmit FIFO: ten milliseconds, in clock
 * cycles.
 */
#define PATIENCE_CYCLES (DT_PROP(DT_NODELABEL(cipherlane0), clock_frequency) / 100)

struct cl_uart_config {
	uint32_t rxtx;
	uint32_t txfull;
	uint32_t rxempty;
	uint32_t pending;
	uint32_t enable;
	void (*connect)(void);
};

struct cl_uart_data {
	uart_irq_callback_user_data_t callback;
	void *user_data;
	/**
	 * True after poll_out has dropped a byte because the transmit FIFO stayed full. While true,
	 * poll_out drops further bytes without waiting if the FIFO is full. False again as soon as
	 * poll_out has sent a byte.
	 */
	bool deaf;
	/**
	 * True while the application's callback runs. If the callback enables an interrupt, the
	 * driver does not call the callback recursively.
	 */
	bool calling;
};

static int poll_in(const struct device *device, unsigned char *byte)
{
	const struct cl_uart_config *const config = device->config;

	if (sys_read32(config->rxempty) != 0) {
		return -1;
	}
	*byte = (unsigned char)sys_read32(config->rxtx);
	sys_write32(EVENT_RX, config->pending);
	return 0;
}

/**
 * Sends a byte. Drops the byte if the transmit FIFO stays full. This is usual for a console over
 * JTAG, because most of the time no host reads from the FIFO.
 */
static void poll_out(const struct device *device, unsigned char byte)
{
	const struct cl_uart_config *const config = device->config;
	struct cl_uart_data *const data = device->data;
	const uint32_t start = cl_soc_cycles(NULL);

	while (sys_read32(config->txfull) != 0) {
		if (data->deaf || cl_soc_cycles(NULL) - start > PATIENCE_CYCLES) {
			data->deaf = true;
			return;
		}
	}
	data->deaf = false;
	sys_write32(byte, config->rxtx);
}

static int fifo_read(const struct device *device, uint8_t *bytes, const int size)
{
	int count = 0;

	while (count < size && poll_in(device, &bytes[count]) == 0) {
		count++;
	}
	return count;
}

static int fifo_fill(const struct device *device, const uint8_t *bytes, int size)
{
	const struct cl_uart_config *const config = device->config;
	int count = 0;

	while (count < size && sys_read32(config->txfull) == 0) {
		sys_write32(bytes[count++], config->rxtx);
	}
	return count;
}

static int irq_tx_ready(const struct device *device)
{
	const struct cl_uart_config *const config = device->config;

	return (sys_read32(config->enable) & EVENT_TX) != 0 && sys_read32(config->txfull) == 0;
}

static int irq_rx_ready(const struct device *device)
{
	const struct cl_uart_config *const config = device->config;

	return (sys_read32(config->enable) & EVENT_RX) != 0 && sys_read32(config->rxempty) == 0;
}

static int irq_is_pending(const struct device *device)
{
	return irq_tx_ready(device) || irq_rx_ready(device);
}

/**
 * Calls the application's callback again and again, as long as an enabled event is pending. The
 * callback must disable the events that it does not need.
 */
static void handle(const struct device *device)
{
	struct cl_uart_data *const data = device->data;

	if (data->callback == NULL || data->calling) {
		return;
	}
	data->calling = true;
	while (irq_is_pending(device)) {
		data->callback(device, data->user_data);
	}
	data->calling = false;
}

static void isr(const struct device *device)
{
	const struct cl_uart_config *const config = device->config;

	sys_write32(EVENT_TX, config->pending);
	handle(device);
}

static void enable_event(const struct device *device, uint32_t event)
{
	const struct cl_uart_config *const config = device->config;
	const unsigned int key = irq_lock();

	sys_write32(sys_read32(config->enable) | event, config->enable);
	handle(device);
	irq_unlock(key);
}

static void disable_event(const struct device *device, uint32_t event)
{
	const struct cl_uart_config *const config = device->config;
	const unsigned int key = irq_lock();

	sys_write32(sys_read32(config->enable) & ~event, config->enable);
	irq_unlock(key);
}

static void irq_tx_enable(const struct device *device)
{
	enable_event(device, EVENT_TX);
}

static void irq_tx_disable(const struct device *device)
{
	disable_event(device, EVENT_TX);
}

static void irq_rx_enable(const struct device *device)
{
	enable_event(device, EVENT_RX);
}

static void irq_rx_disable(const struct device *device)
{
	disable_event(device, EVENT_RX);
}

static void irq_err(const struct device *device)
{
	ARG_UNUSED(device); /* LiteX's UART reports no errors */
}

static int irq_update(const struct device *device)
{
	ARG_UNUSED(device);
	return 1;
}

static void irq_callback_set(const struct device *device, uart_irq_callback_user_data_t callback,
			     void *user_data)
{
	struct cl_uart_data *const data = device->data;

	data->callback = callback;
	data->user_data = user_data;
}

static DEVICE_API(uart, api) = {
	.poll_in = poll_in,
	.poll_out = poll_out,
	.fifo_fill = fifo_fill,
	.fifo_read = fifo_read,
	.irq_tx_enable = irq_tx_enable,
	.irq_tx_disable = irq_tx_disable,
	.irq_tx_ready = irq_tx_ready,
	.irq_rx_enable = irq_rx_enable,
	.irq_rx_disable = irq_rx_disable,
	.irq_rx_ready = irq_rx_ready,
	.irq_err_enable = irq_err,
	.irq_err_disable = irq_err,
	.irq_is_pending = irq_is_pending,
	.irq_update = irq_update,
	.irq_callback_set = irq_callback_set,
};

static int init(const struct device *device)
{
	const struct cl_uart_config *const config = device->config;

	sys_write32(0, config->enable);
	sys_write32(EVENT_TX, config->pending);
	config->connect();
	return 0;
}

#define UART(n)                                                                                    \
	static void connect_##n(void)                                                              \
	{                                                                                          \
		IRQ_CONNECT(DT_INST_IRQN(n), DT_INST_IRQ(n, priority), isr, DEVICE_DT_INST_GET(n), \
			    0);                                                                    \
		irq_enable(DT_INST_IRQN(n));                                                       \
	}                                                                                          \
	static struct cl_uart_data data_##n;                                                       \
	static const struct cl_uart_config config_##n = {                                          \
		.rxtx = DT_INST_REG_ADDR_BY_NAME(n, rxtx),                                         \
		.txfull = DT_INST_REG_ADDR_BY_NAME(n, txfull),                                     \
		.rxempty = DT_INST_REG_ADDR_BY_NAME(n, rxempty),                                   \
		.pending = DT_INST_REG_ADDR_BY_NAME(n, ev_pending),                                \
		.enable = DT_INST_REG_ADDR_BY_NAME(n, ev_enable),                                  \
		.connect = connect_##n,                                                            \
	};                                                                                         \
	DEVICE_DT_INST_DEFINE(n, init, NULL, &data_##n, &config_##n, PRE_KERNEL_1,                 \
			      CONFIG_SERIAL_INIT_PRIORITY, &api);

DT_INST_FOREACH_STATUS_OKAY(UART)
