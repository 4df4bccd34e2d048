import type { Clock } from '../../../src/kernel/clock.ts';
import { hostPort } from '../../../src/kernel/egress/address.ts';
import { createEgress, type Egress } from '../../../src/kernel/egress/egress.ts';
import { boundPoint } from '../../report/bound.ts';
import { BEHIND_MS, isSame } from '../../report/expected.ts';
import { at, parseJson } from '../../report/json.ts';
import {
  type DriverDevice,
  DriverFailure,
  type DriverPoint,
  type Reading,
} from '../../sdk/driver.ts';
import { invalid, reportsOnly, silent } from '../../sdk/failure.ts';
import type { BoundDevice, BoundPoint } from '../device/binding.ts';
import { readingOf, timeIn } from '../device/reading.ts';
import { Answers } from './answers.ts';
import { exchange } from './exchange.ts';

const USER_AGENT = 'svc-driver-http';
/** How often a device is asked again whether it holds what was written. */
const ASK_MS = 500;

type Parts = {
  clock: Clock;
  /** The device with its settings. Throws `DriverFailure`. */
  bound(device: DriverDevice): BoundDevice;
  /** Whether the device answers, and what is wrong with that. */
  answered(device: DriverDevice, isThere: boolean, problem: string | null): void;
};

type Polled = { whole: unknown; at: number };

/** Devices that are asked for their values over HTTP. */
export class Pull {
  readonly #parts: Parts;
  readonly #egress: Egress;
  readonly #allow: ReadonlySet<string>;
  readonly #answers = new Answers();

  /** `allow`: `host:port` of addresses that are not public, and of those that are asked in clear. */
  constructor(parts: Parts, allow: readonly string[]) {
    this.#parts = parts;
    this.#egress = createEgress({ allow });
    this.#allow = new Set(allow.map(hostPort));
  }

  async read(device: DriverDevice, point: DriverPoint, deadline: number): Promise<Reading> {
    const of = this.#parts.bound(device);
    const bound = boundPoint(of, point);
    if (!bound.url) throw reportsOnly();
    const reading = readingIn(await this.#poll(of, bound.url, deadline), bound, of);
    if (reading.invalid) throw invalid(reading.issue ?? 'the answer has no value');
    return reading;
  }

  /**
   * Sends one GET for each URL of the points. Where a URL is refused, each of its points gets an invalid reading with the
   * reason. Throws a silent `DriverFailure` where a peer does not answer.
   */
  async readMany(
    device: DriverDevice,
    points: readonly DriverPoint[],
    deadline: number,
  ): Promise<ReadonlyMap<string, Reading>> {
    const of = this.#parts.bound(device);
    const found = new Map<string, Reading>();
    const sound = points.flatMap((point) => {
      const bound = of.points.get(point.id);
      return bound && !(bound instanceof DriverFailure) && bound.url ? [bound] : [];
    });
    for (const [href, there] of Map.groupBy(sound, ({ url }) => url?.href ?? '')) {
      const polled = await this.#poll(of, new URL(href), deadline).catch((error: unknown) => {
        if (error instanceof DriverFailure && !error.isSilent) return error;
        throw error;
      });
      for (const bound of there)
        found.set(
          bound.point.id,
          polled instanceof DriverFailure
            ? wrong(polled.message, this.#parts.clock.now())
            : readingIn(polled, bound, of),
        );
    }
    return found;
  }

  /** Asks for what the device answers, and takes it for nothing but a sign of life. Never rejects. */
  async probe(device: DriverDevice, deadline: number): Promise<void> {
    try {
      const of = this.#parts.bound(device);
      if (of.url) await this.#poll(of, of.url, deadline);
    } catch (error) {
      if (!(error instanceof DriverFailure)) throw error;
    }
  }

  /** What the device holds after a write that began at `since`: the written value, or the last other one. */
  async readBack(
    device: DriverDevice,
    point: DriverPoint,
    { raw, since, deadline }: { raw: string; since: number; deadline: number },
  ): Promise<Reading> {
    const { clock } = this.#parts;
    const of = this.#parts.bound(device);
    const bound = boundPoint(of, point);
    if (!bound.url) throw reportsOnly();
    let last: Reading | null = null;
    for (;;) {
      const reading = readingIn(await this.#poll(of, bound.url, deadline, true), bound, of);
      const isOld = reading.originTime < since - BEHIND_MS;
      if (!isOld) last = reading;
      if (!isOld && !reading.invalid && isSame(reading.rawValue, raw)) return reading;
      if (clock.now() + ASK_MS >= deadline) break;
      await new Promise<void>((resolve) => void clock.after(ASK_MS, resolve));
    }
    if (!last) throw silent('what it answers is from before the write');
    if (last.invalid) throw invalid(last.issue ?? 'the answer has no value');
    return last;
  }

  async close(): Promise<void> {
    await this.#egress.close();
  }

  get exchangeParts() {
    return { egress: this.#egress, allow: this.#allow, clock: this.#parts.clock };
  }

  /** What the device answers at an address; `isFresh`: no cache on the way may answer. */
  async #poll(of: BoundDevice, url: URL, deadline: number, isFresh = false): Promise<Polled> {
    const { clock, answered } = this.#parts;
    const key = `${of.device.id} ${url.href}`;
    const known = isFresh ? undefined : this.#answers.of(key);
    const headers = {
      ...headersOf(of),
      accept: 'application/json',
      ...(known && { 'if-none-match': known.etag }),
      ...(isFresh && { 'cache-control': 'no-cache' }),
    };
    try {
      const answer = await exchange(this.exchangeParts, { url, method: 'GET', headers }, deadline);
      const { status } = answer;
      const isUnchanged = status === 304 && known !== undefined;
      if (!isUnchanged && (status < 200 || status > 299)) {
        this.#answers.forget(key);
        // A gateway answers one of these statuses where it does not reach the device (RFC 9110, 15.6).
        const isSilent = status >= 500;
        const what = `it answers with status ${status}`;
        throw new DriverFailure('HTTP_STATUS', what, 'FAILED', undefined, isSilent);
      }
      const text = isUnchanged ? known.text : answer.text;
      const whole = parseJson(text);
      if (whole === undefined) throw invalid('the answer is no JSON');
      if (!isUnchanged) this.#answers.put(key, answer.headers.get('etag'), text);
      answered(of.device, true, null);
      return { whole, at: clock.now() };
    } catch (error) {
      if (error instanceof DriverFailure) {
        const isThere = !error.isSilent && error.code !== 'POINT_CONFIG';
        answered(of.device, isThere, error.message);
      }
      throw error;
    }
  }
}

export const headersOf = ({ settings }: BoundDevice): Record<string, string> => ({
  'user-agent': USER_AGENT,
  ...(settings.header && { [settings.header[0]]: settings.header[1] }),
});

const wrong = (issue: string, originTime: number): Reading => ({
  rawValue: '',
  originTime,
  invalid: true,
  issue,
});

function readingIn({ whole, at: now }: Polled, bound: BoundPoint, of: BoundDevice): Reading {
  const part = at(whole, bound.valuePath);
  if (part === undefined) return wrong('the answer has no value there', now);
  const { timePath } = of.settings;
  const given = timePath ? at(whole, timePath) : undefined;
  const time = given === undefined ? now : timeIn(given);
  if (time === null) return wrong('the answer has no time that can be read', now);
  return readingOf({ part, bound, quality: undefined }, time);
}
