import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Choice, optionsIn, TextArea, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { Loaded } from '../../part/control/loaded.tsx';
import { useRested } from '../../part/control/search.tsx';
import { Note } from '../../part/value/mark.tsx';
import { channelKindWords } from '../../word/channel-kinds.ts';
import { notificationsWords } from '../../word/notifications.ts';
import {
  asTemplate,
  forOf,
  TEMPLATE_EVENTS,
  TEMPLATE_KINDS,
  type TemplateFor,
  type Templates,
  templatesOf,
} from './policy/content.ts';

type Given = { template: Schemas['MessageTemplate'] | null; onClose(): void };
type Words = { title: string; text: string };

const FIRST: TemplateFor = { kind: 'EMAIL', event: '' };
const PAUSE_MS = 300;

/** Adds a template, or changes one: its words for each kind of channel and message, beside what they become. */
export function TemplateForm({ template, onClose }: Given) {
  const w = notificationsWords().templates;
  const stored = template ? templatesOf(template) : [];
  const form = useForm(template ? 'POST /data/message/update' : 'POST /data/message/add', {
    fields: {
      messageName: template?.messageName ?? '',
      ...(stored[0] ? forOf(stored[0]) : FIRST),
      templates: stored,
    },
    needs: ['messageName'],
    input({ messageName, templates: entered }) {
      const templates = entered.filter(hasWords);
      const id = template && { id: template.id };
      return templates.length === 0
        ? null
        : { ...id, messageName, messageExt: { content: { templates } } };
    },
    done: onClose,
  });
  const { kind, event, templates } = form.values;
  const worded = templates.filter(hasWords);
  const shown = wordsFor(templates, { kind, event });
  const set = (part: Partial<Words>): void =>
    form.set({ templates: withWords(templates, { kind, event }, { ...shown, ...part }) });
  return (
    <FormDialog
      title={template ? w.change(template.messageName) : w.add}
      {...(!template && { go: w.add })}
      {...form.sends}
      isWide
      onClose={onClose}
    >
      <TextField label={w.name} {...form.of('messageName')} />
      <div class="fields">
        <Choice
          label={w.kind}
          {...form.of('kind')}
          options={TEMPLATE_KINDS.map((each) => [each, channelKindWords()[each].name] as const)}
        />
        <Choice
          label={w.event}
          {...form.of('event')}
          options={optionsIn(TEMPLATE_EVENTS, w.events)}
        />
      </div>
      <p class="small quiet">
        {w.fits} {worded.length > 0 && w.written(worded.map(nameOf).join(', '))}
      </p>
      <TextField label={w.head} value={shown.title} onChange={(title) => set({ title })} />
      <TextArea label={w.text} rows={5} value={shown.text} onChange={(text) => set({ text })} />
      <Preview of={{ kind, event }} templates={worded} />
    </FormDialog>
  );
}

const hasWords = ({ template: { title, text, summary } }: Templates[number]): boolean =>
  Boolean(title || text || summary);

const isFor =
  ({ kind, event }: TemplateFor) =>
  (one: Templates[number]): boolean =>
    forOf(one).kind === kind && forOf(one).event === event;

function nameOf(template: Templates[number]): string {
  const { kind, event } = forOf(template);
  const { name } = channelKindWords()[kind];
  return event === '' ? name : `${name} (${notificationsWords().templates.events[event]})`;
}

function wordsFor(templates: Templates, of: TemplateFor): Words {
  const found = templates.find(isFor(of))?.template;
  return { title: found?.title ?? '', text: found?.text ?? found?.summary ?? '' };
}

/** With other words for these messages; each of the others stays as it is. */
function withWords(templates: Templates, of: TemplateFor, template: Words): Templates {
  const at = templates.findIndex(isFor(of));
  return at === -1
    ? [...templates, { ...asTemplate(of), template }]
    : templates.map((one, index) => (index === at ? { ...one, template } : one));
}

/** What such a message says of an example alarm, as the platform itself chooses and fills its words. */
function Preview({ of, templates }: { of: TemplateFor; templates: Templates }) {
  const w = notificationsWords().templates;
  const rested = useRested({ ...asTemplate(of), templates }, PAUSE_MS);
  const asked = useAsk('POST /data/message/preview', rested);
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
