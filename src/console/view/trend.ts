import { button, el, show } from './draw/element.ts';
import { note } from './draw/state.ts';
import { clockTime } from './draw/words.ts';
import { type Fields, numberOf, textOf } from './host/fields.ts';
import { type Answer, begin, type Host, type View } from './host/host.ts';
import { panel } from './trend/panel.ts';
import { seriesIn, type Series, type Window, windowOf } from './trend/series.ts';

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

/** The trend of the points that getPointValueHistory answered; redrawn with every newer answer and for other spans. */
function trendView(host: Host): View {
  let input: Fields = {};
  let window: Window | undefined;
  let series: Series[] = [];
  let trouble = '';
  let turn = 0;

  const take = (answer: Fields): void => {
    window = windowOf(answer);
    series = seriesIn(answer, window);
  };

  /** The stored values between what a digest says; an answer that is overtaken by a newer one is dropped. */
  const load = async (asked: Fields): Promise<void> => {
    turn += 1;
    const mine = turn;
    const { plot: _plot, maxSamples: _samples, ...kept } = asked;
    let cursor = textOf(kept, 'cursor');
    const found: Series[] = [];
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const more = { ...kept, ...(cursor !== '' && { cursor }), rows: ROWS, maxTokens: TOKENS };
      const { isError, fields, text } = await host.call(TOOL, more);
      if (mine !== turn) return;
      trouble = isError ? text || 'The values could not be read' : '';
      if (isError) break;
      window = windowOf(fields);
      found.push(...seriesIn(fields, window));
      cursor = textOf(fields, 'nextCursor');
      if (cursor === '') break;
    }
    if (found.length > 0) series = found;
    draw();
  };

  const span = (hours: number): void => {
    const { from: _from, to: _to, cursor: _cursor, ...kept } = input;
    input = { ...kept, hours };
    draw();
    void load(input);
  };

  function draw(): void {
    if (!window) return;
    const shown = window;
    const width = Math.max(240, (document.querySelector('main')?.clientWidth ?? 640) - 32);
    const options = { width, isOnly: series.length === 1 };
    show(
      el(
        'div',
        'head',
        el('h1', '', heading(shown)),
        host.canCall ? choice(numberOf(input, 'hours'), span) : null,
      ),
      trouble === '' ? null : note('warning', 'diamond', trouble),
      ...series.map((one) => panel(one, shown, options)),
    );
  }

  let drawn = innerWidth;
  addEventListener('resize', () => {
    if (innerWidth === drawn) return;
    drawn = innerWidth;
    draw();
  });

  show(el('p', 'quiet', 'Reading values …'));
  return {
    asked: (given) => void (input = given),
    answered({ isError, fields, text }: Answer) {
      turn += 1;
      trouble = '';
      if (isError) {
        show(note('danger', 'cross', text || 'The values could not be read'));
        return;
      }
      take(fields);
      draw();
      const isBare = series.some((one) => one.points.length > 0 && !one.sampled);
      if (host.canCall && isBare) void load(input);
    },
    cancelled: () => show(el('p', 'quiet', 'The call was cancelled.')),
  };
}

const heading = ({ from, to, offsetMs }: Window): string => {
  if (Number.isNaN(from + to)) return 'Trend';
  const start = new Date(from + offsetMs).toISOString();
  const lastDay = new Date(to + offsetMs).toISOString();
  const isOneDay = start.slice(0, 10) === lastDay.slice(0, 10);
  const today = isOneDay ? '' : lastDay.slice(0, 4);
  return `${clockTime(start, today)} to ${clockTime(lastDay, isOneDay ? lastDay : today)}`;
};

function choice(chosen: number | null, choose: (hours: number) => void): HTMLElement {
  const group = el(
    'div',
    'choice',
    ...SPANS.map(([label, hours]) => {
      const one = button('', label, () => choose(hours));
      one.setAttribute('aria-pressed', String(chosen === hours));
      return one;
    }),
  );
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', 'Span');
  return group;
}

void begin('trend', trendView);
