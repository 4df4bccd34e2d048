import { z } from 'zod';

import type { Attribute } from '../sdk/driver.ts';
import { misconfigured } from '../sdk/failure.ts';
import { jsonPath, type JsonPath } from './json.ts';

/** Values by code of what has no config. */
export const defaultsOf = (attributes: readonly Attribute[]): Record<string, string> =>
  Object.fromEntries(attributes.map(({ code, defaultValue }) => [code, defaultValue]));

/** A place in JSON; null for an empty text. */
export const PathSetting = z.string().transform((text, context): JsonPath | null => {
  if (text.trim() === '') return null;
  const path = jsonPath(text.trim());
  if (!path) context.addIssue({ code: 'custom', message: 'must be a path like $.data[0].value' });
  return path;
});

/** Words between commas, in lower case. */
export const WordsSetting = z.string().transform(
  (text): ReadonlySet<string> =>
    new Set(
      text
        .split(',')
        .map((word) => word.trim().toLowerCase())
        .filter((word) => word !== ''),
    ),
);

/** Seconds of a setting: up to a year. */
export const SECONDS = { min: 1, max: 31_536_000 };
export const SecondsSetting = z.coerce
  .number('must be seconds')
  .int()
  .min(SECONDS.min)
  .max(SECONDS.max);

/** Throws `DriverFailure` POINT_CONFIG for what makes no sense. */
export function parsedSettings<S extends z.ZodType>(
  schema: S,
  given: Record<string, string>,
): z.output<S> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw misconfigured(`${issue?.path.join('.')}: ${issue?.message}`);
}
