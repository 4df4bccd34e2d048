import { partWords } from '../../word/part.ts';

type Limits = {
  min?: number | null;
  minValue?: number | null;
  max?: number | null;
  maxValue?: number | null;
  unit: string;
};

/** The limits of a point in words. */
export function limitsOf({
  minValue,
  min = minValue ?? null,
  maxValue,
  max = maxValue ?? null,
  unit,
}: Limits): string {
  const { limits } = partWords();
  const shown = (value: number): string => (unit === '' ? `${value}` : `${value} ${unit}`);
  if (min === null && max === null) return limits.none;
  if (min === null) return limits.most(shown(max ?? 0));
  return max === null ? limits.least(shown(min)) : limits.between(`${min}`, shown(max));
}
