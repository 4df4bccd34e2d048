import { useState } from 'preact/hooks';

import { Choice, TextField } from '../../part/control/field.tsx';
import { modelsWords } from '../../word/models.ts';

type Given = {
  value: string;
  /** Names that the provider has answered to a check. */
  found: readonly string[];
  wrong: string | undefined;
  onChange(name: string): void;
};

const ANOTHER = '';

/** The name of a model: one that the provider has named, or any other. */
export function ModelName({ value, found, wrong, onChange }: Given) {
  const w = modelsWords().model;
  const [isOther, setOther] = useState(!found.includes(value) && value !== '');
  const field = (label: string) => (
    <TextField
      label={label}
      hint={w.nameHint}
      value={value}
      onChange={onChange}
      wrong={wrong}
      autocomplete="off"
    />
  );
  if (found.length === 0) return field(w.name);
  const isChosen = !isOther && found.includes(value);
  return (
    <>
      <Choice
        label={w.name}
        value={isChosen ? value : ANOTHER}
        onChange={(name) => {
          setOther(name === ANOTHER);
          onChange(name);
        }}
        options={[[ANOTHER, w.another], ...found.map((name) => [name, name] as const)]}
      />
      {!isChosen && field(w.other)}
    </>
  );
}
