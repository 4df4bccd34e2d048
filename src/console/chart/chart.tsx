import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';

import { language } from '../app/word/words.ts';
import { colorsOf } from './colors.ts';
import { columnsOf, type Line } from './line.ts';
import { type Drawn, optionsOf } from './options.ts';

type Given = Pick<
  Drawn,
  'range' | 'marks' | 'levels' | 'gaps' | 'fixed' | 'offsetMs' | 'onRange'
> & {
  lines: readonly Line[];
  /** The theme of the page, where it can change by itself. */
  theme: string;
  height?: number;
  /** What it shows, for screen readers; the arrow keys then go from value to value. */
  label?: string;
  /** The row of `columnsOf` below the pointer; null when it leaves. */
  onReading(index: number | null): void;
};

const HEIGHT = 240;
const dark = matchMedia('(prefers-color-scheme: dark)');

/** Lines over a time on a canvas, as wide as its place; what it shows is also in figures beside it. */
export function Chart({ lines, height = HEIGHT, label, theme, ...given }: Given) {
  const { range, marks, levels, fixed } = given;
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const [width, setWidth] = useState(0);
  const [isDark, setDark] = useState(dark.matches);
  const latest = useRef(given);
  latest.current = given;
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    const turn = (): void => setDark(dark.matches);
    dark.addEventListener('change', turn);
    return () => {
      observer.disconnect();
      dark.removeEventListener('change', turn);
    };
  }, []);
  useEffect(() => {
    const element = place.current;
    if (!element || width === 0) return undefined;
    const made = new uPlot(
      optionsOf({
        ...latest.current,
        lines,
        colors: colorsOf(element),
        width,
        height,
        onRange: (next) => latest.current.onRange?.(next),
        onReading: (index) => latest.current.onReading(index),
      }),
      columnsOf(lines),
      element,
    );
    chart.current = made;
    return () => made.destroy();
  }, [
    lines,
    range.from,
    range.to,
    marks,
    levels,
    fixed?.unit,
    fixed?.low,
    fixed?.high,
    width,
    height,
    isDark,
    theme,
    language.value,
  ]);
  return (
    <div
      ref={place}
      class="trend-chart"
      style={{ height: `${height}px` }}
      {...(label === undefined
        ? { 'aria-hidden': 'true' }
        : { role: 'img', tabIndex: 0, 'aria-label': label })}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (label === undefined || step === undefined || !chart.current) return;
        event.preventDefault();
        read(chart.current, step);
      }}
    />
  );
}

/** Moves the reading to the next row with a value. */
function read(chart: uPlot, step: number): void {
  const [at, first] = chart.data;
  if (!first) return;
  let index = chart.cursor.idx ?? (step < 0 ? at.length : -1);
  do index += step;
  while (index > 0 && index < at.length - 1 && first[index] === null);
  const seconds = at[index];
  if (seconds !== undefined) chart.setCursor({ left: chart.valToPos(seconds, 'x'), top: 0 });
}
