import { isInRange, rangeProblem, rangeText } from '../../src/bus/topic/attribute.ts';
import type { AttributeType } from '../../src/bus/topic/topics.ts';
import type { Attribute, Driver } from './driver.ts';

type More = Partial<
  Pick<Attribute, 'secret' | 'identity' | 'provenBy' | 'oneOf' | 'min' | 'max' | 'required'>
>;

/**
 * A setting of a device, or of one of its points, commands or events, by its code, which is its name too. The platform refuses values that are
 * not of its type, none of `oneOf`, outside of `min` to `max`, or empty where it is `required`.
 */
export const attribute = <const C extends string>(
  code: C,
  type: AttributeType,
  defaultValue: string,
  description: string,
  more: More = {},
): Attribute & { code: C } => ({
  code,
  name: code,
  type,
  defaultValue,
  description,
  secret: false,
  ...more,
});

const isNumber = ({ type }: Attribute): boolean => type !== 'STRING' && type !== 'BOOLEAN';

/** Why an attribute does not take this value; null where it does. */
export function settingProblem(given: Attribute, value: string): string | null {
  const { oneOf, required } = given;
  if (value.trim() === '') return required || isNumber(given) ? 'must not be empty' : null;
  const isSame = (one: string) =>
    one === value || (isNumber(given) && Number(one) === Number(value));
  if (oneOf && !oneOf.some(isSame)) return `must be one of ${oneOf.join(', ')}`;
  if (!isNumber(given)) return null;
  if (!Number.isFinite(Number(value))) return `must be a ${given.type}`;
  return isInRange(given, Number(value)) ? null : `must be ${rangeText(given)}`;
}

/** Why one of the attributes of a driver makes no sense; null where all do. */
export function attributeProblem(
  driver: Pick<
    Driver,
    'driverAttributes' | 'pointAttributes' | 'commandAttributes' | 'eventAttributes'
  >,
): string | null {
  const kinds = [
    'driverAttributes',
    'pointAttributes',
    'commandAttributes',
    'eventAttributes',
  ] as const;
  for (const kind of kinds) {
    const seen = new Set<string>();
    for (const one of driver[kind] ?? []) {
      const of = `${kind}: ${one.code}`;
      if (seen.has(one.code)) return `${of} is declared twice`;
      seen.add(one.code);
      const problem =
        rangeProblem(one.type, one) ??
        (one.defaultValue === '' ? null : settingProblem(one, one.defaultValue));
      if (problem !== null) return `${of} ${problem}`;
    }
  }
  return null;
}
