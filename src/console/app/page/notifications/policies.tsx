import { useState } from 'preact/hooks';

import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { Choice, optionsOf } from '../../part/control/field.tsx';
import { Loaded, RefusedNote } from '../../part/control/loaded.tsx';
import { Disabled, Mark } from '../../part/value/mark.tsx';
import { lengthOf } from '../../part/value/time.tsx';
import { notificationsWords } from '../../word/notifications.ts';
import { MOST, MOST_CHANNELS, type PolicyContent, policyOf } from './content.ts';
import { PolicyForm } from './policy-form.tsx';
import { RowActions, RowList } from './row-list.tsx';

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
            <Disabled of={policy} />
            <div class="actions">
              <RowActions noun="policy" row={policy} name={policy.notifyName} {...use} />
            </div>
          </div>
          <p class="small quiet">
            {[...sentencesOf(policy), ...stepsOf(policy, channels)].join(' ')}
          </p>
          <PolicyChannels policy={policy} channels={channels} />
        </li>
      )}
      form={(policy, onClose) => (
        <PolicyForm policy={policy} channels={channels} onClose={onClose} />
      )}
    />
  );
}

const SECOND_MS = 1_000;

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
    ...togetherOf(policyOf(policy)),
    policy.autoConfirmFlag === 'AUTO' && w.confirms,
    types.length > 0 && w.types(types.join(', ')),
  ].filter((text) => typeof text === 'string');
}

/** How several alarms become one message. */
function togetherOf({ grouping, digest, flood }: PolicyContent): (string | false | undefined)[] {
  const w = notificationsWords().policies.says;
  const time = (ms: number): string => lengthOf(ms / SECOND_MS);
  return [
    grouping && w.grouping(time(grouping.waitMs ?? 30_000)),
    digest &&
      w.digest(digest.levels.join(', '), digest.at?.join(', ') ?? null, time(digest.everyMs ?? 0)),
    flood && w.flood(flood.count, time(flood.perMs)),
  ];
}

function stepsOf(
  policy: Pick<Schemas['NotifyPolicy'], 'notifyExt'>,
  channels: readonly Schemas['NotifyChannel'][],
): string[] {
  const w = notificationsWords().policies.says;
  return (policyOf(policy).escalation ?? []).map(({ afterMs, onFailure = false, ...step }) => {
    const names = step.channels.map(
      (channelId) => channels.find(({ id }) => id === channelId)?.channelName ?? channelId,
    );
    const time = afterMs === undefined ? null : lengthOf(afterMs / SECOND_MS);
    return w.step(names.join(', '), time, onFailure);
  });
}

type Given = {
  policy: Pick<Schemas['NotifyPolicy'], 'id' | 'notifyName'>;
  channels: readonly Schemas['NotifyChannel'][];
};

function PolicyChannels({ policy, channels }: Given) {
  const w = notificationsWords().policies;
  const binds = useAsk(
    'POST /data/notify/channel/bind/list',
    may('svc-center-data:notify_channel_bind:list')
      ? { notifyId: policy.id, page: { current: 1, size: MOST_CHANNELS } }
      : null,
  );
  const add = useAct('POST /data/notify/channel/bind/add', binds.again);
  const drop = useAct('POST /data/notify/channel/bind/delete', binds.again);
  const [chosen, setChosen] = useState('');
  if (!may('svc-center-data:notify_channel_bind:list')) return null;
  const nameOf = (channelId: string): string =>
    channels.find(({ id }) => id === channelId)?.channelName ?? channelId;
  const bind = async (channelId: string): Promise<void> => {
    setChosen(channelId);
    await add.run({ notifyId: policy.id, channelId });
    setChosen('');
  };
  return (
    <Loaded asked={binds} rows={1}>
      {({ records }) => {
        const free = channels.filter(
          ({ id }) => !records.some(({ channelId }) => channelId === id),
        );
        return (
          <div class="row filters">
            {records.length === 0 && (
              <span class="row">
                <Mark shape="diamond" /> {w.noChannel}
              </span>
            )}
            {records.map(({ id, channelId }) => (
              <span key={id} class="row">
                <bdi>{nameOf(channelId)}</bdi>
                {may('svc-center-data:notify_channel_bind:delete') && (
                  <Button
                    kind="quiet"
                    isBusy={drop.isRunning}
                    label={w.unbind(nameOf(channelId), policy.notifyName)}
                    onPress={() => void drop.run({ id })}
                  >
                    ✕
                  </Button>
                )}
              </span>
            ))}
            {free.length > 0 && may('svc-center-data:notify_channel_bind:add') && (
              <Choice
                label={w.bind(policy.notifyName)}
                value={chosen}
                onChange={(id) => void bind(id)}
                options={optionsOf(['', w.choose], free, 'channelName')}
              />
            )}
            <RefusedNote failure={add.failure ?? drop.failure} />
          </div>
        );
      }}
    </Loaded>
  );
}
