/** The clock of the plant as `Intl` writes it, apart from how the platform counts. */
export function localOf(at: Date | number, timeZone: string) {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((one) => one.type === type)?.value ?? '';
  return {
    date: `${part('year')}-${part('month')}-${part('day')}`,
    dow: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(part('weekday')) + 1,
    hour: Number(part('hour')),
  };
}

/** The dates of the last days, today last. */
export function datesBack(now: number, days: number, timeZone: string): string[] {
  const dates = new Set<string>();
  for (let at = now; dates.size < days; at -= 3_600_000) dates.add(localOf(at, timeZone).date);
  return [...dates].toReversed();
}

/** How many rows have each key. */
export function countBy<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  return counts;
}

/** Rows by hour of the week, as a dashboard answers them. */
export function cellsIn(times: readonly Date[], timeZone: string) {
  const counts = countBy(times, (at) => {
    const { dow, hour } = localOf(at, timeZone);
    return `${dow}:${String(hour).padStart(2, '0')}`;
  });
  return [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, count]) => ({
      dow: Number(key.slice(0, 1)),
      hour: Number(key.slice(2)),
      count,
    }));
}
