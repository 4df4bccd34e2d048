import { useState } from 'preact/hooks';

import type { Schemas } from '../../client/operations.ts';
import { session } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { Copy } from '../../part/control/copy.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Choice, TextArea, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { channelKindWords } from '../../word/channel-kinds.ts';
import { notificationsWords } from '../../word/notifications.ts';
import {
  isVendor,
  KINDS,
  objectIn,
  settingsOf,
  VENDORS,
  type ChannelKind,
  channelKindOf,
} from './policy/content.ts';

type Channel = Schemas['NotifyChannel'];
type Given = { channel: Channel | null; onClose(): void };

/** Adds a channel, or changes one; its secret is written and never shown. */
export function ChannelForm({ channel, onClose }: Given) {
  const w = notificationsWords().channels;
  const ways = channelKindWords();
  const form = useForm(
    channel ? 'POST /data/notify/channel/update' : 'POST /data/notify/channel/add',
    {
      fields: {
        way: channel ? channelKindOf(channel) : ('EMAIL' as const),
        channelName: channel?.channelName ?? '',
        target: channel?.target ?? '',
        credential: '',
        answerSecret: '',
        chatId: chatOf(channel),
        channelExt: shownSettings(channel),
      },
      needs: ['channelName'],
      input({ way, channelName, target, credential, answerSecret, chatId, channelExt: text }) {
        const channelExt = isVendor(way)
          ? vendorSettings(channel, { kind: way, ...(way === 'telegram' && { chatId }) })
          : objectIn(text);
        return channelExt === null
          ? null
          : {
              ...(channel
                ? { id: channel.id }
                : {
                    channelTypeFlag: isVendor(way) || way === 'push' ? ('WEBHOOK' as const) : way,
                  }),
              channelName,
              target: targetOf(way, target, credential),
              channelExt,
              ...(credential !== '' && { credential }),
              ...(answerSecret !== '' && 'answer' in ways[way] && { answerSecret }),
            };
      },
      done: onClose,
    },
  );
  const { way, channelExt } = form.values;
  const settings = form.of('channelExt');
  const credential = form.of('credential');
  const words = ways[way];
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
          {...form.of('way')}
          options={[...KINDS, ...VENDORS].map((each) => [each, ways[each].name] as const)}
        />
      )}
      {'target' in words && (
        <TextField
          label={words.target}
          {...('server' in words && { placeholder: words.server })}
          {...form.of('target')}
        />
      )}
      {'chat' in words && <TextField label={words.chat} {...form.of('chatId')} />}
      {'secret' in words && (
        <TextField
          label={w.secret}
          hint={channel?.credentialSet ? w.secretKept : words.secret}
          type="password"
          {...credential}
        />
      )}
      {'answer' in words && (
        <AnswerSecret channel={channel} words={words.answer} {...form.of('answerSecret')} />
      )}
      {way === 'WEBHOOK' && <MadeSecret value={credential.value} onChange={credential.onChange} />}
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

type Answers = Omit<Parameters<typeof TextField>[0], 'label'> & {
  channel: Channel | null;
  words: string;
};

/** The secret by which the service of a pager proves its answers, and the address that it needs for them. */
function AnswerSecret({ channel, words, ...field }: Answers) {
  const w = notificationsWords().channels;
  return (
    <>
      <TextField
        label={w.answerSecret}
        hint={channel?.answerSecretSet ? w.answerSecretKept : words}
        type="password"
        {...field}
      />
      {channel && <Copy text={answerAddress(channel)} label={w.answerAddress} />}
    </>
  );
}

/** Makes a secret that a receiver of Standard Webhooks takes, and shows it while it is the one entered. */
function MadeSecret({ value, onChange }: { value: string; onChange(value: string): void }) {
  const w = notificationsWords().channels;
  const [made, setMade] = useState('');
  const make = (): void => {
    const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
    const secret = `whsec_${btoa(String.fromCodePoint(...bytes))}`;
    setMade(secret);
    onChange(secret);
  };
  return made !== '' && made === value ? (
    <>
      <Copy text={made} label={w.madeSecret} />
      <p class="quiet">{w.madeOnce}</p>
    </>
  ) : (
    <p>
      <Button onPress={make}>{w.makeSecret}</Button>
    </p>
  );
}
const SECRET_BYTES = 32;

const shownSettings = (channel: Channel | null): string =>
  channel && Object.keys(channel.channelExt).length > 0
    ? JSON.stringify(channel.channelExt, null, 2)
    : '';

/** Where the service of a pager sends what a person acknowledged there. */
const answerAddress = ({ id }: Channel): string =>
  `${location.origin}/api/v3/data/notify/channel/answer?tenantId=${session.value?.tenant.tenantId}&channelId=${id}`;

function chatOf(channel: Channel | null): string {
  const { chatId } = channel ? settingsOf(channel) : {};
  return typeof chatId === 'string' ? chatId : '';
}

/** Other settings stay as they are: a change of them ends the secret. */
function vendorSettings(channel: Channel | null, own: object): Record<string, unknown> {
  const content = { ...(channel && settingsOf(channel)), ...own };
  return channel && channel.channelExt['content'] == null
    ? content
    : { ...channel?.channelExt, content };
}

/** The server that is meant where none is entered: of a URL that is a secret, its own. */
function targetOf(way: ChannelKind, target: string, credential: string): string {
  const words = channelKindWords()[way];
  if (!('target' in words)) return URL.parse(credential)?.origin ?? target;
  return target === '' && 'server' in words ? words.server : target;
}
