import type { Schemas } from '../../client/operations.ts';
import { lengthOf } from '../../part/value/time.tsx';
import { notificationsWords } from '../../word/notifications.ts';
import { policyOf } from './content.ts';

const SECOND_MS = 1_000;

/** What a policy does, in sentences. */
export function sentencesOf(
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
