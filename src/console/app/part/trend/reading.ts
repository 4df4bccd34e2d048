import { columnsOf } from '../../../chart/line.ts';
import type { Schemas } from '../../client/operations.ts';
import { language } from '../../word/words.ts';
import { linesOf } from './columns.ts';

type Series = Schemas['PointTrendSeries'];

/** Columns of each series: mean, lowest, highest. */
const COLUMNS = 3;

/** The row of the chart below the pointer as a text: time, then each value with its extremes where they differ. */
export function readingOf(series: readonly Series[], row: number): string {
  const columns = columnsOf(linesOf(series));
  const seconds = columns[0][row];
  if (seconds === undefined) return '';
  const time = new Intl.DateTimeFormat(language.value === 'zh' ? 'zh-CN' : 'en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(seconds * 1_000);
  const values = series.flatMap(({ pointName, unit }, index) => {
    const [mean, min, max] = [1, 2, 3].map((column) => columns[index * COLUMNS + column]?.[row]);
    if (typeof mean !== 'number' || typeof min !== 'number' || typeof max !== 'number') return [];
    const extremes = min === max ? '' : ` (${displayed(min)} – ${displayed(max)})`;
    return [`${pointName} ${displayed(mean)} ${unit}${extremes}`];
  });
  return [time, ...values].join(' · ');
}

/** With as many digits as a reading is good for: those before the point, and two or, of small numbers, three. */
export const displayed = (value: number): string =>
  String(Number(Math.abs(value) < 1 ? value.toPrecision(3) : value.toFixed(2)));
