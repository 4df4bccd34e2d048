import { Choice, TextField } from '../../part/control/field.tsx';
import { rulesWords } from '../../word/rules.ts';
import { type Length, UNITS } from './length.ts';

type Given = {
  label: string;
  hint?: string | undefined;
  wrong?: string | undefined;
  value: Length;
  onChange(value: Length): void;
};

/** A length of time: an amount and its unit. */
export function LengthField({ label, hint, wrong, value, onChange }: Given) {
  const w = rulesWords().form;
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
        onChange={(given) =>
          onChange({ ...value, unit: UNITS.find((each) => each === given) ?? 's' })
        }
        options={UNITS.map((each) => [each, w.units[each]] as const)}
      />
    </div>
  );
}
