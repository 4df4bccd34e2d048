import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { AskFirst } from '../../part/control/ask-first.tsx';
import { Button } from '../../part/control/button.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { Ago } from '../../part/value/time.tsx';
import { agentsWords } from '../../word/agents.ts';
import { NewKey } from './new-key.tsx';
import { scopeOf } from './scope.ts';

/** Keys of programs: what they may do, until when, used when. */
export function Keys() {
  const w = agentsWords().keys;
  const asked = useAsk('POST /auth/key/list', { of: 'own' });
  const revoke = useAct('POST /auth/key/revoke');
  const [isMaking, setMaking] = useState(false);
  const [ending, setEnding] = useState<Schemas['Key'] | null>(null);
  const end = async (id: string): Promise<void> => {
    if ((await revoke.run({ id })) === null) return;
    setEnding(null);
    asked.again();
  };
  return (
    <Section title={w.title} actions={<Button onPress={() => setMaking(true)}>{w.add}</Button>}>
      <Loaded asked={asked} rows={3} tall>
        {(list) => (
          <>
            {list.length === 0 && <Empty title={w.none}>{w.next}</Empty>}
            <ul class="list">
              {list.map((key) => (
                <li key={key.id}>
                  <div class="row">
                    <bdi class="strong">{key.keyName}</bdi>
                    <code>{key.keyPrefix}…</code>
                    <span class="quiet">
                      {w.used} <Ago at={key.lastUsedTime} />
                    </span>
                    <div class="actions">
                      <Button
                        kind="danger"
                        label={`${w.revoke} ${key.keyName}`}
                        onPress={() => setEnding(key)}
                      >
                        {w.revoke}
                      </Button>
                    </div>
                  </div>
                  <small class="quiet">
                    {key.audience === 'mcp' ? w.mcp : w.api} · {key.scopes.map(scopeOf).join(', ')}{' '}
                    · {w.until} <Ago at={key.expireTime} />
                  </small>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      {ending && (
        <AskFirst
          title={w.question(ending.keyName)}
          go={w.revoke}
          isRunning={revoke.isRunning}
          failure={revoke.failure}
          onGo={() => void end(ending.id)}
          onClose={() => {
            setEnding(null);
            revoke.forgive();
          }}
        >
          <p>{w.means}</p>
        </AskFirst>
      )}
      {isMaking && (
        <NewKey
          onClose={() => {
            setMaking(false);
            asked.again();
          }}
        />
      )}
    </Section>
  );
}
