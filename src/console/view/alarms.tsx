import { signal } from '@preact/signals';
import { render } from 'preact';

import { startClock } from '../app/client/clock.ts';
import { Button } from '../app/part/control/button.tsx';
import { Chip, Note, type State } from '../app/part/value/mark.tsx';
import { Ago } from '../app/part/value/time.tsx';
import { stateWords } from '../app/word/state.ts';
import { type Fields, fieldsOf, listOf, numberOf, textOf } from './fields.ts';
import { type Answer, begin, type Host, type View } from './host.ts';
import { type Displayed, Line } from './line.tsx';
import { viewWords } from './words.ts';

const TOOL = 'searchAlarms';
/** More rows than a person reads; a narrower search is the better way on. */
const MAX_ROWS = 300;

/** The alarms that searchAlarms answered: page by page, and anew on request. */
function alarmsView(host: Host): View {
  let input: Fields = {};
  const rows = signal<Fields[] | null>(null);
  const counts = signal<Fields>({});
  const next = signal('');
  const trouble = signal('');
  const isBusy = signal(false);
  const shown = signal<Displayed>({ is: 'begun' });

  const take = ({ isError, fields, text }: Answer, before: Fields[]): void => {
    trouble.value = isError ? text || viewWords().alarms.failed : '';
    if (isError) {
      rows.value ??= [];
      return;
    }
    rows.value = [...before, ...listOf(fields['records'])].slice(0, MAX_ROWS);
    counts.value = fieldsOf(fields['counts']);
    next.value = rows.value.length < MAX_ROWS ? textOf(fields, 'nextCursor') : '';
  };
  const load = async (cursor: Fields, before: Fields[]): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    const { cursor: _, ...first } = input;
    const answer = await host.call(TOOL, { ...first, ...cursor });
    isBusy.value = false;
    take(answer, before);
  };

  function Screen() {
    const w = viewWords().alarms;
    const list = rows.value;
    if (list === null) return <Line shown={shown.value} begins={w.begins} />;
    return (
      <>
        <header class="head">
          <h1>{w.title}</h1>
          <Totals counts={counts.value} />
          {host.canCall && (
            <Button isBusy={isBusy.value} onPress={() => void load({}, [])}>
              {w.refresh}
            </Button>
          )}
        </header>
        {trouble.value !== '' && <Line shown={{ is: 'failed', text: trouble.value }} begins="" />}
        {list.length === 0 && trouble.value === '' && (
          <Note tone="good" shape="check">
            {w.none}
          </Note>
        )}
        <ol class="list">
          {list.map((alarm, index) => (
            <Alarm key={index} alarm={alarm} />
          ))}
        </ol>
        {host.canCall && next.value !== '' && (
          <div class="row">
            <Button isBusy={isBusy.value} onPress={() => void load({ cursor: next.value }, list)}>
              {w.more}
            </Button>
          </div>
        )}
        {list.length > 0 && <p class="small quiet">{w.confirms}</p>}
      </>
    );
  }

  startClock();
  render(<Screen />, document.querySelector('main') ?? document.body);
  return {
    asked: (given) => void (input = given),
    answered: (answer) => take(answer, []),
    cancelled: () => void (shown.value = { is: 'cancelled' }),
  };
}

function Totals({ counts }: { counts: Fields }) {
  const w = viewWords().alarms;
  const firing = numberOf(counts, 'firing') ?? 0;
  const waiting = numberOf(counts, 'recoveredUnconfirmed') ?? 0;
  return (
    <>
      <Chip
        {...(firing > 0 ? { tone: 'danger', shape: 'triangle' } : { tone: 'good', shape: 'check' })}
        word={w.firing(firing)}
      />
      {waiting > 0 && <Chip tone="warning" shape="half" word={w.waiting(waiting)} />}
    </>
  );
}

const STATES: Record<
  string,
  Omit<State, 'word'> & { name: 'firing' | 'recovered' | 'closed' | 'reported' }
> = {
  FIRING: { tone: 'danger', shape: 'triangle', name: 'firing' },
  RECOVERED: { tone: 'warning', shape: 'half', name: 'recovered' },
  CLOSED: { tone: 'idle', shape: 'check', name: 'closed' },
  REPORTED: { tone: 'info', shape: 'diamond', name: 'reported' },
};

/** One alarm of searchAlarms. */
function Alarm({ alarm }: { alarm: Fields }) {
  const w = viewWords().alarms;
  const state = textOf(alarm, 'state');
  const { name, ...look } = STATES[state] ?? { tone: 'idle', shape: 'square', name: null };
  const often = numberOf(alarm, 'occurrences') ?? 1;
  const since = textOf(alarm, 'since');
  const [device = w.plant, point] = ['device', 'point']
    .map((field) => textOf(alarm, field))
    .filter((text) => text !== '');
  const why = ['rule', 'condition', 'value', 'message']
    .map((field) => textOf(alarm, field))
    .filter((text) => text !== '');
  return (
    <li>
      <div class="row">
        <Chip {...look} word={name === null ? state : stateWords().alarm[name]} />
        <strong>{textOf(alarm, 'level')}</strong>
        <span class="quiet">{!Number.isNaN(Date.parse(since)) && <Ago at={since} />}</span>
        {often > 1 && <span class="quiet tabular">{w.times(often)}</span>}
        {alarm['confirmed'] === true ? (
          <span class="quiet">{w.confirmed}</span>
        ) : (
          <span>{w.notConfirmed}</span>
        )}
      </div>
      <strong>
        <bdi>{device}</bdi>
        {point !== undefined && ' · '}
        <bdi>{point}</bdi>
      </strong>
      <div class="quiet">
        {why.map((text, index) => (
          <span key={index}>
            {index > 0 && ' · '}
            <bdi>{text}</bdi>
          </span>
        ))}
      </div>
      <Notified receivers={listOf(alarm['notified'])} />
    </li>
  );
}

/** Receivers in words: the channel, and why it failed if it did. */
function Notified({ receivers }: { receivers: readonly Fields[] }) {
  const w = viewWords().alarms;
  if (receivers.length === 0) return null;
  return (
    <div class="small quiet">
      {w.notified}{' '}
      {receivers.map((one, index) => (
        <span key={index}>
          {index > 0 && ', '}
          <bdi>{textOf(one, 'channel')}</bdi> {one['ok'] === true ? w.received : w.didNot}
          {one['ok'] !== true && (
            <>
              {' '}
              <bdi>{textOf(one, 'why') || w.noReason}</bdi>
            </>
          )}
        </span>
      ))}
    </div>
  );
}

void begin('alarms', alarmsView);
