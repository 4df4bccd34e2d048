import { useState } from 'preact/hooks';

import { now } from '../../client/clock.ts';
import { trendWords } from '../../word/trend.ts';
import { Button } from '../control/button.tsx';
import { Moment } from '../value/time.tsx';
import { OwnTime } from './own-time.tsx';
import { panned, type Range, type Span, SPANS, zoomed } from './range.ts';

type Given = {
  range: Range;
  /** Null for a time of its own. */
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
