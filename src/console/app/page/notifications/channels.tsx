import { type Asked, useAct } from '../../client/ask.ts';
import type { AnswerOf } from '../../client/call.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { RefusedNote } from '../../part/control/loaded.tsx';
import { Chip, Disabled } from '../../part/value/mark.tsx';
import { channelKindWords } from '../../word/channel-kinds.ts';
import { notificationsWords } from '../../word/notifications.ts';
import { ChannelForm } from './channel-form.tsx';
import { channelKindOf } from './policy/content.ts';
import { RowActions, RowList, type RowUse } from './row-list.tsx';

type Channel = Schemas['NotifyChannel'];

/** The receivers, and a test of each. */
export function Channels({ asked }: { asked: Asked<AnswerOf<'POST /data/notify/channel/list'>> }) {
  if (!may('svc-center-data:notify_channel:list')) return null;
  return (
    <RowList
      noun="channel"
      words={notificationsWords().channels}
      asked={asked}
      rows={3}
      sorts={{
        name: (channel) => channel.channelName,
        kind: (channel) => channelKindWords()[channelKindOf(channel)].name,
      }}
      row={(channel, use) => <Row key={channel.id} channel={channel} {...use} />}
      form={(channel, onClose) => <ChannelForm channel={channel} onClose={onClose} />}
    />
  );
}

function Row({ channel, ...use }: { channel: Channel } & RowUse) {
  const w = notificationsWords().channels;
  const test = useAct('POST /data/notify/channel/test');
  const found = test.answer;
  return (
    <li>
      <div class="row">
        <bdi class="strong">{channel.channelName}</bdi>
        <span class="quiet">{channelKindWords()[channelKindOf(channel)].name}</span>
        <Disabled of={channel} />
        <div class="actions">
          {may('svc-center-data:notify_channel:update') && (
            <Button
              isBusy={test.isRunning}
              onPress={() => void test.run({ id: channel.id })}
              label={`${w.test} ${channel.channelName}`}
            >
              {w.test}
            </Button>
          )}
          <RowActions noun="channel" row={channel} name={channel.channelName} {...use} />
        </div>
      </div>
      <small class="quiet cut">
        {channel.target === '' ? w.noTarget : <bdi>{channel.target}</bdi>}
      </small>
      {found && (
        <p class="row" role="status">
          <Chip {...outcomeOf(found.outcome)} word={w.outcome[found.outcome]} />
          <bdi lang="en">{found.why}</bdi>
        </p>
      )}
      <RefusedNote failure={test.failure} />
    </li>
  );
}

const OUTCOMES = {
  DELIVERED: { tone: 'good', shape: 'check' },
  REFUSED: { tone: 'danger', shape: 'cross' },
  UNREACHABLE: { tone: 'warning', shape: 'diamond' },
} as const;
const outcomeOf = (outcome: keyof typeof OUTCOMES) => OUTCOMES[outcome];
