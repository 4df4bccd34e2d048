import { useState } from 'preact/hooks';

import { useAct, useAsk } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import { Button } from '../../part/control/button.tsx';
import { Dialog, FormDialog } from '../../part/control/dialog.tsx';
import { Checks, Choice, optionsIn, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { List } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { AskButton, Opener } from '../../part/control/opener.tsx';
import { Section } from '../../part/page.tsx';
import { Ago } from '../../part/value/time.tsx';
import { agentsWords } from '../../word/agents.ts';
import { partWords } from '../../word/part.ts';

/** Keys of programs: what they may do, until when, used when. */
export function Keys() {
  const w = agentsWords().keys;
  const asked = useAsk('POST /auth/key/list', { of: 'own' });
  const revoke = useAct('POST /auth/key/revoke');
  return (
    <Section
      title={w.title}
      actions={
        <Opener word={w.add} closed={asked.again}>
          {(close) => <NewKey onClose={close} />}
        </Opener>
      }
    >
      <List asked={asked} tall none={<Empty title={w.none}>{w.next}</Empty>}>
        {(key) => (
          <li key={key.id}>
            <div class="row">
              <bdi class="strong">{key.keyName}</bdi>
              <code>{key.keyPrefix}…</code>
              <span class="quiet">
                {w.used} <Ago at={key.lastUsedTime} />
              </span>
              <div class="actions">
                <AskButton
                  word={w.revoke}
                  label={`${w.revoke} ${key.keyName}`}
                  title={w.question(key.keyName)}
                  act={revoke}
                  run={() => revoke.run({ id: key.id })}
                  done={asked.again}
                >
                  <p>{w.means}</p>
                </AskButton>
              </div>
            </div>
            <small class="quiet">
              {key.audience === 'mcp' ? w.mcp : w.api} · {key.scopes.map(scopeOf).join(', ')} ·{' '}
              {w.until} <Ago at={key.expireTime} />
            </small>
          </li>
        )}
      </List>
    </Section>
  );
}

/** Programs that a person let in at a consent page, and ends. */
export function Programs() {
  const w = agentsWords().programs;
  const asked = useAsk('POST /auth/mcp/grant/list', { of: 'own' });
  const revoke = useAct('POST /auth/mcp/grant/revoke');
  return (
    <Section title={w.title} actions={<a href="/oauth2/device">{w.code}</a>}>
      <List asked={asked} tall none={<Empty title={w.none}>{w.next}</Empty>}>
        {(grant) => {
          const name = grant.clientName ?? grant.clientId;
          const host = URL.parse(grant.clientId)?.host;
          return (
            <li key={grant.grantId}>
              <div class="row">
                <bdi class="strong">{name}</bdi>
                {host && <code>{host}</code>}
                <span class="quiet">
                  {w.used} <Ago at={grant.lastTokenTime} />
                </span>
                <div class="actions">
                  <AskButton
                    word={w.end}
                    label={`${w.end} ${name}`}
                    title={w.question(name)}
                    act={revoke}
                    run={() => revoke.run({ grantId: grant.grantId })}
                    done={asked.again}
                  >
                    <p>{w.means}</p>
                  </AskButton>
                </div>
              </div>
              <small class="quiet">
                {grant.scopes.map(scopeOf).join(', ')} · {w.since} <Ago at={grant.grantedTime} /> ·{' '}
                {w.until} <Ago at={grant.expireTime} />
              </small>
            </li>
          );
        }}
      </List>
    </Section>
  );
}

const { audience, scopes } = bounds['POST /auth/key/add'];
type Fields = {
  keyName: string;
  audience: (typeof audience.values)[number];
  scopes: readonly (typeof scopes.values)[number][];
};

const FIRST: Fields = { keyName: '', audience: 'mcp', scopes: ['svc:read', 'svc:propose'] };

/** Makes a key, and shows it once: nothing answers it again. */
export function NewKey({ onClose }: { onClose(): void }) {
  const w = agentsWords().keys;
  const [made, setMade] = useState<string | null>(null);
  const form = useForm('POST /auth/key/add', {
    fields: FIRST,
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
          options={optionsIn(audience.values, w)}
        />
        <Checks
          {...form.of('scopes')}
          options={scopes.values.map((scope) => [scope, scopeOf(scope)] as const)}
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

/** What a scope lets a program do, in words; the scope itself where it is not known. */
export function scopeOf(scope: string): string {
  return Object.entries(agentsWords().scopes).find(([name]) => name === scope)?.[1] ?? scope;
}
