import { Choice, TextField } from '../../part/control/field.tsx';
import { settingWords } from '../../word/setting.ts';
import type { Attribute } from './draft.ts';
import { isSecret } from './facts.ts';

/** What its driver says of the values that it takes. */
function limitsOf({ attributeExt: { oneOf, min, max, required } }: Attribute) {
  return {
    oneOf: Array.isArray(oneOf) ? oneOf.filter((each) => typeof each === 'string') : null,
    min: typeof min === 'number' ? min : null,
    max: typeof max === 'number' ? max : null,
    isRequired: required === true,
  };
}

/** What is wrong with a value as far as it is known here; the platform checks it again. */
export function problemOf(attribute: Attribute, value: string): string | undefined {
  const w = settingWords();
  const { oneOf, min, max, isRequired } = limitsOf(attribute);
  if (value.trim() === '') return isRequired ? w.required : undefined;
  if (oneOf || (min === null && max === null)) return undefined;
  const number = Number(value);
  const isIn = number >= (min ?? -Infinity) && number <= (max ?? Infinity);
  return isIn ? undefined : w.range(min, max);
}

type Given = {
  attribute: Attribute;
  value: string;
  /** In place of what its driver says of it. */
  hint?: string | undefined;
  /** Whether a value that is missing is a problem now. */
  isNeeded?: boolean;
  onChange(value: string): void;
};

/** A setting, with what its driver says of it: a choice where there is one. */
export function AttributeField({ attribute, value, hint, isNeeded = false, onChange }: Given) {
  const { attributeName: label, remark } = attribute;
  const { oneOf, isRequired } = limitsOf(attribute);
  const wrong = value === '' && !isNeeded ? undefined : problemOf(attribute, value);
  const given = { label, value, hint: hint ?? (remark || undefined), wrong, onChange };
  if (oneOf)
    return (
      <Choice
        {...given}
        options={[...new Set([value, ...oneOf])].map((each) => [each, each || '–'] as const)}
      />
    );
  return (
    <TextField
      {...given}
      required={isRequired}
      type={isSecret(attribute) ? 'password' : 'text'}
      autocomplete={isSecret(attribute) ? 'new-password' : 'off'}
    />
  );
}
