import { partWords } from '../../word/part.ts';

/** What the OpenAPI document says of a field. */
export type Bound = {
  required?: true;
  values?: readonly string[];
  type?: 'integer' | 'number';
  min?: number;
  max?: number;
  longest?: number;
};
/** Properties of an input that keeps to the bounds of a number, and of one that must be there. */
export function limitsOf({ type, min, max, required }: Bound, unit = 1) {
  return {
    ...(required && { required }),
    ...(type !== undefined && { type: 'number' as const }),
    ...(type === 'number' && { step: 'any' }),
    ...(min !== undefined && { min: String(Math.ceil(min / unit)) }),
    ...(max !== undefined && { max: String(Math.floor(max / unit)) }),
  };
}

/** Which bound a text does not keep to, in words; one that is empty is no value. */
export function wrongIn(value: string, bound: Bound, unit: number): string | undefined {
  const w = partWords();
  const { min, max } = limitsOf(bound, unit);
  const isOut = Number(value) < Number(min ?? value) || Number(value) > Number(max ?? value);
  if (value === '') return undefined;
  if (!isOut) return undefined;
  if (min !== undefined && max !== undefined) return w.limits.between(min, max);
  return min === undefined ? w.limits.most(max ?? '') : w.limits.least(min);
}
