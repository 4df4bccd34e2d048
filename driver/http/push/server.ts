import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Clock } from '../../../src/kernel/clock.ts';
import { type Envelope, failure, ok } from '../../../src/kernel/envelope.ts';
import {
  AppError,
  BadRequest,
  NotAuthenticated,
  TooManyRequests,
  Unavailable,
} from '../../../src/kernel/errors.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import { JSON_BYTES, readBody } from '../../../src/kernel/request/body.ts';
import { JsonShape } from '../../../src/kernel/request/json-shape.ts';
import { listen, type Listener } from '../../../src/kernel/request/listen.ts';
import { sourceOf } from '../../../src/kernel/request/source-address.ts';
import { openSlots, type Slots } from '../../../src/kernel/slot.ts';
import { parseJson } from '../../report/json.ts';
import { Shares } from '../../report/shares.ts';
import type { DriverHost, Report } from '../../sdk/driver.ts';
import type { BoundDevice } from '../device/binding.ts';
import type { Devices } from '../device/devices.ts';
import { candidatesIn, type Remark } from './body.ts';
import { Deliveries, type Delivery, type Taken } from './deliveries.ts';
import { Rate } from './rate.ts';
import { signedBy, verdictOn } from './signature.ts';
import { validated } from './values.ts';

const PATH = /^\/push\/(\d{1,19})$/;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
/** Remarks in an answer; their number is always whole. */
const MAX_REMARKS = 100;
const RETRY_S = 5;

type Parts = {
  host: DriverHost;
  devices: Devices;
  /** A value that came: a write may wait for it. */
  pushed(report: Report): void;
  clock: Clock;
  log: Log;
};

/** Where devices push: `POST /push/<id of the device>`, signed as Standard Webhooks says (docs/http.md). */
export class PushServer {
  readonly #parts: Parts;
  readonly #of: Slots;
  readonly #deliveries = new Deliveries();
  readonly #shares = new Shares();
  readonly #rate: Rate;
  #listener: Listener | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#of = openSlots(parts.clock, 'embedded');
    this.#rate = new Rate(parts.clock);
  }

  /** Answers the port; rejects where it is taken. */
  async open(host: string, port: number): Promise<number> {
    this.#listener = await listen(this.#parts.clock, host, port);
    this.#listener.serve((req, res) => void this.#serve(req, res));
    return this.#listener.port;
  }

  forget(deviceId: string): void {
    this.#deliveries.forget(deviceId);
  }

  async close(): Promise<void> {
    await this.#listener?.stop();
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const answer = await this.#push(req, res);
      reply(res, answer.ok ? 200 : 422, answer);
    } catch (error) {
      const known = error instanceof AppError ? error : null;
      if (!known) this.#parts.log.error({ error }, 'a push could not be answered');
      const { status, code, message, detail } =
        known ?? new AppError(500, 'R500', 'Internal error');
      const retryAfter = detail?.['retryAfterSeconds'];
      if (typeof retryAfter === 'number') res.setHeader('retry-after', Math.ceil(retryAfter));
      if (status === 405) res.setHeader('allow', 'POST');
      reply(res, status, failure(code, message, detail));
    }
  }

  async #push(req: IncomingMessage, res: ServerResponse): Promise<Envelope> {
    const { host, clock } = this.#parts;
    const [, deviceId] = PATH.exec(req.url ?? '') ?? [];
    if (deviceId === undefined) throw new AppError(404, 'R404', 'This path does not exist');
    if (req.method !== 'POST') throw new AppError(405, 'R405', 'Push by POST');
    if (!JSON_TYPE.test(req.headers['content-type'] ?? ''))
      throw new AppError(415, 'R415', 'The content-type must be application/json');
    // Before all devices are known, an unknown one may be one of them.
    if (!host.synced()) throw new Unavailable('The devices are not known yet', undefined, RETRY_S);
    const sender = { source: sourceOf(req.socket.remoteAddress) };
    const app = { of: this.#of };
    const body = await readBody({ req, res, limit: JSON_BYTES, sender, app });
    const { bound, id } = this.#authenticated(deviceId, req, body);
    const { tenantId } = bound.device;
    if (!this.#rate.allows(tenantId) || !this.#shares.hasRoom(tenantId))
      throw new TooManyRequests('The tenant has pushed its share; try again', 1);
    const whole = jsonIn(body);
    const delivery = this.#deliveries.of(deviceId, id, body, clock.now());
    if (!delivery) throw new AppError(409, 'R409', 'Another body came under this webhook-id');
    if (delivery.isTaken) return ok({ taken: 0, repeated: true });
    delivery.underWay ??= this.#take(whole, bound, delivery).finally(() => {
      delivery.underWay = null;
    });
    return answerOf(await delivery.underWay);
  }

  /** The sender of a signed body. Throws one 401 for an unknown device and a wrong signature. */
  #authenticated(deviceId: string, req: IncomingMessage, body: Buffer) {
    const { devices, clock } = this.#parts;
    const bound = devices.of(deviceId);
    const signed = signedBy(req.headers);
    if (!signed) throw new NotAuthenticated();
    const secrets = bound?.device.enabled ? bound.secrets : [];
    const verdict = verdictOn(signed, body, { secrets, now: clock.now() });
    if (bound && verdict === 'signed') return { bound, id: signed.id };
    const isLate = verdict === 'at another time';
    devices
      .stateOf(deviceId)
      ?.refused(isLate ? 'its clock is wrong' : 'a request with a wrong signature came');
    // The secret was right, so this tells no stranger anything.
    if (isLate)
      throw new NotAuthenticated('The webhook-timestamp is more than 5 minutes from the time here');
    throw new NotAuthenticated();
  }

  /** Resolves once the values of a body cannot be lost any more. Throws 503 where they may be. */
  async #take(whole: unknown, sender: BoundDevice, delivery: Delivery): Promise<Taken> {
    const { devices } = this.#parts;
    const { candidates, refused } = candidatesIn(whole, sender, devices);
    const { reports, ...said } = validated(candidates, delivery.receivedAt);
    const all = [...refused, ...said.refused];
    await this.#deliver(sender.device.tenantId, reports);
    for (const report of reports) this.#parts.pushed(report);
    // What was refused as a whole may be taken once the devices have changed.
    delivery.isTaken = reports.length > 0 || all.length === 0;
    this.#pushed(sender, reports, all);
    return {
      taken: reports.length,
      refused: all.slice(0, MAX_REMARKS),
      refusedCount: all.length,
      bad: said.bad.slice(0, MAX_REMARKS),
      badCount: said.bad.length,
    };
  }

  async #deliver(tenantId: string, reports: readonly Report[]): Promise<void> {
    this.#shares.take(tenantId, reports.length);
    try {
      await this.#parts.host.deliver(reports);
    } catch (error) {
      throw new Unavailable('The values could not be stored; send them again', error, RETRY_S);
    } finally {
      this.#shares.free(tenantId, reports.length);
    }
  }

  /** Reports at once which devices are there now. */
  #pushed(sender: BoundDevice, reports: readonly Report[], refused: readonly Remark[]): void {
    const { devices, host } = this.#parts;
    const [first] = refused;
    const problem =
      first === undefined
        ? null
        : `of its last push ${refused.length} values were refused, the first: ${first.code}`;
    const present = new Map(reports.map(({ device }) => [device.id, device]));
    for (const device of [sender.device, ...present.values()]) {
      const before = devices.status(device).status;
      devices.stateOf(device.id)?.pushed(device === sender.device ? problem : null);
      if (devices.status(device).status !== before) host.stateChanged(device);
    }
  }
}

/** Throws 400, and 413 for what is too deep or too wide. */
function jsonIn(body: Buffer): unknown {
  new JsonShape().take(body);
  const whole = isUtf8(body) ? parseJson(body.toString()) : undefined;
  if (whole === undefined) throw new BadRequest('The body is not JSON');
  return whole;
}

function answerOf(taken: Taken): Envelope {
  if (taken.taken > 0 || taken.refusedCount === 0) return ok(taken);
  return failure('R422', 'No value was taken', taken);
}

function reply(res: ServerResponse, status: number, body: object): void {
  if (res.headersSent || res.destroyed) return;
  res
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(body));
}
