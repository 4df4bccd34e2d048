import { z } from 'zod';

import { Text } from '../../kernel/input/text.ts';
import { AttributeType, code } from './topic-fields.ts';

/** Which values an attribute takes; each is checked where a value is stored. */
export const AttributeLimits = z.object({
  /** The only values that the running driver takes. */
  oneOf: z.array(Text(256)).min(1).max(64).optional(),
  /** Of a number: the least and the greatest one. */
  min: z.number().optional(),
  max: z.number().optional(),
  /** It needs a value: its default, or where that is empty one for each device, point, command or event. */
  required: z.boolean().optional(),
});
export type AttributeLimits = z.infer<typeof AttributeLimits>;

/** What a driver declares of one of its settings. */
export const Attribute = z
  .object({
    code,
    name: Text(64).min(1),
    type: AttributeType,
    defaultValue: Text(256),
    description: Text(1024),
    secret: z.boolean().default(false),
    /** A value belongs to one device over all tenants; a second device with it is refused. */
    identity: z.boolean().optional(),
    /** Values of this attribute, in capitals: a device with one of them proves its identity by its own key. */
    provenBy: z.array(z.string().max(32)).max(8).optional(),
    ...AttributeLimits.shape,
  })
  .superRefine(({ type, ...limits }, context) => {
    const message = rangeProblem(type, limits);
    if (message !== null) context.addIssue({ code: 'custom', path: ['min'], message });
  });

/** Why no value could be in the range of an attribute of this type; null where one can. */
export function rangeProblem(type: AttributeType, { min, max }: AttributeLimits): string | null {
  if (min === undefined && max === undefined) return null;
  if (type === 'STRING' || type === 'BOOLEAN') return `a ${type} has no range`;
  return (min ?? -Infinity) <= (max ?? Infinity) ? null : 'min must not be above max';
}

export const isInRange = ({ min, max }: AttributeLimits, value: number): boolean =>
  value >= (min ?? -Infinity) && value <= (max ?? Infinity);

/** A range as text: `0 to 65535`, `at least 1`. */
export function rangeText({ min, max }: AttributeLimits): string {
  if (min === undefined) return `at most ${max}`;
  return max === undefined ? `at least ${min}` : `${min} to ${max}`;
}
