import { signal } from '@preact/signals';
import { render } from 'preact';

import { Button } from '../app/part/control/button.tsx';
import { Note } from '../app/part/value/mark.tsx';
import { clockTime } from './clock-time.ts';
import { type Fields, numberOf, textOf } from './fields.ts';
import { type Answer, begin, type Host, type View } from './host.ts';
import { Line, type Displayed } from './line.tsx';
import { Panel } from './panel.tsx';
import { seriesIn, type Series, type Window, windowOf } from './series.ts';
import { viewWords } from './words.ts';

const TOOL = 'getPointValueHistory';
/** Each with as many values as the tool gives, so that ten series fit into this many answers. */
const ROWS = 50;
const TOKENS = 6_000;
const MAX_PAGES = 4;
const SPANS: readonly [string, number][] = [
  ['6 h', 6],
  ['24 h', 24],
  ['7 d', 168],
  ['30 d', 720],
];

type Known = { window: Window; series: Series[] };

const knownOf = (answer: Fields): Known => {
  const window = windowOf(answer);
  return { window, series: seriesIn(answer, window) };
};

/** The trend of the points that getPointValueHistory answered; redrawn with every newer answer and for other spans. */
function trendView(host: Host): View {
  const input = signal<Fields>({});
  const known = signal<Known | null>(null);
  const shown = signal<Displayed>({ is: 'begun' });
  const trouble = signal('');
  let turn = 0;

  /** The stored values between what a digest says; an answer that is overtaken by a newer one is dropped. */
  const load = async (asked: Fields): Promise<void> => {
    turn += 1;
    const mine = turn;
    const { plot: _plot, maxSamples: _samples, ...rest } = asked;
    let cursor = textOf(rest, 'cursor');
    let window = known.value?.window;
    const found: Series[] = [];
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const more = { ...rest, ...(cursor !== '' && { cursor }), rows: ROWS, maxTokens: TOKENS };
      const { isError, fields, text } = await host.call(TOOL, more);
      if (mine !== turn) return;
      trouble.value = isError ? text || viewWords().trend.failed : '';
      if (isError) break;
      const part = knownOf(fields);
      ({ window } = part);
      found.push(...part.series);
      cursor = textOf(fields, 'nextCursor');
      if (cursor === '') break;
    }
    if (found.length > 0 && window) known.value = { window, series: found };
  };

  const choose = (hours: number): void => {
    const { from: _from, to: _to, cursor: _cursor, ...rest } = input.value;
    input.value = { ...rest, hours };
    void load(input.value);
  };

  function Screen() {
    const w = viewWords().trend;
    if (known.value === null || shown.value.is === 'failed')
      return <Line shown={shown.value} begins={w.begins} />;
    const { window, series } = known.value;
    return (
      <>
        <header class="head">
          <h1>{heading(window)}</h1>
          {host.canCall && (
            <div class="choice" role="group" aria-label={w.span}>
              {SPANS.map(([label, hours]) => (
                <Button
                  key={label}
                  isPressed={numberOf(input.value, 'hours') === hours}
                  onPress={() => choose(hours)}
                >
                  {label}
                </Button>
              ))}
            </div>
          )}
        </header>
        {trouble.value !== '' && (
          <Note tone="warning" shape="diamond">
            {trouble.value}
          </Note>
        )}
        {series.map((one, index) => (
          <Panel key={index} series={one} window={window} isOnly={series.length === 1} />
        ))}
      </>
    );
  }

  render(<Screen />, document.querySelector('main') ?? document.body);
  return {
    asked: (given) => void (input.value = given),
    answered({ isError, fields, text }: Answer) {
      turn += 1;
      trouble.value = '';
      shown.value = isError
        ? { is: 'failed', text: text || viewWords().trend.failed }
        : { is: 'begun' };
      if (isError) return;
      known.value = knownOf(fields);
      const isBare = known.value.series.some((one) => one.points.length > 0 && !one.sampled);
      if (host.canCall && isBare) void load(input.value);
    },
    cancelled: () => void (shown.value = { is: 'cancelled' }),
  };
}

const heading = ({ from, to, offsetMs }: Window): string => {
  const w = viewWords().trend;
  if (Number.isNaN(from + to)) return w.title;
  const start = new Date(from + offsetMs).toISOString();
  const lastDay = new Date(to + offsetMs).toISOString();
  const isOneDay = start.slice(0, 10) === lastDay.slice(0, 10);
  const today = isOneDay ? '' : lastDay.slice(0, 4);
  return w.to(clockTime(start, today), clockTime(lastDay, isOneDay ? lastDay : today));
};

void begin('trend', trendView);
