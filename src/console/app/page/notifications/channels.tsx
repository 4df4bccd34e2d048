import { type Asked, useAct } from '../../client/ask.ts';
import type { AnswerOf } from '../../client/call.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Choice, TextArea, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { RefusedNote } from '../../part/control/loaded.tsx';
import { Chip, Disabled } from '../../part/value/mark.tsx';
import { notificationsWords } from '../../word/notifications.ts';
import { KINDS, objectIn } from './content.ts';
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
      row={(channel, use) => <Row key={channel.id} channel={channel} {...use} />}
      form={(channel, onClose) => <ChannelForm channel={channel} onClose={onClose} />}
    />
  );
}

function Row({ channel, ...use }: { channel: Channel } & RowUse) {
  const all = notificationsWords();
  const w = all.channels;
  const test = useAct('POST /data/notify/channel/test');
  const kind = KINDS[channel.channelTypeFlag];
  const found = test.answer;
  return (
    <li>
      <div class="row">
        <bdi class="strong">{channel.channelName}</bdi>
        <span class="quiet">{all.kinds[kind].name}</span>
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

type Given = { channel: Channel | null; onClose(): void };

/** Adds a channel, or changes one; its secret is written and never shown. */
function ChannelForm({ channel, onClose }: Given) {
  const { channels: w, kinds } = notificationsWords();
  const form = useForm(
    channel ? 'POST /data/notify/channel/update' : 'POST /data/notify/channel/add',
    {
      fields: {
        kind: channel ? KINDS[channel.channelTypeFlag] : ('EMAIL' as const),
        channelName: channel?.channelName ?? '',
        target: channel?.target ?? '',
        credential: '',
        channelExt: settingsOf(channel),
      },
      needs: ['channelName'],
      input({ kind, channelName, target, credential, channelExt: text }) {
        const channelExt = objectIn(text);
        return channelExt === null
          ? null
          : {
              ...(channel ? { id: channel.id } : { channelTypeFlag: kind }),
              channelName,
              target,
              channelExt,
              ...(credential !== '' && { credential }),
            };
      },
      done: onClose,
    },
  );
  const { kind, channelExt } = form.values;
  const settings = form.of('channelExt');
  const words = kinds[kind];
  return (
    <FormDialog
      title={channel ? w.change(channel.channelName) : w.add}
      {...(!channel && { go: w.add })}
      {...form.sends}
      onClose={onClose}
    >
      <TextField label={w.name} {...form.of('channelName')} />
      {channel === null && (
        <Choice
          label={w.kind}
          {...form.of('kind')}
          options={KINDS.map((each) => [each, kinds[each].name] as const)}
        />
      )}
      <TextField label={words.target} {...form.of('target')} />
      {'secret' in words && (
        <TextField
          label={w.secret}
          hint={channel?.credentialSet ? w.secretKept : words.secret}
          type="password"
          {...form.of('credential')}
        />
      )}
      {'settings' in words && (
        <TextArea
          label={w.settings}
          hint={words.settings}
          rows={5}
          {...settings}
          wrong={objectIn(channelExt) === null ? w.notJson : settings.wrong}
        />
      )}
    </FormDialog>
  );
}

const settingsOf = (channel: Channel | null): string =>
  channel && Object.keys(channel.channelExt).length > 0
    ? JSON.stringify(channel.channelExt, null, 2)
    : '';
