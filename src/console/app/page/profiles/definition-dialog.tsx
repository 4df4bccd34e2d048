import type { ComponentChildren } from 'preact';

import { announce } from '../../part/announce.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Check } from '../../part/control/field.tsx';
import type { useForm } from '../../part/control/form.ts';
import { type Columns, type Version, wasText } from '../../part/version.tsx';
import { profilesWords } from '../../word/profiles.ts';

/** What the form of each definition is given. */
export type FormOf<T> = {
  /** The one that is changed; null for a new one. */
  item: T | null;
  /** Devices that have it; null where they cannot be counted. */
  reach: number | null;
  changed(): void;
  onClose(): void;
  /** An earlier version that it begins with, and what is said of it. */
  version?: Version;
  note?: ComponentChildren;
};

/** Fields that each definition has. */
export type Shared = { remark: string; isEnabled: boolean };

export const sharedOf = (of: { remark: string; enableFlag: string } | null): Shared => ({
  remark: of?.remark ?? '',
  isEnabled: of?.enableFlag !== 'DISABLE',
});

export const flagOf = ({ isEnabled }: Pick<Shared, 'isEnabled'>) =>
  isEnabled ? ('ENABLE' as const) : ('DISABLE' as const);

/** What an earlier version is in the fields that each definition has. */
export const SHARED_COLUMNS: Columns<Shared> = {
  remark: (was) => ({ remark: wasText(was) }),
  enable_flag: (was) => ({ isEnabled: Number(was) === 0 }),
};

/** Closes a form that has saved something by this name. */
export function savedAs(
  name: string,
  { changed, onClose }: Pick<FormOf<never>, 'changed' | 'onClose'>,
) {
  announce(profilesWords().saved(name));
  changed();
  onClose();
}

type Form = Pick<ReturnType<typeof useForm<never, Shared>>, 'of' | 'sends'>;
type Given = Pick<FormOf<unknown>, 'reach' | 'onClose' | 'note'> & {
  title: string;
  /** On the button of a new one. */
  go: string | null;
  form: Form;
  /** What it is disabled from. */
  hint?: string;
  children: ComponentChildren;
};

/** The dialog of a definition: its fields, those that each has, and how many devices the change reaches. */
export function DefinitionDialog({ title, go, form, hint, note, reach, onClose, children }: Given) {
  const w = profilesWords();
  const { value, onChange } = form.of('isEnabled');
  return (
    <FormDialog title={title} {...(go !== null && { go })} isWide {...form.sends} onClose={onClose}>
      {note}
      <div class="fields">{children}</div>
      <Check
        label={w.enabled}
        {...(hint !== undefined && { hint })}
        value={value}
        onChange={onChange}
      />
      {reach !== null && <p class="quiet">{w.reaches(reach)}</p>}
    </FormDialog>
  );
}
