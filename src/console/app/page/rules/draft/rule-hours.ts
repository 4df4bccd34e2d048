import type { Content } from './rule-second.ts';

type Schedule = NonNullable<Content['schedule']>;

const DAYS = { daily: [], workdays: [1, 2, 3, 4, 5], weekend: [6, 7] } as const;
export const KINDS = ['always', 'daily', 'workdays', 'weekend'] as const;

/** When a rule is active; `stored`: by hours that the form does not have, which stay as they are. */
export type Hours = {
  kind: (typeof KINDS)[number] | 'stored';
  start: string;
  end: string;
  /** Of a stored rule; without one the server takes that of the plant. */
  timezone: string | undefined;
  stored: Schedule | null;
};
export const ALWAYS: Hours = {
  kind: 'always',
  start: '08:00',
  end: '17:00',
  timezone: undefined,
  stored: null,
};

export function hoursOf(schedule: Schedule | undefined): Hours {
  const [first, more] = schedule ?? [];
  if (!schedule || !first) return ALWAYS;
  const days = JSON.stringify(first.daysOfWeek ?? []);
  const kind = (['daily', 'workdays', 'weekend'] as const).find(
    (each) => JSON.stringify(DAYS[each]) === days,
  );
  const { start, end, timezone } = first;
  if (more || !kind) return { ...ALWAYS, kind: 'stored', stored: schedule };
  return { kind, start, end, timezone, stored: null };
}

/** As the server takes it; null: always. */
export function scheduleOf({ kind, start, end, timezone, stored }: Hours): Schedule | null {
  if (kind === 'always') return null;
  if (kind === 'stored') return stored;
  return [{ start, end, daysOfWeek: [...DAYS[kind]], ...(timezone !== undefined && { timezone }) }];
}
