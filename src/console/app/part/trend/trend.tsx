import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { Chart } from '../../../chart/chart.tsx';
import type { Level, Mark } from '../../../chart/options.ts';
import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { theme } from '../../shell/theme.ts';
import { trendWords } from '../../word/trend.ts';
import { Empty, Failed, Skeleton } from '../control/loaded.tsx';
import { linesOf } from './columns.ts';
import { Figures } from './figures.tsx';
import type { Range } from './range.ts';
import { readingOf } from './reading.ts';

type Given = {
  pairs: readonly { deviceId: string; pointId: string }[];
  range: Range;
  marks?: readonly Mark[];
  levels?: readonly Level[];
  onRange(range: Range): void;
};

const NONE: readonly never[] = [];
/** Parts of the time: two or three pixels each. */
const PARTS = 400;

/** What points had over a time: lines with their extremes, gaps where values were expected, and the figures as a table. */
export function Trend({ pairs, range, marks = NONE, levels = NONE, onRange }: Given) {
  const w = trendWords();
  const asked = useAsk(
    'POST /data/point_value/trend',
    pairs.length === 0
      ? null
      : {
          pairs,
          from: new Date(range.from).toISOString(),
          to: new Date(range.to).toISOString(),
          parts: PARTS,
        },
  );
  // What was drawn stays until the next answer: nothing jumps while the time moves on.
  const drawn = useRef<Schemas['PointTrend'] | null>(null);
  if (asked.data) drawn.current = asked.data;
  const shown = drawn.current;
  const [reading, setReading] = useState<number | null>(null);
  useEffect(() => setReading(null), [shown]);
  const lines = useMemo(() => linesOf(shown?.series ?? []), [shown]);
  if (!shown)
    return asked.failure ? (
      <Failed failure={asked.failure} again={asked.again} />
    ) : (
      <Skeleton rows={1} tall />
    );
  const { series } = shown;
  const isEmpty = series.every(({ parts }) => parts.length === 0);
  const time = { from: Date.parse(shown.from), to: Date.parse(shown.to) };
  return (
    <div class="trend stack" aria-busy={asked.isLoading ? 'true' : 'false'}>
      {asked.failure && <Failed failure={asked.failure} again={asked.again} />}
      {isEmpty ? (
        <Empty title={w.none}>{w.wider}</Empty>
      ) : (
        <>
          <Chart
            lines={lines}
            theme={theme.value}
            range={time}
            marks={marks}
            levels={levels}
            onRange={onRange}
            onReading={setReading}
          />
          <p class="reading small tabular quiet" aria-hidden="true">
            {reading === null
              ? [w.hint, ...(marks.length > 0 ? [w.keys] : [])].join(' ')
              : readingOf(series, reading)}
          </p>
        </>
      )}
      <Figures series={series} />
    </div>
  );
}
