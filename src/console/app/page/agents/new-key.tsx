import { useState } from 'preact/hooks';

import { Button } from '../../part/control/button.tsx';
import { Dialog } from '../../part/control/dialog.tsx';
import { Checks, Choice, TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { useForm } from '../../part/control/form.ts';
import { agentsWords } from '../../word/agents.ts';
import { partWords } from '../../word/part.ts';
import { scopeOf } from './scope.ts';

const SCOPES = ['svc:read', 'svc:read-device', 'svc:propose', 'svc:chat'] as const;
type Fields = {
  keyName: string;
  audience: 'mcp' | 'api';
  scopes: readonly (typeof SCOPES)[number][];
};

const FIRST: Fields = { keyName: '', audience: 'mcp', scopes: ['svc:read', 'svc:propose'] };

/** Makes a key, and shows it once: nothing answers it again. */
export function NewKey({ onClose }: { onClose(): void }) {
  const w = agentsWords().keys;
  const [made, setMade] = useState<string | null>(null);
  const form = useForm('POST /auth/key/add', {
    fields: FIRST,
    needs: ['keyName'],
    input: (given) => given,
    done: ({ key }) => setMade(key),
  });
  if (made === null)
    return (
      <FormDialog title={w.add} go={w.add} {...form.sends} onClose={onClose}>
        <TextField label={w.name} {...form.of('keyName')} />
        <Choice
          label={w.audience}
          {...form.of('audience')}
          options={[
            ['mcp', w.mcp],
            ['api', w.api],
          ]}
        />
        <Checks
          {...form.of('scopes')}
          options={SCOPES.map((scope) => [scope, scopeOf(scope)] as const)}
        />
      </FormDialog>
    );
  return (
    <Dialog
      title={w.add}
      onClose={onClose}
      actions={<Button onPress={onClose}>{partWords().close}</Button>}
    >
      <p>{w.once}</p>
      <code class="secret">{made}</code>
    </Dialog>
  );
}
