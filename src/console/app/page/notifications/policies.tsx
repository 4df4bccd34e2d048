import { useState } from 'preact/hooks';

import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { Choice, optionsOf } from '../../part/control/field.tsx';
import { Loaded, RefusedNote } from '../../part/control/loaded.tsx';
import { Opener } from '../../part/control/opener.tsx';
import { Disabled, Mark } from '../../part/value/mark.tsx';
import { policiesWords } from '../../word/policies.ts';
import { BindForm } from './policy/bind-form.tsx';
import { bindOf, MOST, MOST_CHANNELS, policyOf } from './policy/content.ts';
import { PolicyForm } from './policy/policy-form.tsx';
import { bindSays, saysOf } from './policy/policy-says.ts';
import { RowActions, RowList } from './row-list.tsx';

/** When and how often which channels hear of alarms. */
export function Policies({ channels }: { channels: readonly Schemas['NotifyChannel'][] }) {
  const w = policiesWords();
  const maySee = may('svc-center-data:notify:list');
  const asked = useAsk(
    'POST /data/notify/list',
    maySee ? { page: { current: 1, size: MOST } } : null,
  );
  if (!maySee) return null;
  return (
    <RowList
      noun="policy"
      words={w}
      asked={asked}
      rows={3}
      sorts={{ name: (policy) => policy.notifyName }}
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
            {saysOf({
              ...policy,
              content: policyOf(policy),
              nameOf: (channelId) => nameIn(channels, channelId),
            })}
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

const nameIn = (channels: Given['channels'], channelId: string): string =>
  channels.find(({ id }) => id === channelId)?.channelName ?? channelId;

type Given = {
  policy: Pick<Schemas['NotifyPolicy'], 'id' | 'notifyName'>;
  channels: readonly Schemas['NotifyChannel'][];
};

function PolicyChannels({ policy, channels }: Given) {
  const w = policiesWords();
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
  const nameOf = (channelId: string): string => nameIn(channels, channelId);
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
            {records.map((row) => {
              const { id, channelId } = row;
              return (
                <span key={id} class="row">
                  <bdi>{nameOf(channelId)}</bdi>
                  <small class="quiet">{bindSays(bindOf(row))}</small>
                  {may('svc-center-data:notify_channel_bind:update') && (
                    <Opener
                      kind="quiet"
                      word={w.editShort}
                      label={w.edit(nameOf(channelId), policy.notifyName)}
                      closed={binds.again}
                    >
                      {(close) => <BindForm bind={row} name={nameOf(channelId)} onClose={close} />}
                    </Opener>
                  )}
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
              );
            })}
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
