import { Choice, optionsIn, TextField } from '../../../part/control/field.tsx';
import { wrongOf } from '../../../part/control/loaded.tsx';
import { ruleFormWords } from '../../../word/rule-form.ts';
import { type Hours, KINDS } from '../draft/rule-hours.ts';
import type { Part } from './rule-place.tsx';

const SCHEDULE = 'ruleExt.content.schedule';

/** At which hours the rule is active. */
export function Active({ draft: { hours }, change, failure }: Part) {
  const w = ruleFormWords();
  const kinds = hours.stored ? ([...KINDS, 'stored'] as const) : KINDS;
  const put = (given: Partial<Hours>): void => change({ hours: { ...hours, ...given } });
  const hasHours = hours.kind !== 'always' && hours.kind !== 'stored';
  return (
    <div class="fields">
      <Choice
        label={w.active}
        wrong={wrongOf(failure, SCHEDULE)}
        value={hours.kind}
        onChange={(kind) => put({ kind })}
        options={optionsIn(kinds, w.hours)}
      />
      {hasHours && (
        <>
          <TextField
            label={w.from}
            hint={hours.timezone ?? w.zoneOfPlant}
            type="time"
            value={hours.start}
            wrong={wrongOf(failure, `${SCHEDULE}.0.start`)}
            onChange={(start) => put({ start })}
          />
          <TextField
            label={w.until}
            type="time"
            value={hours.end}
            wrong={wrongOf(failure, `${SCHEDULE}.0.end`)}
            onChange={(end) => put({ end })}
          />
        </>
      )}
    </div>
  );
}
