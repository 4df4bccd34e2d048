import { wayWords } from '../../word/proposal/way.ts';
import type { Passed } from '../course.ts';
import { Mark } from './mark.tsx';
import { Moment } from './time.tsx';

const SHAPES = {
  past: 'check',
  present: 'half',
  ahead: 'ring',
  stopped: 'cross',
  unknown: 'diamond',
  skipped: 'bar',
} as const satisfies Record<Passed['is'], string>;

/** The way of a write from the person to what the device holds, as far as it is known. */
export function Way({ course }: { course: readonly Passed[] }) {
  const w = wayWords();
  return (
    <ol class="way">
      {course.map(({ stage, is, at }) => (
        <li key={stage} class={is} {...(is === 'present' && { 'aria-current': 'step' })}>
          <Mark shape={SHAPES[is]} />
          <span>
            {w[stage]}
            <span class="hidden"> {w.is[is]}</span>
            {at !== null && (
              <small class="quiet">
                <Moment at={at} seconds />
              </small>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}
