import { type ComponentChildren, createElement } from 'preact';
import { useId } from 'preact/hooks';

type Of = { label: string; hint?: string | undefined; wrong?: string | undefined };
type Input = Of & {
  value: string;
  onChange(value: string): void;
  type?: 'text' | 'password' | 'number' | 'search' | 'email' | 'datetime-local' | 'time' | 'url';
  autocomplete?: string;
  /** Off for what is no sentence. */
  autocapitalize?: 'none';
  /** Which keys a phone shows. */
  inputmode?: 'decimal';
  required?: boolean;
  placeholder?: string;
  min?: string;
  max?: string;
  step?: string;
  /** Id of a list of values that it offers. */
  list?: string;
  onFocus?(): void;
};

type Ids = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: 'true' };

/** A label, what is entered, a hint, and what is wrong with it. */
function Labelled({
  label,
  hint,
  wrong,
  children,
}: Of & { children: (ids: Ids) => ComponentChildren }) {
  const id = useId();
  const said = wrong ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(said !== undefined && { 'aria-describedby': `${id}-said` }),
        ...(wrong !== undefined && { 'aria-invalid': 'true' as const }),
      })}
      {said !== undefined && (
        <small id={`${id}-said`} class={wrong === undefined ? 'quiet' : 'danger'}>
          {said}
        </small>
      )}
    </div>
  );
}

export const TextField = ({ label, hint, wrong, value, onChange, ...rest }: Input) => (
  <Labelled label={label} hint={hint} wrong={wrong}>
    {(ids) =>
      // Not as JSX: its types know an input by each type alone.
      createElement('input', {
        ...ids,
        ...rest,
        value,
        onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
          onChange(currentTarget.value),
      })
    }
  </Labelled>
);

type Area = Of & {
  value: string;
  onChange(value: string): void;
  rows?: number;
  required?: boolean;
};

export const TextArea = ({ label, hint, wrong, value, onChange, rows = 3, required }: Area) => (
  <Labelled label={label} hint={hint} wrong={wrong}>
    {(ids) => (
      <textarea
        {...ids}
        rows={rows}
        required={required}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Labelled>
);

type Choice<T extends string> = Of & {
  value: T;
  onChange(value: T): void;
  options: readonly (readonly [value: T, label: string])[];
};

export const Choice = <T extends string>(given: Choice<T>) => {
  const { label, hint, wrong, value, onChange, options } = given;
  const choose = (chosen: string): void => {
    const option = options.find(([each]) => each === chosen);
    if (option) onChange(option[0]);
  };
  return (
    <Labelled label={label} hint={hint} wrong={wrong}>
      {(ids) => (
        <select {...ids} value={value} onChange={(event) => choose(event.currentTarget.value)}>
          {options.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
};

/** Options of a choice: values with their words. */
export const optionsIn = <T extends string>(
  values: readonly T[],
  words: Readonly<Record<T, string>>,
): readonly (readonly [value: T, label: string])[] =>
  values.map((each) => [each, words[each]] as const);

/** Options of a choice: rows by their id and `name`, after a first one. */
export const optionsOf = <K extends string>(
  first: readonly [value: string, label: string],
  rows: readonly Readonly<Record<K | 'id', string>>[] | null | undefined,
  name: K,
): readonly (readonly [value: string, label: string])[] => [
  first,
  ...(rows ?? []).map((row) => [row.id, row[name]] as const),
];

type Check = {
  label: string;
  /** For who does not see what it is beside. */
  name?: string;
  hint?: string;
  value: boolean;
  /** It cannot be changed here. */
  isOff?: boolean;
  onChange(value: boolean): void;
};

export const Check = ({ label, name, hint, value, isOff = false, onChange }: Check) => (
  <label class={isOff ? 'check quiet' : 'check'}>
    <input
      type="checkbox"
      aria-label={name}
      checked={value}
      disabled={isOff}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    <span>
      {label}
      {hint !== undefined && <small class="quiet">{hint}</small>}
    </span>
  </label>
);

type Several<T extends string> = {
  value: readonly T[];
  onChange(value: readonly T[]): void;
  options: readonly (readonly [value: T, label: string])[];
};

/** Any number of options. */
export const Checks = <T extends string>({ value, onChange, options }: Several<T>) => (
  <>
    {options.map(([each, label]) => (
      <Check
        key={each}
        label={label}
        value={value.includes(each)}
        onChange={(isOn) =>
          onChange(isOn ? [...value, each] : value.filter((other) => other !== each))
        }
      />
    ))}
  </>
);
