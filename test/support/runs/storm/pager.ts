import type { Outcome } from '../../../../src/alarm/channel/delivery/channel.ts';

/** LEFT: the alarm fires on, and is not sent there any more. */
type Request = { id: string; alarmId: string; event: 'FIRING' | 'LEFT' | 'OVER'; at: number };
type Kind = 'TAKES' | 'HANGS' | 'FAILS' | 'DRIPS' | 'LATE';

const MINUTE = 60_000;
const MAX_AWAY = 120;
const LATE = { status: 'unreachable', reason: 'No answer in time', unanswered: true } as const;

/** A receiver that is away for a while in its own way, and remembers what it was sent. */
export class Pager {
  readonly kind: Kind;
  readonly #away: { from: number; to: number };
  /** By alarm: the newest that it has kept, and the newest of these that it answered. */
  readonly #kept = new Map<string, Request['event']>();
  readonly #said = new Map<string, Request['event']>();
  readonly #taken = new Set<string>();
  readonly wrong: string[] = [];
  requests = 0;

  /** It is back by `from + lasts`. */
  constructor(random: () => number, from: number, lasts: number) {
    const kinds: readonly [number, Kind][] = [
      [0.3, 'HANGS'],
      [0.5, 'FAILS'],
      [0.6, 'DRIPS'],
      [0.7, 'LATE'],
    ];
    const chosen = random();
    this.kind = kinds.find(([most]) => chosen < most)?.[1] ?? 'TAKES';
    const begins = from + random() * (lasts / 2);
    const away = Math.min(random() * MAX_AWAY * MINUTE, from + lasts - begins);
    this.#away = { from: begins, to: begins + away };
  }

  receive({ id, alarmId, event, at }: Request): Outcome {
    this.requests += 1;
    if (this.#taken.has(id)) this.wrong.push(`${id} came again after it was taken`);
    const before = this.#kept.get(alarmId);
    if (before === 'OVER' && event === 'FIRING')
      this.wrong.push(`alarm ${alarmId} fires for it after its end`);
    const isAway = at >= this.#away.from && at < this.#away.to;
    if (isAway && this.kind === 'FAILS') return { status: 'unreachable', reason: 'HTTP 503' };
    if (isAway && (this.kind === 'HANGS' || this.kind === 'DRIPS')) return LATE;
    this.#kept.set(alarmId, event);
    if (isAway && this.kind === 'LATE') return LATE;
    this.#said.set(alarmId, event);
    this.#taken.add(id);
    return { status: 'delivered', answer: 'taken' };
  }

  /** What the ledger says of an alarm and this receiver does not; empty: they agree. */
  wrongAbout(alarmId: string, known: number): string {
    const event = this.#said.get(alarmId);
    const said = event === undefined ? 0 : event === 'FIRING' ? 1 : 2;
    // It may be about to get the alarm again.
    const isKnown = known === said || (event === 'LEFT' && known === 0);
    return isKnown ? '' : `the ledger says ${known}, the receiver answered ${said}`;
  }

  /** Whether an alarm fires for it, also where it did not answer that. */
  hasOpen(alarmId: string): boolean {
    return this.#kept.get(alarmId) === 'FIRING';
  }
}
