import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';

import type { Schemas } from '../../client/operations.ts';
import { look } from '../../shell/look.ts';
import { language } from '../../word/words.ts';
import { columnsOf } from './columns.ts';
import { inkOf } from './ink.ts';
import { type Level, type Mark, optionsOf } from './options.ts';
import type { Range } from './range.ts';

type Given = {
  series: Schemas['PointTrend']['series'];
  range: Range;
  marks: readonly Mark[];
  levels: readonly Level[];
  onRange(range: Range): void;
  /** The row of `columnsOf` below the pointer; null when it leaves. */
  onReading(index: number | null): void;
};

const HEIGHT = 240;
const dark = matchMedia('(prefers-color-scheme: dark)');

/** The lines of a trend on a canvas, as wide as its place; what it shows is also in the table below it. */
export function Chart({ series, range, marks, levels, onRange, onReading }: Given) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [isDark, setDark] = useState(dark.matches);
  const latest = useRef({ onRange, onReading });
  latest.current = { onRange, onReading };
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
    const chart = new uPlot(
      optionsOf({
        units: series.map(({ unit }) => unit),
        marks,
        levels,
        ink: inkOf(element),
        range,
        width,
        height: HEIGHT,
        onRange: (next) => latest.current.onRange(next),
        onReading: (index) => latest.current.onReading(index),
      }),
      columnsOf(series),
      element,
    );
    return () => chart.destroy();
  }, [series, range.from, range.to, marks, levels, width, isDark, look.value, language.value]);
  return <div ref={place} class="trend-chart" aria-hidden="true" />;
}
