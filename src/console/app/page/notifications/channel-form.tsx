import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import type { Schemas } from '../../client/operations.ts';
import { Choice, TextArea, TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { wrongOf } from '../../part/loaded.tsx';
import { notificationsWords } from '../../word/alarm/notifications.ts';
import { type Kind, KINDS, objectIn } from './content.ts';

type Given = { channel: Schemas['NotifyChannel'] | null; onClose(): void };

/** Adds a channel, or changes one; its secret is written and never shown. */
export function ChannelForm({ channel, onClose }: Given) {
  const w = notificationsWords().channels;
  const [kind, setKind] = useState<Kind>(channel ? KINDS[channel.channelTypeFlag] : 'EMAIL');
  const [name, setName] = useState(channel?.channelName ?? '');
  const [target, setTarget] = useState(channel?.target ?? '');
  const [secret, setSecret] = useState('');
  const [settings, setSettings] = useState(
    channel && Object.keys(channel.channelExt).length > 0
      ? JSON.stringify(channel.channelExt, null, 2)
      : '',
  );
  const add = useAct('POST /data/notify/channel/add');
  const change = useAct('POST /data/notify/channel/update');
  const channelExt = objectIn(settings);
  const go = async (): Promise<void> => {
    if (channelExt === null) return;
    const given = {
      channelName: name,
      target,
      channelExt,
      ...(secret !== '' && { credential: secret }),
    };
    const done = channel
      ? await change.run({ id: channel.id, ...given })
      : await add.run({ channelTypeFlag: kind, ...given });
    if (done !== null) onClose();
  };
  const failure = add.failure ?? change.failure;
  return (
    <FormDialog
      title={channel ? w.change(channel.channelName) : w.add}
      go={channel ? notificationsWords().save : w.add}
      isRunning={add.isRunning || change.isRunning}
      isOff={name === '' || channelExt === null}
      failure={failure}
      onGo={() => void go()}
      onClose={onClose}
    >
      <TextField
        label={w.name}
        value={name}
        onChange={setName}
        wrong={wrongOf(failure, 'channelName')}
        autocomplete="off"
      />
      {channel === null && (
        <Choice
          label={w.kind}
          value={kind}
          onChange={(given) => setKind(KINDS.find((each) => each === given) ?? 'EMAIL')}
          options={KINDS.map((each) => [each, notificationsWords().kinds[each]] as const)}
        />
      )}
      <TextField
        label={w.target[kind]}
        value={target}
        onChange={setTarget}
        wrong={wrongOf(failure, 'target')}
        autocomplete="off"
      />
      {kind !== 'EMAIL' && (
        <>
          <TextField
            label={w.secret}
            hint={channel?.credentialSet ? w.secretKept : w.secretHint[kind]}
            type="password"
            value={secret}
            onChange={setSecret}
            wrong={wrongOf(failure, 'credential')}
            autocomplete="off"
          />
          <TextArea
            label={w.settings}
            hint={w.settingsHint[kind]}
            rows={5}
            value={settings}
            onChange={setSettings}
            wrong={channelExt === null ? w.notJson : wrongOf(failure, 'channelExt')}
          />
        </>
      )}
    </FormDialog>
  );
}
