import { z } from 'zod';

/** The largest signed 64-bit integer, the upper bound of the database's ids. */
const MAX_ID = 9_223_372_036_854_775_807n;

/** Shorter ones are below the bound whatever their digits. */
const MAX_DIGITS = String(MAX_ID).length;
const DIGITS = /^[1-9]\d{0,18}$/;

export const isId = (text: string): boolean =>
  DIGITS.test(text) && (text.length < MAX_DIGITS || BigInt(text) <= MAX_ID);

/**
 * A database id: 64-bit, a decimal string in JSON. Accepted as string or safe integer, always parsed to a
 * string, so that no id is ever rounded by a JSON number.
 */
export const Id = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine(isId, 'must be an id: a positive whole number, as lists and searches answer it')
  .meta({ examples: ['7312'] });

/** Orders ids as the database does, so that transactions lock rows in one order: 9 is before 10. */
export const byNumber = (one: string, other: string): number => Number(BigInt(one) - BigInt(other));

export const Uuid = z.uuid().meta({ examples: ['0b9c1f4e-5d3a-4c1e-9a77-2f6d8e1b4c30'] });

/** An id, or 0 for none. */
export const IdOrZero = z
  .union([z.literal('0'), z.literal(0).transform(String), Id])
  .meta({ examples: ['0'] });
