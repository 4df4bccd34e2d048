import type { Schemas } from '../../client/operations.ts';
import { Choice, TextArea, TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { useForm } from '../../part/control/form.ts';
import { notificationsWords } from '../../word/notifications.ts';
import { KINDS, objectIn } from './content.ts';

type Channel = Schemas['NotifyChannel'];
type Given = { channel: Channel | null; onClose(): void };

/** Adds a channel, or changes one; its secret is written and never shown. */
export function ChannelForm({ channel, onClose }: Given) {
  const w = notificationsWords().channels;
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
  return (
    <FormDialog
      title={channel ? w.change(channel.channelName) : w.add}
      go={channel ? notificationsWords().save : w.add}
      {...form.sends}
      onClose={onClose}
    >
      <TextField label={w.name} {...form.of('channelName')} />
      {channel === null && (
        <Choice
          label={w.kind}
          {...form.of('kind')}
          options={KINDS.map((each) => [each, notificationsWords().kinds[each]] as const)}
        />
      )}
      <TextField label={w.target[kind]} {...form.of('target')} />
      {kind !== 'EMAIL' && (
        <>
          <TextField
            label={w.secret}
            hint={channel?.credentialSet ? w.secretKept : w.secretHint[kind]}
            type="password"
            {...form.of('credential')}
          />
          <TextArea
            label={w.settings}
            hint={w.settingsHint[kind]}
            rows={5}
            {...settings}
            wrong={objectIn(channelExt) === null ? w.notJson : settings.wrong}
          />
        </>
      )}
    </FormDialog>
  );
}

const settingsOf = (channel: Channel | null): string =>
  channel && Object.keys(channel.channelExt).length > 0
    ? JSON.stringify(channel.channelExt, null, 2)
    : '';
