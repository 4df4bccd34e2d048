const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const;

/** How old a value is at `now` (milliseconds), e.g. `4 min old`. */
export function ageOf(time: string | null, now: number): string {
  if (time === null) return 'never read';
  const age = now - Date.parse(time);
  const unit = UNITS.find(([ms]) => age >= ms);
  return unit ? `${Math.floor(age / unit[0])} ${unit[1]} old` : 'less than 1 min old';
}
