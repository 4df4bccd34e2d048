import { Unprocessable } from '../../src/kernel/errors.ts';
import { localTime } from '../../src/kernel/input/local-time.ts';

/** A time that a model gave for a field, in ms; without an offset in `zone`. */
export function momentOf(text: string, zone: string, field: string): number {
  const at = localTime(text, zone);
  if (at === null)
    throw new Unprocessable(
      `${field} must be a time such as 2026-03-01T08:30, or one with an offset`,
    );
  return at;
}
