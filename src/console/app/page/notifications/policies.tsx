import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Chip } from '../../part/value/mark.tsx';
import { lengthOf } from '../../part/value/time.tsx';
import { notificationsWords } from '../../word/notifications.ts';
import { MOST, policyOf } from './content.ts';
import { PolicyChannels } from './policy-channels.tsx';
import { PolicyForm } from './policy-form.tsx';
import { RowActions } from './row-actions.tsx';
import { RowList } from './row-list.tsx';

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

const SECOND_MS = 1_000;

/** What a policy does, in sentences. */
function sentencesOf(
  policy: Pick<Schemas['NotifyPolicy'], 'notifyExt' | 'notifyInterval' | 'autoConfirmFlag'>,
): string[] {
  const w = notificationsWords().policies.says;
  const { rateLimit, repeat, recovery, silence, alarmTypes = [] } = policyOf(policy);
  const types = alarmTypes.flatMap((type) => (type === 'RULE' ? [] : [w.type[type]]));
  const windows = silence?.enabled === false ? [] : (silence?.windows ?? []);
  const time = (ms: number): string => lengthOf(ms / SECOND_MS);
  const limit = rateLimit
    ? w.limit(rateLimit.maxCount ?? 1, time(rateLimit.intervalMs))
    : policy.notifyInterval > 0 && w.limit(1, time(policy.notifyInterval));
  return [
    limit,
    repeat?.enabled && w.repeat(time(repeat.intervalMs ?? 3_600_000), repeat.maxTimes ?? 24),
    recovery?.enabled === false || recovery?.sendRecoveryMessage === false
      ? w.noRecovery
      : w.recovery,
    ...windows.map(({ start, end, timezone = 'UTC' }) => w.quiet(start, end, timezone)),
    policy.autoConfirmFlag === 'AUTO' && w.confirms,
    types.length > 0 && w.types(types.join(', ')),
  ].filter((text) => typeof text === 'string');
}
