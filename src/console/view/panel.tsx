import { useMemo, useState } from 'preact/hooks';

import { Amount } from '../app/part/value/amount.tsx';
import { Chip, Note } from '../app/part/value/mark.tsx';
import { agoOf } from '../app/part/value/time.tsx';
import { Chart } from '../chart/chart.tsx';
import type { Row } from '../chart/line.ts';
import type { Mark as ChartMark, Level } from '../chart/options.ts';
import { clockTime } from './clock-time.ts';
import { type Fields, fieldsOf, listOf, numberOf, textOf } from './fields.ts';
import { Figures, Findings, Shares } from './findings.tsx';
import { theme } from './host.ts';
import type { Series, Window } from './series.ts';
import { viewWords } from './words.ts';

const TALL = 240;
const LOW = 144;

type Given = { series: Series; window: Window; isOnly: boolean };

/** A series with its latest value, its chart, its figures and what was found. */
export function Panel({ series, window, isOnly }: Given) {
  const { fields, points } = series;
  const unit = textOf(fields, 'unit');
  return (
    <section class="series">
      <header class="head">
        <h2>
          <bdi>{textOf(fields, 'deviceName')}</bdi> · <bdi>{textOf(fields, 'pointName')}</bdi>
        </h2>
        <Latest last={fieldsOf(fields['last'])} unit={unit} />
      </header>
      {points.length > 1 && <Drawing series={series} window={window} isOnly={isOnly} />}
      {listOf(fields['shares']).length > 0 && <Shares fields={fields} />}
      {numberOf(fields, 'count') === 0 ? (
        <Note tone="idle" shape="square">
          {viewWords().trend.none}
        </Note>
      ) : (
        <Figures fields={fields} end={window.end} />
      )}
      <Findings fields={fields} end={window.end} />
    </section>
  );
}

function Latest({ last, unit }: { last: Fields; unit: string }) {
  const { value } = last;
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const age = numberOf(last, 'ageS');
  return (
    <>
      <Amount value={value} unit={unit} class="latest" />
      {age !== null && <span class="quiet tabular">{agoOf(age)}</span>}
      {last['stale'] === true && (
        <Chip tone="warning" shape="ring" word={viewWords().trend.overdue} />
      )}
    </>
  );
}

/** The line of a series with what was found in it, and the value under the pointer or the arrow keys. */
function Drawing({ series, window, isOnly }: Given) {
  const [reading, setReading] = useState<number | null>(null);
  const { fields, gaps } = series;
  const unit = textOf(fields, 'unit');
  const { lines, marks, levels } = useMemo(() => drawingOf(series), [series]);
  const row = reading === null ? undefined : lines[0]?.rows[reading];
  return (
    <div>
      <p class="small tabular reading" aria-live="polite">
        {row && row.mean !== null && (
          <>
            {clockTime(new Date(row.at + window.offsetMs).toISOString(), window.end)} ·{' '}
            <Amount value={Number(row.mean.toPrecision(6))} unit={unit} />
          </>
        )}
      </p>
      <Chart
        lines={lines}
        range={window}
        offsetMs={window.offsetMs}
        marks={marks}
        levels={levels}
        gaps={gaps}
        theme={theme.value}
        height={isOnly ? TALL : LOW}
        label={summary(series)}
        onReading={setReading}
      />
    </div>
  );
}

/** What the chart draws of a series: a new stroke behind every gap, its spikes and changes, where nine of ten values lie. */
function drawingOf({ fields, points, gaps, spikes, changes }: Series) {
  const unit = textOf(fields, 'unit');
  const [low, high, ...ends] = ['p5', 'p95', 'min', 'max'].map((name) => numberOf(fields, name));
  const rows = points.flatMap(({ at, value }, index): Row[] => {
    const row = { at, mean: value, min: value, max: value };
    const before = points[index - 1];
    const gap = before && gaps.find(({ from, to }) => from >= before.at && to <= at);
    return gap ? [{ at: (gap.from + gap.to) / 2, mean: null, min: null, max: null }, row] : [row];
  });
  const reach = [
    ...ends.filter((end) => end !== null && end !== undefined),
    ...spikes.map(({ value }) => value),
  ];
  const marks: ChartMark[] = [
    ...changes.map((at) => ({ at, tone: 'warning', shape: 'none' }) as const),
    ...spikes.map((spike) => ({ ...spike, tone: 'danger', shape: 'diamond' }) as const),
  ];
  const levels: Level[] =
    typeof low === 'number' && typeof high === 'number' ? [{ value: low, to: high, unit }] : [];
  return { lines: [{ unit, rows, reach }], marks, levels };
}

function summary({ fields, points }: Series): string {
  const w = viewWords().trend;
  const figures = (
    [
      ['min', w.lowest],
      ['mean', w.mean],
      ['max', w.highest],
    ] as const
  )
    .map(([name, word]) => `${word} ${numberOf(fields, name) ?? '–'} ${textOf(fields, 'unit')}`)
    .join(', ');
  const name = `${textOf(fields, 'deviceName')} ${textOf(fields, 'pointName')}`;
  return w.summary(name, figures, points.length);
}
