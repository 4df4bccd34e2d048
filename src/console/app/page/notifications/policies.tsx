import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Chip } from '../../part/value/mark.tsx';
import { notificationsWords } from '../../word/notifications.ts';
import { MOST } from './content.ts';
import { PolicyChannels } from './policy-channels.tsx';
import { PolicyForm } from './policy-form.tsx';
import { RowActions } from './row-actions.tsx';
import { RowList } from './row-list.tsx';
import { sentencesOf } from './sentences.ts';

/** When and how often which channels hear of alarms. */
export function Policies({ channels }: { channels: readonly Schemas['NotifyChannel'][] }) {
  const w = notificationsWords();
  const maySee = may('svc-center-data:notify:list');
  const asked = useAsk(
    'POST /data/notify/list',
    maySee ? { page: { current: 1, size: MOST } } : null,
  );
  if (!maySee) return null;
  return (
    <RowList
      noun="policy"
      words={w.policies}
      asked={asked}
      rows={3}
      row={(policy, use) => (
        <li key={policy.id}>
          <div class="row">
            <bdi class="strong">{policy.notifyName}</bdi>
            {policy.enableFlag === 'DISABLE' && <Chip tone="idle" shape="bar" word={w.disabled} />}
            <div class="actions">
              <RowActions noun="policy" row={policy} name={policy.notifyName} {...use} />
            </div>
          </div>
          <p class="small quiet">{sentencesOf(policy).join(' ')}</p>
          <PolicyChannels policy={policy} channels={channels} />
        </li>
      )}
      form={(policy, onClose) => <PolicyForm policy={policy} onClose={onClose} />}
    />
  );
}
