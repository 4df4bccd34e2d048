import { useEffect, useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { Choice, TextArea, TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { Loaded, wrongOf } from '../../part/loaded.tsx';
import { Mark } from '../../part/value/mark.tsx';
import { notificationsWords } from '../../word/alarm/notifications.ts';
import { type Kind, kindOf, KINDS, type Templates, templatesOf } from './content.ts';

type Given = { template: Schemas['MessageTemplate'] | null; onClose(): void };
type Words = { title: string; text: string };

const NOTHING: Words = { title: '', text: '' };
const PAUSE_MS = 300;

/** Adds a template, or changes one: its words for each kind of channel, beside what they become. */
export function TemplateForm({ template, onClose }: Given) {
  const w = notificationsWords().templates;
  const stored = template ? templatesOf(template) : [];
  const [name, setName] = useState(template?.messageName ?? '');
  const [kind, setKind] = useState<Kind>(stored[0] ? kindOf(stored[0]) : 'EMAIL');
  const [texts, setTexts] = useState<Partial<Record<Kind, Words>>>(() => wordsIn(stored));
  const add = useAct('POST /data/message/add');
  const change = useAct('POST /data/message/update');
  const shown = texts[kind] ?? NOTHING;
  const set = (part: Partial<Words>): void => setTexts({ ...texts, [kind]: { ...shown, ...part } });
  /** What this form does not show stays as it is. */
  const other = (each: Kind) => stored.find((one) => kindOf(one) === each);
  const templates = KINDS.flatMap((each) => {
    const { title = '', text = '' } = texts[each] ?? {};
    return title === '' && text === ''
      ? []
      : [{ ...other(each), channelType: each, template: { title, text } }];
  });
  const go = async (): Promise<void> => {
    const given = { messageName: name, messageExt: { content: { templates } } };
    const done = template ? await change.run({ id: template.id, ...given }) : await add.run(given);
    if (done !== null) onClose();
  };
  const failure = add.failure ?? change.failure;
  return (
    <FormDialog
      title={template ? w.change(template.messageName) : w.add}
      go={template ? notificationsWords().save : w.add}
      isRunning={add.isRunning || change.isRunning}
      isOff={name === '' || templates.length === 0}
      failure={failure}
      isWide
      onGo={() => void go()}
      onClose={onClose}
    >
      <TextField
        label={w.name}
        value={name}
        onChange={setName}
        wrong={wrongOf(failure, 'messageName')}
        autocomplete="off"
      />
      <Choice
        label={w.kind}
        hint={w.kindHint}
        value={kind}
        onChange={(given) => setKind(KINDS.find((each) => each === given) ?? 'EMAIL')}
        options={KINDS.map((each) => [each, notificationsWords().kinds[each]] as const)}
      />
      <TextField label={w.head} value={shown.title} onChange={(title) => set({ title })} />
      <TextArea label={w.text} rows={5} value={shown.text} onChange={(text) => set({ text })} />
      <Preview kind={kind} words={shown} />
    </FormDialog>
  );
}

const wordsIn = (stored: Templates): Partial<Record<Kind, Words>> =>
  Object.fromEntries(
    stored.map((one) => {
      const { title = '', text, summary } = one.template;
      return [kindOf(one), { title, text: text ?? summary ?? '' }];
    }),
  );

/** The words filled with an example alarm, by the platform itself. */
function Preview({ kind, words }: { kind: Kind; words: Words }) {
  const w = notificationsWords().templates;
  const [rested, setRested] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setRested(words), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words.title, words.text]);
  const asked = useAsk('POST /data/message/preview', { channelType: kind, ...rested });
  return (
    <section class="panel" aria-label={w.preview} aria-busy={asked.isLoading ? 'true' : 'false'}>
      <h3>{w.preview}</h3>
      <Loaded asked={asked} rows={3}>
        {({ title, text, missing, variables }) => (
          <>
            <p>
              <bdi class="strong">{title}</bdi>
            </p>
            {text.split('\n').map((line, index) => (
              <p key={index}>
                <bdi>{line}</bdi>
              </p>
            ))}
            {missing.length > 0 && (
              <p class="note warning">
                <Mark shape="diamond" />
                <span>
                  {w.missing} <bdi>{missing.join(', ')}</bdi>
                </span>
              </p>
            )}
            <details>
              <summary>{w.variables}</summary>
              <p class="small">
                <bdi>
                  {Object.keys(variables)
                    .map((name) => `{{${name}}}`)
                    .join(' ')}
                </bdi>
              </p>
            </details>
          </>
        )}
      </Loaded>
    </section>
  );
}
