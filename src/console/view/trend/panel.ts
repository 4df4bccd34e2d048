import { el } from '../draw/element.ts';
import { chip, note } from '../draw/state.ts';
import { ago, amount, place } from '../draw/words.ts';
import { type Fields, fieldsOf, listOf, numberOf, textOf } from '../host/fields.ts';
import { chart } from './chart.ts';
import { figures, findings, shares } from './findings.ts';
import type { Series, Window } from './series.ts';

const TALL = 240;
const LOW = 144;

/** A series with its latest value, its chart, its figures and what was found. */
export function panel(
  series: Series,
  window: Window,
  { width, isOnly }: { width: number; isOnly: boolean },
): HTMLElement {
  const { fields, points } = series;
  return el(
    'section',
    'series',
    el('div', 'head', el('h2', '', ...place(fields)), ...latest(fields)),
    points.length > 1 ? chart(series, window, { width, height: isOnly ? TALL : LOW }) : null,
    listOf(fields['shares']).length > 0 ? shares(fields) : null,
    numberOf(fields, 'count') === 0
      ? note('idle', 'square', 'No values in this time.')
      : figures(fields, window.end),
    ...findings(fields, window.end),
  );
}

function latest(fields: Fields): HTMLElement[] {
  const last = fieldsOf(fields['last']);
  const { value } = last;
  if (typeof value !== 'string' && typeof value !== 'number') return [];
  const age = numberOf(last, 'ageS');
  return [
    el('span', 'latest', amount(String(value), textOf(fields, 'unit'))),
    ...(age === null ? [] : [el('span', 'quiet tabular', ago(age))]),
    ...(last['stale'] === true
      ? [chip({ tone: 'warning', shape: 'ring', word: 'a newer one is overdue' })]
      : []),
  ];
}
