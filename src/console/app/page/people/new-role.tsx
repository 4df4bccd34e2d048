import { TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { useForm } from '../../part/control/form.ts';
import { rolesWords } from '../../word/roles.ts';

type Given = { added(id: string, name: string): void; onClose(): void };

/** Adds a role, which holds no right yet. */
export function NewRole({ added, onClose }: Given) {
  const w = rolesWords();
  const form = useForm('POST /auth/role/add', {
    fields: { roleName: '', roleCode: '' },
    needs: ['roleName'],
    input: ({ roleName, roleCode }) => ({ roleName, ...(roleCode !== '' && { roleCode }) }),
    done: (id, { roleName }) => added(id, roleName),
  });
  return (
    <FormDialog title={w.add} go={w.add} {...form.sends} onClose={onClose}>
      <TextField label={w.name} {...form.of('roleName')} />
      <TextField label={w.code} hint={w.codeHint} {...form.of('roleCode')} />
    </FormDialog>
  );
}
