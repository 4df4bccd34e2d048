import { wayWords } from '../../word/proposal/way.ts';
import { courseOf } from '../course.ts';
import { Facts } from '../page.tsx';
import { Amount } from '../value/amount.tsx';
import { Way } from '../value/way.tsx';
import { type Action, isOpen } from './action.ts';

/** The way from the proposal to what the device holds, as it happens, and the one sentence of its outcome. */
export function Outcome({ action }: { action: Action }) {
  const w = wayWords();
  const { command, unit } = action;
  return (
    <section class="panel" aria-live="polite">
      <h2>{w.title}</h2>
      <Way course={courseOf(action)} />
      {!isOpen(action) && (
        <p class="outcome" lang="en">
          {action.say}
        </p>
      )}
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
