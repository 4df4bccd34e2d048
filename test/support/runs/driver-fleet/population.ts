import { type Fleet, startFleet } from '../../../../driver/simulator/fleet/fleet.ts';
import { endpointOf } from '../../../../driver/simulator/fleet/identity.ts';
import type { MemberOptions } from '../../../../driver/simulator/fleet/member.ts';

/** Values of a device lie in a range of its own: its number times this, and what follows. */
const RANGE = 10;
const SET_POINT = 7;
const KEPT = 40;
const SHOWN = { steps: 400, size: 0.01, everyMs: 10_000 };

type What = Parameters<NonNullable<MemberOptions['happened']>>[1];

/** What the simulated devices did, and what they show. */
export class Population {
  /** How often each device was off for longer than its registration lasts. */
  readonly outages = new Map<string, number>();
  /** How often one that was on had no answer for so long, by losses or a busy machine: the platform may have missed it too. */
  readonly silences = new Map<string, number>();
  lastOn = 0;
  #off = new Set<string>();
  #heardAt = new Map<string, number>();
  #history = new Map<string, string[]>();
  #lifetimeMs = 0;
  #mark: number | null = null;
  #fleets: Fleet[] = [];
  readonly endpoints: readonly string[];

  constructor(prefixes: readonly string[], each: number) {
    this.endpoints = prefixes.flatMap((prefix) =>
      Array.from({ length: each }, (_, index) => endpointOf(prefix, index + 1)),
    );
  }

  async start(
    endpoints: readonly string[],
    given: Omit<MemberOptions, 'sensorOf' | 'setPointOf' | 'happened'> & { turnMs: number },
  ): Promise<void> {
    this.#lifetimeMs = given.lifetimeS * 1_000;
    const fleet = await startFleet(endpoints, {
      ...given,
      sensorOf: (endpoint) => () => this.#baseOf(endpoint) + this.#shown(),
      setPointOf: (endpoint) => this.#baseOf(endpoint) + SET_POINT,
      happened: (endpoint, what) => this.#happened(endpoint, what),
    });
    this.#fleets.push(fleet);
  }

  summaries = () => this.#fleets.map((fleet) => fleet.summary());

  /** Devices that are off for longer than their registration lasts. */
  get off(): number {
    return this.#off.size;
  }

  /** What a device did last, each with its minute and second. */
  historyOf = (endpoint: string): string => (this.#history.get(endpoint) ?? []).join(', ');

  calm(): void {
    for (const fleet of this.#fleets) fleet.calm();
  }

  /** From now on every temperature is this one of the device's range; answers what each device shows. */
  show(mark: number): Map<string, number> {
    this.#mark = mark;
    return new Map(this.endpoints.map((name) => [name, this.#baseOf(name) + mark]));
  }

  /** Whether a device can have shown the value. */
  isOwn(endpoint: string, point: string, value: number): boolean {
    const own = Number((value - this.#baseOf(endpoint)).toFixed(6));
    return point === 'temperature' ? own >= 0 && own < 5 : own === SET_POINT;
  }

  async stop(): Promise<void> {
    for (const fleet of this.#fleets) await fleet.stop();
  }

  #baseOf = (endpoint: string): number => (this.endpoints.indexOf(endpoint) + 1) * RANGE;

  #shown(): number {
    return this.#mark ?? (Math.floor(Date.now() / SHOWN.everyMs) % SHOWN.steps) * SHOWN.size;
  }

  #happened(endpoint: string, what: What): void {
    const now = Date.now();
    const said = `${what} ${new Date(now).toISOString().slice(14, 21)}`;
    this.#history.set(endpoint, [...(this.#history.get(endpoint) ?? []), said].slice(-KEPT));
    switch (what) {
      case 'outage':
        this.#off.add(endpoint);
        // The time until it is heard again belongs to the outage.
        this.#heardAt.delete(endpoint);
        return add(this.outages, endpoint);
      case 'heard':
        if (now - (this.#heardAt.get(endpoint) ?? now) > this.#lifetimeMs)
          add(this.silences, endpoint);
        this.#heardAt.set(endpoint, now);
        return;
      case 'on':
        this.#off.delete(endpoint);
        this.lastOn = now;
        return;
      case 'off':
      case 'rebind':
    }
  }
}

const add = (counts: Map<string, number>, name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1);
