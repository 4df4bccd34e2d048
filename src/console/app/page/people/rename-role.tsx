import type { Schemas } from '../../client/operations.ts';
import { announce } from '../../part/announce.tsx';
import { TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { useForm } from '../../part/control/form.ts';
import { rolesWords } from '../../word/roles.ts';

type Given = { role: Schemas['Role']; changed(): void; onClose(): void };

/** Gives a role another name; its code stays. */
export function Rename({ role: { id, roleName }, changed, onClose }: Given) {
  const w = rolesWords();
  const form = useForm('POST /auth/role/update', {
    fields: { roleName },
    needs: ['roleName'],
    input: (given) => (given.roleName === roleName ? null : { id, ...given }),
    done() {
      announce(w.renamed);
      changed();
      onClose();
    },
  });
  return (
    <FormDialog title={w.rename} go={w.rename} {...form.sends} onClose={onClose}>
      <TextField label={w.name} {...form.of('roleName')} />
    </FormDialog>
  );
}
