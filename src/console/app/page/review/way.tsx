import { Amount } from '../../part/amount.tsx';
import { Mark } from '../../part/mark.tsx';
import { Facts } from '../../part/page.tsx';
import { Moment } from '../../part/time.tsx';
import { reviewWords } from '../../word/review.ts';
import { type Action, isOpen } from './action.ts';
import { courseOf, type Passed } from './course.ts';

const SHAPES = {
  past: 'check',
  present: 'half',
  ahead: 'ring',
  stopped: 'cross',
  unknown: 'diamond',
  skipped: 'bar',
} as const satisfies Record<Passed['is'], string>;

/** The way from the proposal to what the device holds, as it happens, and the one sentence of its outcome. */
export function Way({ action }: { action: Action }) {
  const w = reviewWords();
  const { command, unit } = action;
  return (
    <section class="panel" aria-live="polite">
      <h2>{w.way.title}</h2>
      <ol class="way">
        {courseOf(action).map(({ stage, is, at }) => (
          <li key={stage} class={is} {...(is === 'present' && { 'aria-current': 'step' })}>
            <Mark shape={SHAPES[is]} />
            <span>
              {w.way[stage]}
              <span class="hidden"> {w.way.is[is]}</span>
              {at !== null && (
                <small class="quiet">
                  <Moment at={at} seconds />
                </small>
              )}
            </span>
          </li>
        ))}
      </ol>
      {!isOpen(action) && (
        <p class="outcome" lang="en">
          {action.say}
        </p>
      )}
      {command && (
        <Facts
          of={[
            [w.way.asked, <Amount value={command.requestValue} unit={unit} />],
            [
              w.way.readBack,
              command.readBackValue && <Amount value={command.readBackValue} unit={unit} />,
            ],
            [
              w.way.before,
              command.beforeValue && <Amount value={command.beforeValue} unit={unit} />,
            ],
            [w.way.error, command.errorCode],
          ]}
        />
      )}
    </section>
  );
}
