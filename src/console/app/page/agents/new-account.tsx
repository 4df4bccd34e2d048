import { useAsk } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { Choice, TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { useForm } from '../../part/control/form.ts';
import { accountsWords } from '../../word/accounts.ts';

const MOST = 100;

/** Adds an account for a program, with what it is for and its role. */
export function NewAccount({ onClose }: { onClose(): void }) {
  const w = accountsWords().accounts;
  const roles = useAsk(
    'POST /auth/role/list',
    may('svc-center-auth:role:list') ? { page: { current: 1, size: MOST } } : null,
  );
  const form = useForm('POST /auth/service_account/add', {
    fields: { serviceAccountName: '', purpose: '', roleCode: '' },
    needs: ['serviceAccountName'],
    input: ({ roleCode, ...given }) => ({ ...given, ...(roleCode !== '' && { roleCode }) }),
    done: onClose,
  });
  return (
    <FormDialog title={w.add} go={w.add} {...form.sends} onClose={onClose}>
      <TextField label={w.name} {...form.of('serviceAccountName')} />
      <TextField label={w.purpose} {...form.of('purpose')} />
      {roles.data && (
        <Choice
          label={w.role}
          hint={w.roleHint}
          {...form.of('roleCode')}
          options={[
            ['', w.ownRole],
            ...roles.data.records.map((role) => [role.roleCode, role.roleName] as const),
          ]}
        />
      )}
    </FormDialog>
  );
}
