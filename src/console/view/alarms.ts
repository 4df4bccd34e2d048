import { alarmRow } from './alarm/row.ts';
import { button, el, show } from './draw/element.ts';
import { chip, note } from './draw/state.ts';
import { type Fields, fieldsOf, listOf, numberOf, textOf } from './host/fields.ts';
import { type Answer, begin, type Host, type View } from './host/host.ts';

const TOOL = 'searchAlarms';
/** More rows than a person reads; a narrower search is the better way on. */
const MAX_ROWS = 300;

/** The alarms that searchAlarms answered: page by page, and anew on request. */
function alarmsView(host: Host): View {
  let input: Fields = {};
  let rows: Fields[] = [];
  let counts: Fields = {};
  let next = '';
  let trouble = '';
  let busy = false;

  const take = ({ isError, fields, text }: Answer, before: Fields[]): void => {
    trouble = isError ? text || 'The alarms could not be read' : '';
    if (!isError) {
      rows = [...before, ...listOf(fields['records'])].slice(0, MAX_ROWS);
      counts = fieldsOf(fields['counts']);
      next = rows.length < MAX_ROWS ? textOf(fields, 'nextCursor') : '';
    }
    draw();
  };
  const load = async (cursor: Fields, before: Fields[]): Promise<void> => {
    if (busy) return;
    busy = true;
    draw();
    const { cursor: _, ...first } = input;
    const answer = await host.call(TOOL, { ...first, ...cursor });
    busy = false;
    take(answer, before);
  };

  function draw(): void {
    show(
      el(
        'div',
        'head',
        el('h1', '', 'Alarms'),
        ...totals(counts),
        host.canCall ? action('Refresh', () => load({}, [])) : null,
      ),
      trouble === '' ? null : note('danger', 'cross', trouble),
      rows.length === 0 && trouble === ''
        ? note('good', 'check', 'No alarm matches.')
        : el('ol', 'list', ...rows.map(alarmRow)),
      host.canCall && next !== '' ? action('Show more', () => load({ cursor: next }, rows)) : null,
      rows.length > 0
        ? el('p', 'small', 'A person with a login of their own confirms alarms.')
        : null,
    );
  }

  /** Keeps its name while its call is under way, and with it the focus. */
  const action = (label: string, run: () => Promise<void>): HTMLElement => {
    const element = button('', label, () => void run());
    element.setAttribute('aria-disabled', String(busy));
    return element;
  };

  show(el('p', 'quiet', 'Looking for alarms …'));
  return {
    asked: (given) => void (input = given),
    answered: (answer) => take(answer, []),
    cancelled: () => show(el('p', 'quiet', 'The search was cancelled.')),
  };
}

const totals = (counts: Fields): HTMLElement[] => {
  const firing = numberOf(counts, 'firing') ?? 0;
  const waiting = numberOf(counts, 'recoveredUnconfirmed') ?? 0;
  return [
    firing > 0
      ? chip({ tone: 'danger', shape: 'triangle', word: `${firing} firing` })
      : chip({ tone: 'good', shape: 'check', word: 'none firing' }),
    ...(waiting > 0
      ? [chip({ tone: 'warning', shape: 'half', word: `${waiting} to confirm` })]
      : []),
  ];
};

void begin('alarms', alarmsView);
