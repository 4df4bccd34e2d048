import type { ISubscriptionMap, MqttClient } from 'mqtt';

/** Filters in one request of a subscription. */
const AT_ONCE = 100;
/** MQTT 5, 3.9.3: from here on a code says no. */
const REFUSED = 128;

/** The filters that a connection is to have, and those that the broker has refused. */
export class Subscriptions {
  readonly #isVersion5: boolean;
  readonly #refused: (problem: { filter: string; reason: string }) => void;
  readonly #wanted = new Set<string>();
  readonly #refusals = new Map<string, string>();
  /** Filters that came or went since the last request: of ten thousand devices one changes at a time. */
  readonly #changed = new Set<string>();
  /** What the client that is connected was asked for. */
  readonly #asked = new Set<string>();
  #client: MqttClient | null = null;
  #isPlanned = false;

  constructor(isVersion5: boolean, refused: (problem: { filter: string; reason: string }) => void) {
    this.#isVersion5 = isVersion5;
    this.#refused = refused;
  }

  refusalOf(filter: string): string | null {
    return this.#refusals.get(filter) ?? null;
  }

  add(filter: string): void {
    this.#wanted.add(filter);
    this.#changed.add(filter);
    this.#plan();
  }

  remove(filter: string): void {
    this.#wanted.delete(filter);
    this.#refusals.delete(filter);
    this.#changed.add(filter);
    this.#plan();
  }

  /** Asks for all: what the broker still knows of an earlier connection is not relied on (MQTT.js#895). */
  connected(client: MqttClient): void {
    this.#client = client;
    this.#asked.clear();
    for (const filter of this.#wanted) this.#changed.add(filter);
    this.#plan();
  }

  disconnected(): void {
    this.#client = null;
    this.#asked.clear();
  }

  /** Devices come and go many at a time. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      if (this.#client?.connected) this.#ask(this.#client);
    });
  }

  #ask(client: MqttClient): void {
    const changed = [...this.#changed].filter(
      (filter) => this.#wanted.has(filter) !== this.#asked.has(filter),
    );
    this.#changed.clear();
    const more = changed.filter((filter) => this.#wanted.has(filter));
    const fewer = changed.filter((filter) => this.#asked.has(filter));
    for (const filter of fewer) this.#asked.delete(filter);
    if (fewer.length > 0) client.unsubscribe(fewer, () => {});
    for (let from = 0; from < more.length; from += AT_ONCE)
      this.#subscribe(client, more.slice(from, from + AT_ONCE));
  }

  #subscribe(client: MqttClient, filters: readonly string[]): void {
    for (const filter of filters) this.#asked.add(filter);
    const map: ISubscriptionMap = Object.fromEntries(
      filters.map((filter) => {
        const isShared = filter.startsWith('$share/');
        // What the platform sends itself proves nothing of a device; a shared subscription must not say so (3.8.3.1).
        return [filter, { qos: 1, ...(this.#isVersion5 && { nl: !isShared, rap: false, rh: 0 }) }];
      }),
    );
    client.subscribe(map, (error, asked, packet) => {
      if (client !== this.#client) return;
      for (const [i, { topic: filter }] of (asked ?? []).entries()) {
        const code = packet?.granted[i];
        if (typeof code === 'number' && code < REFUSED) this.#refusals.delete(filter);
        else {
          const reason = error?.message ?? 'it did not say why';
          this.#refusals.set(filter, reason);
          this.#refused({ filter, reason });
        }
      }
    });
  }
}
