const SECONDS = { s: 1, min: 60, h: 3_600, d: 86_400 } as const;
type Unit = keyof typeof SECONDS;
export const UNITS: readonly Unit[] = ['s', 'min', 'h', 'd'];
const LONGEST_FIRST: readonly Unit[] = ['d', 'h', 'min', 's'];

/** A length of time as a person enters it; without an amount there is none. */
export type Length = { amount: string; unit: Unit };
export const NO_LENGTH: Length = { amount: '', unit: 's' };

/** An ISO-8601 duration of days, hours, minutes and seconds. */
const PATTERN = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;

function secondsIn(text: string | undefined): number {
  const parts = PATTERN.exec(text ?? '')?.slice(1) ?? [];
  return LONGEST_FIRST.reduce(
    (sum, unit, index) => sum + Number(parts[index] ?? 0) * SECONDS[unit],
    0,
  );
}

/** A duration in the longest unit that holds it whole. */
export function lengthIn(text: string | undefined): Length {
  const seconds = secondsIn(text);
  if (seconds === 0) return NO_LENGTH;
  const unit = LONGEST_FIRST.find((each) => seconds % SECONDS[each] === 0) ?? 's';
  return { amount: String(seconds / SECONDS[unit]), unit };
}

/** As ISO-8601; null for none. What is no number goes as it is: the server says what is wrong with it. */
export function textOf({ amount, unit }: Length): string | null {
  const given = amount.trim();
  if (given === '' || Number(given) === 0) return null;
  return unit === 'd' ? `P${given}D` : `PT${given}${{ s: 'S', min: 'M', h: 'H' }[unit]}`;
}
