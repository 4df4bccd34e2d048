import { useState } from 'preact/hooks';

import { now } from '../../../client/clock.ts';
import { Button } from '../../../part/control/button.tsx';
import { TextField } from '../../../part/control/field.tsx';
import { Moment } from '../../../part/value/time.tsx';
import { trendWords } from '../../../word/trend.ts';
import { inField, panned, type Range, type Span, SPANS, zoomed } from './trend-range.ts';

type Given = {
  range: Range;
  /** Null for a chosen time. */
  span: Span | null;
  onSpan(span: Span): void;
  onRange(range: Range): void;
};

const isSpan = (text: string): text is Span => Object.hasOwn(SPANS, text);
const PAN = 0.5;
const ZOOM = 2;

/** Which time is shown: a span up to now, or moved and zoomed from there; the chart itself takes a drag as well. */
export function Controls({ range, span, onSpan, onRange }: Given) {
  const w = trendWords();
  const [isChoosing, setChoosing] = useState(false);
  const steps = [
    [w.earlier, '←', panned(range, -PAN, now())],
    [w.later, '→', panned(range, PAN, now())],
    [w.closer, '+', zoomed(range, 1 / ZOOM, now())],
    [w.further, '−', zoomed(range, ZOOM, now())],
  ] as const;
  return (
    <>
      <div class="row" role="group" aria-label={w.time}>
        {Object.keys(SPANS)
          .filter(isSpan)
          .map((each) => (
            <Button key={each} onPress={() => onSpan(each)} isPressed={span === each}>
              {w.span[each]}
            </Button>
          ))}
        {steps.map(([label, sign, next]) => (
          <Button key={label} kind="quiet" label={label} onPress={() => onRange(next)}>
            {sign}
          </Button>
        ))}
        <Button kind="quiet" onPress={() => setChoosing(!isChoosing)} isOpen={isChoosing}>
          {w.ownTime}
        </Button>
        {span === null && (
          <span class="quiet small">
            <Moment at={new Date(range.from).toISOString()} /> –{' '}
            <Moment at={new Date(range.to).toISOString()} />
          </span>
        )}
      </div>
      {isChoosing && <OwnTime range={range} onRange={onRange} onClose={() => setChoosing(false)} />}
    </>
  );
}

type OwnTimeGiven = { range: Range; onRange(range: Range): void; onClose(): void };

/** Two fields for a chosen time, in the person's zone. */
function OwnTime({ range, onRange, onClose }: OwnTimeGiven) {
  const w = trendWords();
  const [from, setFrom] = useState(inField(range.from));
  const [to, setTo] = useState(inField(range.to));
  const next = { from: Date.parse(from), to: Date.parse(to) };
  const isBackwards = next.from >= next.to;
  return (
    <form
      class="row filters"
      onSubmit={(event) => {
        event.preventDefault();
        if (!(next.from < next.to)) return;
        onRange(next);
        onClose();
      }}
    >
      <TextField label={w.from} type="datetime-local" value={from} onChange={setFrom} required />
      <TextField
        label={w.to}
        type="datetime-local"
        value={to}
        onChange={setTo}
        wrong={isBackwards ? w.backwards : undefined}
        required
      />
      <button type="submit" class="primary">
        {w.show}
      </button>
    </form>
  );
}
