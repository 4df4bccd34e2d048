import { Facts } from '../app/part/page.tsx';
import { ProgressPath } from '../app/part/path.tsx';
import { progressOf } from '../app/part/progress.ts';
import { Amount } from '../app/part/value/amount.tsx';
import { progressWords } from '../app/word/proposal/progress.ts';
import { type Action, isOpen } from './action.ts';
import { RolloutCounts } from './rollout.tsx';

/** Of the stages of a write, those that any proposal has. */
const DECIDED = 2;

/** The way from the proposal to what the device holds, as it happens, and the one sentence of its outcome. */
export function Outcome({ action }: { action: Action }) {
  const w = progressWords();
  const { command, unit, firmware } = action;
  return (
    <section class="panel" aria-live="polite">
      <h2>{w.title}</h2>
      <ProgressPath
        course={firmware === null ? progressOf(action) : progressOf(action).slice(0, DECIDED)}
      />
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
