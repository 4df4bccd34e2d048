import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Choice, TextArea, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { Loaded } from '../../part/control/loaded.tsx';
import { useRested } from '../../part/control/search.tsx';
import { Note } from '../../part/value/mark.tsx';
import { channelKindWords } from '../../word/channel-kinds.ts';
import { notificationsWords } from '../../word/notifications.ts';
import { type Kind, kindOf, KINDS, type Templates, templatesOf } from './policy/content.ts';

type Given = { template: Schemas['MessageTemplate'] | null; onClose(): void };
type Words = { title: string; text: string };
type Texts = Partial<Record<Kind, Words>>;

const NOTHING: Words = { title: '', text: '' };
const PAUSE_MS = 300;

/** Adds a template, or changes one: its words for each kind of channel, beside what they become. */
export function TemplateForm({ template, onClose }: Given) {
  const w = notificationsWords().templates;
  const stored = template ? templatesOf(template) : [];
  const form = useForm(template ? 'POST /data/message/update' : 'POST /data/message/add', {
    fields: {
      messageName: template?.messageName ?? '',
      kind: stored[0] ? kindOf(stored[0]) : ('EMAIL' as const),
      texts: wordsIn(stored),
    },
    needs: ['messageName'],
    input({ messageName, texts }) {
      const templates = templatesIn(texts, stored);
      const id = template && { id: template.id };
      return templates.length === 0
        ? null
        : { ...id, messageName, messageExt: { content: { templates } } };
    },
    done: onClose,
  });
  const { kind, texts } = form.values;
  const shown = texts[kind] ?? NOTHING;
  const set = (part: Partial<Words>): void =>
    form.set({ texts: { ...texts, [kind]: { ...shown, ...part } } });
  return (
    <FormDialog
      title={template ? w.change(template.messageName) : w.add}
      {...(!template && { go: w.add })}
      {...form.sends}
      isWide
      onClose={onClose}
    >
      <TextField label={w.name} {...form.of('messageName')} />
      <Choice
        label={w.kind}
        hint={w.kindHint}
        {...form.of('kind')}
        options={KINDS.map((each) => [each, channelKindWords()[each].name] as const)}
      />
      <TextField label={w.head} value={shown.title} onChange={(title) => set({ title })} />
      <TextArea label={w.text} rows={5} value={shown.text} onChange={(text) => set({ text })} />
      <Preview kind={kind} words={shown} />
    </FormDialog>
  );
}

/** Of every message to channels of a type: those of one event or one vendor are none of the form's. */
const isForAll = ({ kind, event }: Templates[number]): boolean =>
  kind === undefined && event === undefined;

/** As the server takes them; what the form does not show stays as it is. */
const templatesIn = (texts: Texts, stored: Templates): Templates => [
  ...KINDS.flatMap((each) => {
    const { title, text } = texts[each] ?? NOTHING;
    if (title === '' && text === '') return [];
    const other = stored.find((one) => isForAll(one) && kindOf(one) === each);
    return [{ ...other, channelType: each, template: { title, text } }];
  }),
  ...stored.filter((one) => !isForAll(one)),
];

const wordsIn = (stored: Templates): Texts =>
  Object.fromEntries(
    stored.filter(isForAll).map((one) => {
      const { title = '', text, summary } = one.template;
      return [kindOf(one), { title, text: text ?? summary ?? '' }];
    }),
  );

/** The words filled with an example alarm, by the platform itself. */
function Preview({ kind, words }: { kind: Kind; words: Words }) {
  const w = notificationsWords().templates;
  const rested = useRested(words, PAUSE_MS);
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
              <Note tone="warning" shape="diamond">
                {w.missing} <bdi>{missing.join(', ')}</bdi>
              </Note>
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
