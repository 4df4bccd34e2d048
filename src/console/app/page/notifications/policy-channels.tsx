import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { Choice } from '../../part/control/field.tsx';
import { Loaded } from '../../part/control/loaded.tsx';
import { RefusedNote } from '../../part/control/refused.tsx';
import { Mark } from '../../part/value/mark.tsx';
import { notificationsWords } from '../../word/notifications.ts';

type Given = {
  policy: Pick<Schemas['NotifyPolicy'], 'id' | 'notifyName'>;
  channels: readonly Schemas['NotifyChannel'][];
};

/** A policy has so many at most. */
const MOST = 50;

/** Over which channels a policy tells. */
export function PolicyChannels({ policy, channels }: Given) {
  const w = notificationsWords().policies;
  const binds = useAsk(
    'POST /data/notify/channel/bind/list',
    may('svc-center-data:notify_channel_bind:list')
      ? { notifyId: policy.id, page: { current: 1, size: MOST } }
      : null,
  );
  const add = useAct('POST /data/notify/channel/bind/add');
  const drop = useAct('POST /data/notify/channel/bind/delete');
  const [chosen, setChosen] = useState('');
  if (!may('svc-center-data:notify_channel_bind:list')) return null;
  const nameOf = (channelId: string): string =>
    channels.find(({ id }) => id === channelId)?.channelName ?? channelId;
  const bind = async (channelId: string): Promise<void> => {
    setChosen(channelId);
    await add.run({ notifyId: policy.id, channelId });
    setChosen('');
    binds.again();
  };
  const unbind = async (id: string): Promise<void> => {
    await drop.run({ id });
    binds.again();
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
                    onPress={() => void unbind(id)}
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
                options={[
                  ['', w.choose],
                  ...free.map(({ id, channelName }) => [id, channelName] as const),
                ]}
              />
            )}
            <RefusedNote failure={add.failure ?? drop.failure} />
          </div>
        );
      }}
    </Loaded>
  );
}
