import { wayWords } from '../../word/proposal/way.ts';
import { courseOf } from '../course.ts';
import { Facts } from '../page.tsx';
import { Amount } from '../value/amount.tsx';
import { Way } from '../value/way.tsx';
import { type Action, isOpen } from './action.ts';
import { RolloutCounts } from './firmware-card.tsx';

/** Of the stages of a write, those that any proposal has. */
const DECIDED = 2;

/** The way from the proposal to what the device holds, as it happens, and the one sentence of its outcome. */
export function Outcome({ action }: { action: Action }) {
  const w = wayWords();
  const { command, unit, firmware } = action;
  return (
    <section class="panel" aria-live="polite">
      <h2>{w.title}</h2>
      <Way course={firmware === null ? courseOf(action) : courseOf(action).slice(0, DECIDED)} />
      {!isOpen(action) && (
        <p class="outcome" lang="en">
          {action.say}
        </p>
      )}
      {firmware && <RolloutCounts firmware={firmware} />}
      {command && (
        <Facts
          of={[
            [w.asked, <Amount value={command.requestValue} unit={unit} />],
            [
              w.readBack,
              command.readBackValue && <Amount value={command.readBackValue} unit={unit} />,
            ],
            [w.before, command.beforeValue && <Amount value={command.beforeValue} unit={unit} />],
            [w.error, command.errorCode],
          ]}
        />
      )}
    </section>
  );
}
