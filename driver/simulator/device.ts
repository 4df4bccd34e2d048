import type { Socket } from 'node:dgram';
import { once } from 'node:events';

import { type IncomingMessage, ObserveWriteStream, type OutgoingMessage } from 'coap';

import { systemClock } from '../../src/kernel/clock.ts';
import { composite } from './composite.ts';
import type { DeviceEvent, DeviceOptions, SimulatedDevice } from './contract.ts';
import { decodeNumber, encode, Format } from './encoding.ts';
import { createExchange, type Exchange } from './exchange.ts';
import { createFirmware, NO_ANSWER, PACKAGE, updatedBy } from './firmware.ts';
import {
  createModel,
  LINKS,
  MUTE_SEND,
  REBOOT,
  resourceAt,
  SET_POINT,
  TEMPERATURE,
} from './model.ts';
import { observe } from './observe.ts';
import { createSleep } from './queue-mode.ts';
import { createReports } from './reports.ts';
import { clearSocket, secureSocket } from './secure-socket.ts';
import { createSends } from './sends.ts';
import { BlockServer, formatOf, GuardedAgent, locationOf, tokenOf } from './stack.ts';

const LINK_FORMAT = 40;
const RETRY_MS = 2_000;
const RETRY_MAX_MS = 30_000;
const STOP_WAIT_MS = 2_000;

/**
 * A simulated LwM2M device on the npm `coap` stack: registers, keeps its registration alive and
 * answers reads, writes and executions on the same socket. Resolves once the socket is bound.
 */
// oxlint-disable-next-line max-lines-per-function
export async function startDevice(options: DeviceOptions): Promise<SimulatedDevice> {
  const { endpoint, server, lifetimeS, log, clock = systemClock, onEvent } = options;
  const { patienceMs = STOP_WAIT_MS } = options;
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
  const coap = new BlockServer({}, handle);
  coap.listen(socket);
  const swallow = (error: Error): void => log.debug({ endpoint, error }, 'a socket error');
  agent.on('error', swallow);
  coap.on('error', swallow);

  const model = createModel(clock, options);
  const firmware =
    options.firmware && createFirmware(clock, options.firmware, { off: powerCut, restart });
  coap.takes = (path, block) => path !== PACKAGE || firmware?.block(block) !== false;
  const requests = { reads: 0, composite: 0, writes: 0, reboots: 0 };
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
  let location: string | null = null;
  let [stopped, isClosed] = [false, false];
  let cancelTimer: (() => void) | null = null;

  function tell(event: DeviceEvent): void {
    if (isClosed) return;
    log.debug({ endpoint, ...event }, 'device event');
    onEvent?.(event);
  }

  function powerCut(): void {
    tell({ event: 'power-cut' });
    close();
  }

  /** Comes back with the firmware that it has by then. */
  function restart(): void {
    location = null;
    if (!stopped) again(100);
  }

  function handle(request: IncomingMessage, response: OutgoingMessage | ObserveWriteStream): void {
    response.on('error', swallow);
    const [path = '', query] = request.url.split('?');
    const isAttributes = request.method === 'PUT' && query !== undefined;
    if (response instanceof ObserveWriteStream)
      return observe(request, response, { reports, model, requests, write: hold });
    if (request.headers['Observe'] === 1) reports.cancel(tokenOf(request));
    if (request.method === 'FETCH' || request.method === 'iPATCH') {
      const { code, payload } = composite(request, { model, write: hold });
      if (payload) {
        requests.reads += 1;
        requests.composite += 1;
        response.setOption('Content-Format', Format.SENML_JSON);
      }
      response.statusCode = code;
      response.end(payload);
      return;
    }
    if (isAttributes && request.payload.length === 0) {
      response.statusCode =
        resourceAt(path, model) && reports.attributes(path, query) ? '2.04' : '4.00';
      response.end();
      return;
    }
    const code = answer(request, response, path);
    if (code === NO_ANSWER) return;
    response.statusCode = code;
    response.end(response.statusCode === '2.05' ? read(path, request, response) : undefined);
  }

  function answer(request: IncomingMessage, response: OutgoingMessage, path: string): string {
    const { method, payload } = request;
    const resource = resourceAt(path, model);
    if (method === 'GET') {
      if (!resource) return path === REBOOT ? '4.05' : '4.04';
      return encode(formatOf(request, 'Accept'), resource, resource.read(model), model.sent())
        ? '2.05'
        : '4.06';
    }
    if (method === 'POST' && path === REBOOT) {
      requests.reboots += 1;
      tell({ event: 'reboot' });
      location = null;
      again(100);
      return '2.04';
    }
    const updated = firmware && updatedBy(firmware, `${method} ${path}`, payload);
    if (updated !== undefined) return updated;
    if (method === 'PUT' && path === MUTE_SEND) {
      model.mute(/^(?:1|true)$/.test(payload.toString()));
      return '2.04';
    }
    if (method === 'PUT' && path === SET_POINT) return setPointBy(request);
    return resource ? '4.05' : '4.04';
  }

  function setPointBy(request: IncomingMessage): string {
    const format = formatOf(request, 'Content-Format');
    if (!Object.values<number>(Format).includes(format)) return '4.15';
    const value = decodeNumber(format, request.payload);
    if (value === null) return '4.00';
    hold(value);
    return '2.04';
  }

  function hold(value: number): void {
    requests.writes += 1;
    const held = options.hold?.(value) ?? value;
    model.setSetPoint(held);
    tell({ event: 'set-point', value: held });
  }

  function read(
    path: string,
    request: IncomingMessage,
    response: OutgoingMessage,
  ): Buffer | undefined {
    const resource = resourceAt(path, model);
    const format = formatOf(request, 'Accept');
    requests.reads += 1;
    response.setOption('Content-Format', format);
    return resource
      ? (encode(format, resource, resource.read(model), model.sent()) ?? undefined)
      : undefined;
  }

  const exchange = createExchange(agent, server, clock);
  const ask: Exchange = async (...given) => {
    // An answer that was awaited when the device vanished must not wake it.
    if (isClosed) return null;
    sleep?.spoke();
    return exchange(...given);
  };

  async function register(): Promise<boolean> {
    reports.forget();
    const query = [
      ...(endpoint === '' ? [] : [`ep=${endpoint}`]),
      `lt=${lifetimeS}`,
      'lwm2m=1.1',
      'b=U',
      ...(sleep ? ['Q'] : []),
    ];
    const links = LINKS + (firmware ? ',</5/0>' : '');
    const response = await ask('POST', '/rd', query, links, LINK_FORMAT);
    if (response?.code !== '2.01') {
      tell(response ? { event: 'refused', code: response.code } : { event: 'unreachable' });
      if (!response) renew();
      return false;
    }
    location = locationOf(response);
    tell({ event: 'registered', location });
    return true;
  }

  async function update(): Promise<boolean> {
    const response = location ? await ask('POST', location) : null;
    if (response?.code === '2.04') {
      tell({ event: 'updated' });
      await report();
      return true;
    }
    // Unknown at the server (4.04) or no answer: only a new registration helps.
    location = null;
    if (!response) renew();
    return register();
  }

  /** What it measured while it slept (Send). */
  async function report(): Promise<void> {
    const values = model.isMuted() ? null : (samples?.next() ?? null);
    if (values === null) return;
    const response = await ask('POST', '/dp', [], values, Format.SENML_JSON);
    if (response?.code === '2.04') tell({ event: 'sent', values });
  }

  function again(ms: number): void {
    cancelTimer?.();
    cancelTimer = clock.after(ms, () => void keepAlive());
  }

  let failures = 0;
  async function keepAlive(): Promise<void> {
    const alive = await (location ? update() : register()).catch((error: unknown) => {
      log.warn({ endpoint, error }, 'the registration failed');
      return false;
    });
    if (stopped) return;
    failures = alive ? 0 : failures + 1;
    again(alive ? aliveMs : Math.min(RETRY_MS * 2 ** Math.min(failures - 1, 10), RETRY_MAX_MS));
  }

  function close(): void {
    stopped = true;
    isClosed = true;
    cancelTimer?.();
    firmware?.close();
    reports.close();
    samples?.close();
    coap.close();
    agent.close();
    socket.close();
  }

  void keepAlive();
  return {
    port: socket.address().port,
    setPoint: () => model.setPoint(),
    temperature: () => model.temperature(),
    requests,
    observed: () => reports.size(),
    isAsleep: () => sleep?.isAsleep() ?? false,
    wake() {
      if (!stopped) again(0);
    },
    registerAnew() {
      if (stopped) return;
      location = null;
      cancelTimer?.();
      void keepAlive();
    },
    vanish() {
      if (!stopped) close();
    },
    async stop() {
      if (stopped) return;
      stopped = true;
      cancelTimer?.();
      if (location) {
        const patience = Promise.withResolvers<null>();
        const cancel = clock.after(patienceMs, () => patience.resolve(null));
        const response = await Promise.race([ask('DELETE', location), patience.promise]);
        cancel();
        if (response?.code === '2.02') tell({ event: 'de-registered' });
      }
      close();
    },
  };
}
