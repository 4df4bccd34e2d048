import { z } from 'zod';

/**
 * A place between two alarms of a search: urgency (0 to 8, `urgency` without what is below 0), time of the
 * alarm in microseconds since the epoch, id.
 */
export type Position = { urgency: number; micros: string; id: string };

/** A position as text, for cursors and URIs. */
export const PositionText = z
  .string()
  .refine(
    (text) => /^[0-8]\.-?\d{1,17}\.\d{1,18}$/.test(text),
    'must be the nextCursor of an earlier answer',
  );

export const positionText = ({ urgency, micros, id }: Position): string =>
  `${Math.max(urgency, 0)}.${micros}.${id}`;

export function positionOf(text: string): Position {
  const [urgency = '', micros = '', id = ''] = text.split('.');
  return { urgency: Number(urgency), micros, id };
}
