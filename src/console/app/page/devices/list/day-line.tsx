import { columnsWords } from '../../../word/columns.ts';
import type { Day } from './in-sight.tsx';

const WIDTH = 72;
const HEIGHT = 24;
const EDGE = 2;

/** The last day of a point as a line of its hourly means in the band of their extremes; it breaks where values are missing. */
export function DayLine({ day: { parts, gapMs, from, to } }: { day: Day }) {
  if (parts.length === 0) return null;
  const low = Math.min(...parts.map(({ min }) => min));
  const high = Math.max(...parts.map(({ max }) => max));
  const x = (at: number): string => (((at - from) / (to - from)) * WIDTH).toFixed(1);
  const y = (value: number): string => {
    const share = high > low ? (value - low) / (high - low) : 1 / 2;
    return (HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE)).toFixed(1);
  };
  const middle = ({ firstAt, lastAt }: (typeof parts)[number]): string => x((firstAt + lastAt) / 2);
  let before = -Infinity;
  const means = parts.map((part) => {
    const isApart = part.firstAt - before > gapMs;
    before = part.lastAt;
    // An hour alone is a dot.
    return `${isApart ? 'M' : 'L'}${middle(part)} ${y(part.mean)}${isApart ? 'h1' : ''}`;
  });
  const spread = parts.map((part) => `M${middle(part)} ${y(part.min)}V${y(part.max)}`);
  return (
    <>
      <svg
        class="day"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <path class="spread" d={spread.join('')} />
        <path class="mean" d={means.join('')} />
      </svg>
      <span class="hidden">{columnsWords().day(rounded(low), rounded(high))}</span>
    </>
  );
}

const rounded = (value: number): string => String(Number(value.toPrecision(4)));
