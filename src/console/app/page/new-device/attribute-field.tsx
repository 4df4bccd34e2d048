import { TextField } from '../../part/control/field.tsx';
import type { Attribute } from './draft.ts';
import { isSecret } from './facts.ts';

type Given = { attribute: Attribute; value: string; onChange(value: string): void };

/** An attribute with what its driver says of it. */
export const AttributeField = ({ attribute, value, onChange }: Given) => (
  <TextField
    label={attribute.attributeName}
    hint={attribute.remark || undefined}
    type={isSecret(attribute) ? 'password' : 'text'}
    value={value}
    onChange={onChange}
    autocomplete="off"
  />
);
