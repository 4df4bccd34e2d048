import { partWords } from '../../word/part.ts';

type Given = { value: string | number | null; unit?: string; class?: string };

/** A value with its unit small beside it; a dash where there is none. */
export const Amount = ({ value, unit = '', class: name = '' }: Given) =>
  value === null || value === '' ? (
    <span class="quiet">–</span>
  ) : (
    <bdi class={`tabular ${name}`}>
      {value}
      {unit !== '' && <small class="unit"> {unit}</small>}
    </bdi>
  );

type Limits = {
  min?: number | null;
  minValue?: number | null;
  max?: number | null;
  maxValue?: number | null;
  unit: string;
};

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

/** A size in words: `12 KB`. */
export function sizeOf(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_024 * 1_024) return `${Math.round(bytes / 1_024)} KB`;
  return `${(bytes / (1_024 * 1_024)).toFixed(1)} MB`;
}
