import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { Button } from '../../part/control/button.tsx';
import { Empty, Loaded } from '../../part/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { may } from '../../session/session.ts';
import { notificationsWords } from '../../word/alarm/notifications.ts';
import { MOST } from './content.ts';
import { PolicyChannels } from './policy-channels.tsx';
import { PolicyForm } from './policy-form.tsx';
import { RowActions } from './row-actions.tsx';
import { sentencesOf } from './sentences.ts';

type Policy = Schemas['NotifyPolicy'];

/** When and how often which channels hear of alarms. */
export function Policies({ channels }: { channels: readonly Schemas['NotifyChannel'][] }) {
  const all = notificationsWords();
  const w = all.policies;
  const maySee = may('svc-center-data:notify:list');
  const asked = useAsk(
    'POST /data/notify/list',
    maySee ? { page: { current: 1, size: MOST } } : null,
  );
  const [editing, setEditing] = useState<Policy | 'new' | null>(null);
  if (!maySee) return null;
  const close = (): void => {
    setEditing(null);
    asked.again();
  };
  return (
    <Section
      title={w.title}
      actions={
        may('svc-center-data:notify:add') && (
          <Button onPress={() => setEditing('new')}>{w.add}</Button>
        )
      }
    >
      <Loaded asked={asked} rows={3}>
        {({ records, total }) => (
          <>
            {records.length === 0 && <Empty title={w.none}>{w.next}</Empty>}
            <ul class="list">
              {records.map((policy) => (
                <li key={policy.id}>
                  <div class="row">
                    <bdi class="strong">{policy.notifyName}</bdi>
                    {policy.enableFlag === 'DISABLE' && (
                      <Chip tone="idle" shape="bar" word={all.disabled} />
                    )}
                    <div class="actions">
                      <RowActions
                        noun="policy"
                        row={policy}
                        name={policy.notifyName}
                        again={asked.again}
                        onEdit={() => setEditing(policy)}
                      />
                    </div>
                  </div>
                  <p class="small quiet">{sentencesOf(policy).join(' ')}</p>
                  <PolicyChannels policy={policy} channels={channels} />
                </li>
              ))}
            </ul>
            {total > records.length && <p class="small">{all.cut(records.length, total)}</p>}
          </>
        )}
      </Loaded>
      {editing !== null && (
        <PolicyForm policy={editing === 'new' ? null : editing} onClose={close} />
      )}
    </Section>
  );
}
