import { progressWords } from '../word/review.ts';
import type { Passed } from './progress.ts';
import { Mark } from './value/mark.tsx';
import { Moment } from './value/time.tsx';

const SHAPES = {
  past: 'check',
  present: 'half',
  ahead: 'ring',
  stopped: 'cross',
  unknown: 'diamond',
  skipped: 'bar',
} as const satisfies Record<Passed['is'], string>;

/** The way of a write from the person to what the device holds, as far as it is known. */
export function ProgressPath({ course }: { course: readonly Passed[] }) {
  const w = progressWords();
  return (
    <ol class="progress">
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
