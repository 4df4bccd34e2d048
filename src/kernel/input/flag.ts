import { z } from 'zod';

type Flags = Record<string, number>;

/** enable_flag of every table: 0 means enabled (docs/specification/objects.md, Common fields). */
export const EnableFlag = { ENABLE: 0, DISABLE: 1 } as const;

/**
 * An enumeration stored as a number: accepted by name or number, parsed to the number. Answers carry the
 * name (`nameOf`), except the flags of alarms, notifications and events (docs/specification/alarms.md,
 * Enumerations).
 */
export const flag = (flags: Flags) =>
  z
    .union([z.string(), z.number()])
    .refine(
      (given) => Object.hasOwn(flags, given) || Object.values(flags).includes(Number(given)),
      {
        error: `must be one of ${Object.keys(flags).join(', ')}`,
      },
    )
    .transform((given): number =>
      Object.hasOwn(flags, given) ? (flags[given] ?? 0) : Number(given),
    )
    .meta({
      enum: [...Object.keys(flags), ...Object.values(flags)],
      description: Object.entries(flags)
        .map(([name, value]) => `${name} (${value})`)
        .join(', '),
    });

/** The name of a stored number; throws for a number the table's check constraint would refuse. */
export function nameOf<F extends Flags>(flags: F, value: number): Extract<keyof F, string> {
  for (const name in flags) if (flags[name] === value) return name;
  throw new Error(`${value} is not a value of this enumeration`);
}
