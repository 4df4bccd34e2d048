import type { Mute } from '../../../../src/alarm/deliver/night-beside.ts';
import type { Night, Receiver } from '../../../../src/alarm/deliver/night.ts';
import { seeded } from '../../world/seeded.ts';

export const MINUTE = 60_000;
const PARTS = ['device', 'driver', 'rule', 'level'] as const;
const LEVELS = ['P0', 'P1', 'P2', 'P3'] as const;

/** What a night is made of: a policy, its channels, and what happens; times in ms after `fires`. */
export type Planned = {
  level: Night['level'];
  content: object;
  notifyInterval: number;
  /** `step`: its place in the steps of the policy; null: in none. */
  channels: { bindExt: object; step: number | null; receiver: Receiver }[];
  steps: object[];
  confirmed: number | null;
  over: number | null;
  /** When its place is in maintenance. */
  mutes: readonly Mute[];
};

/** A random night that begins at `fires`. */
export function plannedNight(seed: number, fires: number, lasts: number): Planned {
  const random = seeded(seed);
  const chance = (part: number): boolean => random() < part;
  const below = (most: number): number => Math.floor(random() * most);
  const minutes = (most: number): number => (1 + below(most)) * MINUTE;
  const time = (at: number): string => new Date(at).toISOString().slice(11, 16);
  const hours = () => {
    const start = fires + below(lasts) - lasts / 2;
    return { start: time(start), end: time(start + minutes(180)) };
  };
  const some = <T>(part: number, value: () => T): T[] => (chance(part) ? [value()] : []);
  const optional = (part: number, key: string, value: () => unknown): object =>
    chance(part) ? { [key]: value() } : {};
  const date = new Date(fires).toISOString().slice(0, 10);
  const onCall = () => ({
    windows: [hours(), ...some(0.5, hours)],
    ...optional(0.3, 'holidays', () => ({ dates: [date], windows: some(0.5, hours) })),
  });
  const levels = () => LEVELS.filter(() => chance(0.6));
  const digested = () => {
    const one = LEVELS[1 + below(3)];
    return LEVELS.filter((level) => level !== 'P0' && (level === one || chance(0.5)));
  };
  const content = {
    ...optional(0.3, 'silence', () => ({ windows: [hours()] })),
    ...optional(0.4, 'repeat', () => ({
      enabled: true,
      intervalMs: minutes(60),
      maxTimes: 1 + below(5),
    })),
    ...optional(0.2, 'rateLimit', () => ({ intervalMs: minutes(90), maxCount: 1 + below(3) })),
    ...optional(0.2, 'recovery', () => ({ sendRecoveryMessage: chance(0.5) })),
    ...optional(0.3, 'grouping', () => ({
      by: PARTS.filter(() => chance(0.3)),
      waitMs: minutes(chance(0.7) ? 5 : 60),
    })),
    ...optional(0.3, 'digest', () => ({
      levels: digested(),
      ...(chance(0.5)
        ? { everyMs: minutes(150) }
        : {
            at: Array.from({ length: 1 + below(3) }, () => time(fires + below(lasts)).slice(0, 5)),
          }),
    })),
    ...optional(0.3, 'flood', () => ({ count: 1 + below(3), perMs: minutes(90) })),
  };
  const steps = Array.from({ length: below(4) }, () => ({
    ...(chance(0.7) ? { afterMs: minutes(60) } : { onFailure: true }),
    ...optional(0.4, 'onFailure', () => true),
    ...optional(0.2, 'levels', levels),
    ...optional(0.2, 'onCall', onCall),
  }));
  const maintenance = (): Mute => {
    const from = fires + below(lasts) - lasts / 4;
    return { from, until: from + minutes(120) };
  };
  const receiver = (): Receiver => {
    const from = fires + below(lasts) - lasts / 2;
    const to = from + minutes(120);
    const isDown = chance(0.5);
    const refuses = chance(0.1);
    return {
      answerMs: 0,
      answers(at) {
        if (!isDown || at < from || at >= to) return { status: 'delivered', answer: 'taken' };
        return refuses
          ? { status: 'refused', reason: 'HTTP 410' }
          : { status: 'unreachable', reason: 'HTTP 503' };
      },
    };
  };
  return {
    level: LEVELS[below(4)] ?? 'P1',
    content,
    notifyInterval: chance(0.2) ? minutes(30) : 0,
    steps,
    channels: Array.from({ length: 1 + below(4) }, () => ({
      bindExt: {
        ...optional(0.2, 'levels', levels),
        ...optional(0.2, 'sendRecovery', () => chance(0.5)),
        ...optional(0.15, 'rateLimitOverrideMs', () => minutes(30)),
        ...optional(0.4, 'onCall', onCall),
        ...optional(0.3, 'quiet', () => ({ windows: [hours()], through: levels() })),
      },
      step: steps.length > 0 && chance(0.6) ? below(steps.length) : null,
      receiver: receiver(),
    })),
    confirmed: chance(0.4) ? below(lasts) : null,
    over: chance(0.6) ? below(lasts) : null,
    mutes: [...some(0.3, maintenance), ...some(0.15, maintenance)],
  };
}
