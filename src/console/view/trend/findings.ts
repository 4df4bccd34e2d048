import { el, facts, quoted } from '../draw/element.ts';
import { note } from '../draw/state.ts';
import { amount, clockTime, lasting } from '../draw/words.ts';
import { type Fields, fieldsOf, listOf, numberOf, textOf } from '../host/fields.ts';

const MAX_OF_A_KIND = 3;

const signed = (value: number): string => (value < 0 ? `−${-value}` : `+${value}`);

/** The figures of a series in one table. */
export function figures(fields: Fields, end: string): HTMLElement {
  const unit = textOf(fields, 'unit');
  const figure = (name: string): HTMLElement | null => {
    const value = numberOf(fields, name);
    return value === null ? null : amount(String(value), unit);
  };
  const when = (name: string): HTMLElement | string => {
    const at = textOf(fields, `${name}At`);
    return at === '' ? '' : el('div', 'small', clockTime(at, end));
  };
  const extreme = (name: string): HTMLElement | null => {
    const value = figure(name);
    return value && el('div', '', value, when(name));
  };
  const coverage = numberOf(fields, 'coverage');
  const before = numberOf(fieldsOf(fields['comparedToBefore']), 'mean');
  const slope = numberOf(fields, 'slopePerHour');
  return facts([
    ['Lowest', extreme('min')],
    ['Mean', figure('mean')],
    ['Highest', extreme('max')],
    ['Trend per hour', slope === null ? null : amount(signed(slope), unit)],
    ['Mean against before', before === null ? null : amount(signed(before), unit)],
    ['Values', `${numberOf(fields, 'count') ?? 0}`],
    ['Of the expected', coverage === null ? null : `${Math.round(coverage * 100)} %`],
  ]);
}

/** What was found, a sentence each, with the sign that marks it in the chart. */
export function findings(fields: Fields, end: string): HTMLElement[] {
  const unit = textOf(fields, 'unit');
  const at = (one: Fields, name: string): string => clockTime(textOf(one, name), end);
  const long = (one: Fields): string => lasting(numberOf(one, 's') ?? 0);
  const some = (name: string): Fields[] => listOf(fields[name]).slice(0, MAX_OF_A_KIND);
  return [
    ...some('spikes').map((one) => {
      const peak = amount(String(numberOf(one, 'peak') ?? ''), unit);
      return note('danger', 'diamond', `Spike at ${at(one, 'at')} to `, peak, ` for ${long(one)}`);
    }),
    ...some('changes').map((one) => {
      const by = numberOf(one, 'by') ?? numberOf(one, 'perHour') ?? 0;
      const kind = textOf(one, 'kind') === 'step' ? 'Step' : 'Drift';
      const each = kind === 'Drift' ? ' per hour' : '';
      const size = amount(signed(by), unit);
      return note('warning', 'bar', `${kind} from ${at(one, 'at')}: `, size, each);
    }),
    ...some('flatLines').map((one) => {
      const value = amount(String(numberOf(one, 'value') ?? ''), unit);
      return note('warning', 'square', `Flat from ${at(one, 'from')} for ${long(one)} at `, value);
    }),
    ...some('gaps').map((one) =>
      note('idle', 'square', `No values from ${at(one, 'from')} for ${long(one)}`),
    ),
  ];
}

/** How long a state held, of all. */
export function shares(fields: Fields): HTMLElement {
  const switches = numberOf(fields, 'switches');
  return el(
    'div',
    'stack',
    el(
      'ul',
      'shares',
      ...listOf(fields['shares']).map((one) => {
        const share = numberOf(one, 'share') ?? 0;
        const part = el('span', '');
        part.style.width = `${Math.round(share * 1_000) / 10}%`;
        const percent = el('span', 'tabular end', `${Math.round(share * 100)} %`);
        return el('li', '', quoted(textOf(one, 'value')), el('span', 'bar', part), percent);
      }),
    ),
    switches === null ? null : el('p', 'quiet', `Switched ${switches} times`),
  );
}
