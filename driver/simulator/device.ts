import { once } from 'node:events';

import { type IncomingMessage, ObserveWriteStream, type OutgoingMessage } from 'coap';

import { systemClock } from '../../src/core/clock.ts';
import type { DeviceEvent, DeviceOptions, SimulatedDevice } from './contract.ts';
import { decodeNumber, encode, Format } from './encoding.ts';
import { createFirmware } from './firmware.ts';
import { createModel, INSTALL, LINKS, PACKAGE, REBOOT, resourceAt, SET_POINT } from './model.ts';
import { createReports } from './reports.ts';
import { clearSocket, secureSocket } from './secure-socket.ts';
import { BlockServer, formatOf, GuardedAgent, locationOf } from './stack.ts';

const REQUEST_TIMEOUT_MS = 10_000;
const RETRY_MS = 2_000;
const RETRY_MAX_MS = 30_000;
const STOP_WAIT_MS = 2_000;

/**
 * A simulated LwM2M device on the npm `coap` stack: registers, keeps its registration alive and
 * answers reads, writes and executions on the same socket. Resolves once the socket is bound.
 */
export async function startDevice(options: DeviceOptions): Promise<SimulatedDevice> {
  const { endpoint, server, lifetimeS, log, clock = systemClock, onEvent } = options;
  const { patienceMs = STOP_WAIT_MS } = options;
  const { socket, renew } = options.psk
    ? secureSocket(server, options.psk, options.network)
    : clearSocket(options.network);
  socket.bind(options.port ?? 0);
  await once(socket, 'listening');
  const agent = new GuardedAgent({ socket });
  const coap = new BlockServer({}, handle);
  coap.listen(socket);
  const swallow = (error: Error): void => log.debug({ endpoint, error }, 'a socket error');
  agent.on('error', swallow);
  coap.on('error', swallow);

  const { flash } = options.firmware ?? {};
  const model = createModel(clock, { ...options, ...(flash && { flash }) });
  const firmware =
    options.firmware && createFirmware(clock, options.firmware, { off: powerCut, restart });
  coap.takes = (path, block) => path !== PACKAGE || firmware?.block(block) !== false;
  const requests = { reads: 0, writes: 0, reboots: 0 };
  const reports = createReports(clock);
  let location: string | null = null;
  let stopped = false;
  let isClosed = false;
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
    if (response instanceof ObserveWriteStream) return observe(path, request, response);
    if (request.headers['Observe'] === 1) reports.cancel(path, tokenOf(request));
    if (isAttributes && request.payload.length === 0) {
      response.statusCode =
        resourceAt(path, model) && reports.attributes(path, query) ? '2.04' : '4.00';
      response.end();
      return;
    }
    response.statusCode = answer(request, response, path);
    response.end(response.statusCode === '2.05' ? read(path, request, response) : undefined);
  }

  function observe(path: string, request: IncomingMessage, stream: ObserveWriteStream): void {
    const [resource, format] = [resourceAt(path, model), formatOf(request, 'Accept')];
    const encoded = (): Buffer | null =>
      resource ? encode(format, resource, resource.read(model)) : null;
    if (!encoded()) {
      stream.statusCode = resource ? '4.06' : '4.04';
      stream.end();
      return;
    }
    requests.reads += 1;
    stream.setOption('Content-Format', format);
    reports.begin({ path, token: tokenOf(request), stream, encoded });
  }

  function answer(request: IncomingMessage, response: OutgoingMessage, path: string): string {
    const resource = resourceAt(path, model);
    if (request.method === 'GET') {
      if (!resource) return path === REBOOT ? '4.05' : '4.04';
      return encode(formatOf(request, 'Accept'), resource, resource.read(model), model.sent())
        ? '2.05'
        : '4.06';
    }
    if (request.method === 'POST' && path === REBOOT) {
      requests.reboots += 1;
      tell({ event: 'reboot' });
      location = null;
      again(100);
      return '2.04';
    }
    if (firmware && request.method === 'PUT' && path === PACKAGE)
      return firmware.written(request.payload);
    if (firmware && request.method === 'POST' && path === INSTALL) return firmware.install();
    if (request.method !== 'PUT' || path !== SET_POINT) return resource ? '4.05' : '4.04';
    const format = formatOf(request, 'Content-Format');
    if (!Object.values<number>(Format).includes(format)) return '4.15';
    const value = decodeNumber(format, request.payload);
    if (value === null) return '4.00';
    requests.writes += 1;
    const held = options.hold?.(value) ?? value;
    model.setSetPoint(held);
    tell({ event: 'set-point', value: held });
    return '2.04';
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

  /** One exchange with the server: the response, or null when none came in time. */
  async function ask(
    method: 'POST' | 'DELETE',
    pathname: string,
    query: readonly string[] = [],
    payload?: string,
  ): Promise<IncomingMessage | null> {
    // An answer that was awaited when the device vanished must not wake it.
    if (isClosed) return null;
    const { promise, resolve } = Promise.withResolvers<IncomingMessage | null>();
    const request = agent.request({ ...server, method, pathname });
    // As bytes: an endpoint name may hold characters with a meaning in a URL.
    request.setOption(
      'Uri-Query',
      query.map((item) => Buffer.from(item)),
    );
    if (payload !== undefined) request.setOption('Content-Format', 40);
    request.on('response', resolve);
    request.on('error', () => resolve(null));
    const cancel = clock.after(REQUEST_TIMEOUT_MS, () => {
      // Otherwise the agent would repeat the request for minutes, on a socket that may be closed by then.
      agent.abort(request);
      resolve(null);
    });
    request.end(payload);
    return promise.finally(cancel);
  }

  async function register(): Promise<boolean> {
    reports.forget();
    const query = [`ep=${endpoint}`, `lt=${lifetimeS}`, 'lwm2m=1.1', 'b=U'];
    const response = await ask('POST', '/rd', query, firmware ? `${LINKS},</5/0>` : LINKS);
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
      return true;
    }
    // Unknown at the server (4.04) or no answer: only a new registration helps.
    location = null;
    if (!response) renew();
    return register();
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
    // At half the lifetime, so that a lost datagram and its repetitions still fit in.
    const next = Math.max(1000, lifetimeS * 1000 * 0.5);
    again(alive ? next : Math.min(RETRY_MS * 2 ** Math.min(failures - 1, 10), RETRY_MAX_MS));
  }

  function close(): void {
    stopped = true;
    isClosed = true;
    cancelTimer?.();
    firmware?.close();
    reports.close();
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

const tokenOf = ({ _packet: { token } }: IncomingMessage): string =>
  Buffer.from(token ?? []).toString('hex');
