import type { Schemas } from '../../../client/operations.ts';
import { Choice, optionsIn, TextField } from '../../../part/control/field.tsx';
import { wrongOf } from '../../../part/control/loaded.tsx';
import { ruleFormWords } from '../../../word/rule-form.ts';
import { modesOf } from '../draft/rule-fit.ts';
import { type Length, UNITS } from '../draft/rule-length.ts';
import type { Part } from './rule-place.tsx';

const WINDOW = 'ruleExt.content.window';

/** Whether the last value is compared, or what the values of a time come to. */
export function WindowFields({
  draft,
  change,
  failure,
  type,
}: Part & { type: Schemas['Point']['pointTypeFlag'] | null }) {
  const w = ruleFormWords();
  const modes = modesOf(draft, type);
  if (modes.length < 2) return null;
  const { mode, over, per, minSamples } = draft;
  return (
    <>
      <Choice
        label={w.mode}
        wrong={wrongOf(failure, `${WINDOW}.mode`)}
        value={mode}
        onChange={(given) => change({ mode: given })}
        options={optionsIn(modes, w.modes)}
      />
      {mode !== 'LAST' && (
        <>
          <LengthField
            label={w.over}
            wrong={wrongOf(failure, `${WINDOW}.duration`)}
            value={over}
            onChange={(given) => change({ over: given })}
          />
          <TextField
            label={w.minSamples}
            hint={w.minSamplesHint}
            type="number"
            min="1"
            value={minSamples}
            wrong={wrongOf(failure, `${WINDOW}.minSamples`)}
            onChange={(given) => change({ minSamples: given })}
          />
        </>
      )}
      {mode === 'RATE' && (
        <LengthField
          label={w.per}
          wrong={wrongOf(failure, `${WINDOW}.per`)}
          value={per}
          onChange={(given) => change({ per: given })}
        />
      )}
    </>
  );
}

type LengthGiven = {
  label: string;
  hint?: string | undefined;
  wrong?: string | undefined;
  value: Length;
  onChange(value: Length): void;
};

export function LengthField({ label, hint, wrong, value, onChange }: LengthGiven) {
  const w = ruleFormWords();
  return (
    <div class="length">
      <TextField
        label={label}
        hint={hint}
        wrong={wrong}
        type="number"
        min="0"
        value={value.amount}
        onChange={(amount) => onChange({ ...value, amount })}
      />
      <Choice
        label={w.unit}
        value={value.unit}
        onChange={(unit) => onChange({ ...value, unit })}
        options={optionsIn(UNITS, w.units)}
      />
    </div>
  );
}
