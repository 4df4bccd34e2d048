import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import { Button } from '../../part/control/button.tsx';
import { Dialog } from '../../part/control/dialog.tsx';
import { Check, Choice, TextField } from '../../part/control/field.tsx';
import { Failed, wrongOf } from '../../part/loaded.tsx';
import { agentsWords } from '../../word/agent/agents.ts';
import { partWords } from '../../word/part.ts';
import { scopeOf } from './scope.ts';

const SCOPES = ['svc:read', 'svc:read-device', 'svc:propose', 'svc:chat'] as const;
type Scope = (typeof SCOPES)[number];

/** Makes a key, and shows it once: nothing answers it again. */
export function NewKey({ onClose }: { onClose(): void }) {
  const w = agentsWords().keys;
  const [keyName, setName] = useState('');
  const [audience, setAudience] = useState<'mcp' | 'api'>('mcp');
  const [scopes, setScopes] = useState<readonly Scope[]>(['svc:read', 'svc:propose']);
  const add = useAct('POST /auth/key/add');
  const [made, setMade] = useState<string | null>(null);
  const go = async (): Promise<void> => {
    const done = await add.run({ keyName, audience, scopes });
    if (done) setMade(done.key);
  };
  return (
    <Dialog
      title={w.add}
      onClose={onClose}
      actions={
        made === null ? (
          <>
            <Button onPress={onClose}>{partWords().cancel}</Button>
            <Button
              kind="primary"
              isBusy={add.isRunning}
              isOff={keyName === ''}
              onPress={() => void go()}
            >
              {w.add}
            </Button>
          </>
        ) : (
          <Button onPress={onClose}>{partWords().close}</Button>
        )
      }
    >
      {made === null ? (
        <>
          <TextField
            label={w.name}
            value={keyName}
            onChange={setName}
            wrong={wrongOf(add.failure, 'keyName')}
            autocomplete="off"
          />
          <Choice
            label={w.audience}
            value={audience}
            onChange={(given) => setAudience(given === 'api' ? 'api' : 'mcp')}
            options={[
              ['mcp', w.mcp],
              ['api', w.api],
            ]}
          />
          {SCOPES.map((scope) => (
            <Check
              key={scope}
              label={scopeOf(scope)}
              value={scopes.includes(scope)}
              onChange={(isOn) =>
                setScopes((before) =>
                  isOn ? [...before, scope] : before.filter((each) => each !== scope),
                )
              }
            />
          ))}
          {add.failure && <Failed failure={add.failure} />}
        </>
      ) : (
        <>
          <p>{w.once}</p>
          <code class="secret">{made}</code>
        </>
      )}
    </Dialog>
  );
}
