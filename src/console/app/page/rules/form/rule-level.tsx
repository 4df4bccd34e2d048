import { Choice, TextField } from '../../../part/control/field.tsx';
import { wrongOf } from '../../../part/control/loaded.tsx';
import { ruleFormWords } from '../../../word/rule-form.ts';
import { stateWords } from '../../../word/state.ts';
import { hasLevels } from '../draft/rule-fit.ts';
import type { Part } from './rule-place.tsx';

const URGENT = ['P2', 'P1', 'P0'] as const;

/** A more urgent level of the alarm, at a farther limit; further ones that a stored rule has stay as they are. */
export function Rise({ draft, change, failure }: Part) {
  const w = ruleFormWords();
  // What would be sent is in sight, also where it fits no more.
  if (!hasLevels(draft) && draft.levels.length === 0) return null;
  const [first, ...more] = draft.levels;
  const wrong =
    wrongOf(failure, 'ruleExt.content.levels') ?? wrongOf(failure, 'ruleExt.content.levels.0');
  const levels = URGENT.filter((level) => level < draft.level);
  return (
    <>
      <Choice
        label={w.rise}
        value={first?.severity ?? ''}
        onChange={(given) => {
          const severity = URGENT.find((each) => each === given);
          const threshold = first?.threshold ?? '';
          change({ levels: severity ? [{ severity, threshold }, ...more] : [] });
        }}
        options={[
          ['', w.noRise],
          ...levels.map((level) => [level, `${level} ${stateWords().level[level]}`] as const),
        ]}
      />
      {first && (
        <TextField
          label={w.riseLimit}
          type="number"
          step="any"
          value={first.threshold}
          wrong={wrong}
          onChange={(threshold) => change({ levels: [{ ...first, threshold }, ...more] })}
        />
      )}
    </>
  );
}
