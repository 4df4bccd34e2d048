import type { Socket } from 'node:dgram';
import { once } from 'node:events';

import { systemClock } from '../../src/kernel/clock.ts';
import type { DeviceEvent, DeviceOptions, SimulatedDevice } from './contract.ts';
import { Firmware, PACKAGE } from './firmware.ts';
import { createModel, LINKS, TEMPERATURE } from './model.ts';
import { createSends, createSleep } from './queue-mode.ts';
import { Registration } from './registration.ts';
import { createReports } from './reports.ts';
import { Requests } from './requests.ts';
import { clearSocket, secureSocket } from './secure-socket.ts';
import { BlockServer, createExchange, type Exchange, GuardedAgent } from './stack.ts';

/**
 * A simulated LwM2M device on the npm `coap` stack: registers, keeps its registration alive and
 * answers reads, writes and executions on the same socket. Resolves once the socket is bound.
 */
export async function startDevice(options: DeviceOptions): Promise<SimulatedDevice> {
  const { endpoint, server, lifetimeS, log, clock = systemClock, onEvent, hold } = options;
  const sleep = options.queue ? createSleep(clock, options.queue.awakeMs) : null;
  const front = (bare: Socket): void => {
    options.network?.(bare);
    sleep?.front(bare);
  };
  const { socket, renew } = options.psk
    ? secureSocket(server, options.psk, front)
    : clearSocket(front);
  socket.bind(options.port ?? 0);
  await once(socket, 'listening');
  const agent = new GuardedAgent({ socket });
  const swallow = (error: Error): void => log.debug({ endpoint, error }, 'a socket error');
  const coap = new BlockServer({}, (request, response) => {
    response.on('error', swallow);
    requests.handle(request, response);
  });
  coap.listen(socket);
  agent.on('error', swallow);
  coap.on('error', swallow);

  let [stopped, isClosed] = [false, false];
  const tell = (event: DeviceEvent): void => {
    if (isClosed) return;
    log.debug({ endpoint, ...event }, 'device event');
    onEvent?.(event);
  };
  const exchange = createExchange(agent, server, clock);
  const ask: Exchange = async (...given) => {
    // An answer that was awaited when the device vanished must not wake it.
    if (isClosed) return null;
    sleep?.spoke();
    return exchange(...given);
  };
  const model = createModel(clock, options);
  const reports = createReports(clock, () => sleep?.spoke());
  // An update at half the lifetime, so that a lost datagram and its repetitions still fit in.
  const aliveMs = Math.max(1000, lifetimeS * 1000 * 0.5);
  const samples = sleep
    ? createSends(clock, Math.max(200, aliveMs / 5), {
        path: TEMPERATURE,
        read: () => model.temperature(),
        time: () => model.time(),
      })
    : null;
  const registration = new Registration({
    options,
    clock,
    aliveMs,
    links: LINKS + (options.firmware ? ',</5/0>' : ''),
    ask,
    forget: () => reports.forget(),
    renew,
    measured: () => (model.isMuted() ? null : (samples?.next() ?? null)),
    tell,
  });
  // Comes back with the firmware that it has by then.
  const restart = (): void => registration.restart();
  const firmware = options.firmware && new Firmware(clock, options.firmware, { off, restart });
  coap.takes = (path, block) => path !== PACKAGE || firmware?.block(block) !== false;
  const requests = new Requests({ model, reports, firmware, hold, restart, tell });

  function off(): void {
    tell({ event: 'power-cut' });
    close();
  }

  function close(): void {
    stopped = true;
    isClosed = true;
    registration.stop();
    firmware?.close();
    reports.close();
    samples?.close();
    coap.close();
    agent.close();
    socket.close();
  }

  void registration.keepAlive();
  return {
    port: socket.address().port,
    setPoint: () => model.setPoint(),
    temperature: () => model.temperature(),
    requests: requests.counts,
    observed: () => reports.size(),
    isAsleep: () => sleep?.isAsleep() ?? false,
    wake: () => registration.again(0),
    registerAnew: () => registration.anew(),
    vanish() {
      if (!stopped) close();
    },
    async stop() {
      if (stopped) return;
      stopped = true;
      await registration.leave();
      close();
    },
  };
}
