import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { Chart } from '../../../../chart/chart.tsx';
import { STROKES } from '../../../../chart/colors.ts';
import type { FixedAxis, Level, Mark } from '../../../../chart/options.ts';
import { useAsk } from '../../../client/ask.ts';
import type { Schemas } from '../../../client/operations.ts';
import { Button } from '../../../part/control/button.tsx';
import { Empty, Failed, Skeleton } from '../../../part/control/loaded.tsx';
import { Table } from '../../../part/control/table.tsx';
import { Link } from '../../../part/link.tsx';
import { theme } from '../../../part/theme.tsx';
import { Amount } from '../../../part/value/amount.tsx';
import { trendWords } from '../../../word/trend.ts';
import { displayed, figuresOf, gapsOf, linesOf, readingOf } from './trend-columns.ts';
import type { Range } from './trend-range.ts';

type Given = {
  pairs: readonly { deviceId: string; pointId: string }[];
  range: Range;
  marks?: readonly Mark[];
  levels?: readonly Level[];
  fixed?: FixedAxis | undefined;
  /** Takes away the line of a point; absent: none can be. */
  remove?: { of(deviceId: string): boolean; go(pair: string): void; all: (() => void) | null };
  onRange(range: Range): void;
};

const NONE: readonly never[] = [];
/** Parts of the time: two or three pixels each. */
const PARTS = 400;

/** What points had over a time: lines with their extremes, gaps where values were expected, and the figures as a table. */
export function Trend({
  pairs,
  range,
  marks = NONE,
  levels = NONE,
  fixed,
  remove,
  onRange,
}: Given) {
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
  // One of the others may have been deleted since the address was made.
  const failed = asked.failure && (
    <Failed
      failure={asked.failure}
      again={asked.again}
      elsewhere={remove?.all && <Button onPress={remove.all}>{w.alone}</Button>}
    />
  );
  if (!shown) return asked.failure ? failed : <Skeleton rows={1} tall />;
  const { series } = shown;
  const isEmpty = series.every(({ parts }) => parts.length === 0);
  const time = { from: Date.parse(shown.from), to: Date.parse(shown.to) };
  return (
    <div class="trend stack" aria-busy={asked.isLoading ? 'true' : 'false'}>
      {failed}
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
            fixed={fixed}
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
      <Figures series={series} remove={remove} />
    </div>
  );
}

type FiguresGiven = {
  series: Schemas['PointTrend']['series'];
  remove: Given['remove'] | undefined;
};

/** The figures of each line, which say in words and numbers what the chart draws. */
function Figures({ series, remove }: FiguresGiven) {
  const w = trendWords();
  return (
    <Table
      caption={w.figures}
      columns={[
        [w.point],
        ...[w.lowest, w.mean, w.highest, w.count, w.gaps].map(
          (title) => [title, 'number'] as const,
        ),
      ]}
    >
      {series.map((each, index) => {
        const figures = figuresOf(each);
        return (
          <tr key={`${each.deviceId}:${each.pointId}`}>
            <th scope="row">
              <Stroke index={index} /> <bdi>{each.pointName}</bdi>
              {remove?.of(each.deviceId) && (
                <>
                  {' '}
                  <Link to={`/devices/${each.deviceId}?points=${each.pointId}`}>
                    <bdi>{each.deviceName}</bdi>
                  </Link>
                  <Button
                    kind="quiet"
                    label={w.remove(`${each.pointName} ${each.deviceName}`)}
                    onPress={() => remove.go(`${each.deviceId}:${each.pointId}`)}
                  >
                    ✕
                  </Button>
                </>
              )}
            </th>
            {figures ? (
              <>
                {[figures.min, figures.mean, figures.max].map((value, column) => (
                  <td key={column} class="number">
                    <Amount value={displayed(value)} unit={each.unit} />
                  </td>
                ))}
                <td class="number tabular">{figures.count.toLocaleString()}</td>
                <td class="number tabular">{gapsOf(each)}</td>
              </>
            ) : (
              <td colSpan={5} class="quiet">
                {w.noneOfIt}
              </td>
            )}
          </tr>
        );
      })}
    </Table>
  );
}

function Stroke({ index }: { index: number }) {
  const { color, dash } = STROKES[index % STROKES.length] ?? STROKES[0];
  return (
    <svg class="stroke" viewBox="0 0 32 8" aria-hidden="true">
      <line
        x1={0}
        x2={32}
        y1={4}
        y2={4}
        stroke={`var(${color})`}
        stroke-width={2}
        stroke-dasharray={dash.join(' ')}
      />
    </svg>
  );
}
