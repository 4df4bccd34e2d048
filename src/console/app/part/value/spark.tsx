import { partWords } from '../../word/part.ts';
import { Moment } from './time.tsx';

type Value = { at: number; value: number };

type Given = {
  /** What it shows, for screen readers and above it. */
  label: string;
  /** In the order of time, ms since the epoch. */
  values: readonly Value[];
  from: number;
  to: number;
  /** A value that is asked for, as a dashed line. */
  target?: number;
  /** Of a rule, drawn even where no value comes near them. */
  marks?: readonly number[];
  low?: number | null;
  high?: number | null;
  unit: string;
};

const WIDTH = 600;
const HEIGHT = 80;
const EDGE = 6;

/** A small line of values, with what is asked for and the limits; its extremes as text beside it. */
export function Spark({ label, values, from, to, target, marks = [], low, high, unit }: Given) {
  const all = values.map(({ value }) => value);
  const [min, max] = [Math.min(...all), Math.max(...all)];
  const asked = target !== undefined && Number.isFinite(target) ? [target] : [];
  const [bottom, top] = [Math.min(min, ...asked, ...marks), Math.max(max, ...asked, ...marks)];
  const span = top - bottom || 1;
  const x = (at: number): string => (((at - from) / (to - from)) * WIDTH).toFixed(1);
  const y = (value: number): string =>
    (HEIGHT - EDGE - ((value - bottom) / span) * (HEIGHT - 2 * EDGE)).toFixed(1);
  const across = (value: number, name: string) => (
    <line class={name} x1={0} x2={WIDTH} y1={y(value)} y2={y(value)} />
  );
  const isInside = (limit: number | null | undefined): limit is number =>
    limit !== null && limit !== undefined && limit >= bottom && limit <= top;
  return (
    <figure class="spark">
      <figcaption class="small quiet">
        {label} ·{' '}
        <bdi class="tabular">
          {rounded(min)} – {rounded(max)} {unit}
        </bdi>
        {marks.length > 0 && (
          <>
            {' · '}
            {partWords().limit} <bdi class="tabular">{marks.map(rounded).join(', ')}</bdi>
          </>
        )}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {isInside(low) && across(low, 'limit')}
        {isInside(high) && across(high, 'limit')}
        {marks.map((value) => across(value, 'limit'))}
        {asked.map((value) => across(value, 'target'))}
        <path class="line" d={lineOf(values, x, y)} />
      </svg>
      <div class="axis small quiet">
        <Moment at={new Date(from).toISOString()} />
        <Moment at={new Date(to).toISOString()} />
      </div>
    </figure>
  );
}

/** Straight from reading to reading. */
const lineOf = (
  values: readonly Value[],
  x: (at: number) => string,
  y: (value: number) => string,
): string =>
  values.map(({ at, value }, index) => `${index === 0 ? 'M' : 'L'}${x(at)} ${y(value)}`).join('');

const rounded = (value: number): string => String(Number(value.toPrecision(6)));
