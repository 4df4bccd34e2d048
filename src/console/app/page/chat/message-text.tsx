import type { ComponentChildren } from 'preact';

import { type Action, isOpen } from '../../../card/action.ts';
import { useAsk } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { Loaded } from '../../part/control/loaded.tsx';
import { SaveButton } from '../../part/control/save-button.tsx';
import { Link } from '../../part/link.tsx';
import { Prose } from '../../part/prose-text.tsx';
import { sizeOf } from '../../part/value/amount.tsx';
import { Chip, Note } from '../../part/value/mark.tsx';
import { actionState } from '../../part/value/state.ts';
import { Ago } from '../../part/value/time.tsx';
import { chatWords } from '../../word/chat.ts';
import { Proposal, useCard } from '../agents/review.tsx';
import { marking, Sources } from './sources.tsx';
import { Plots, Steps } from './steps.tsx';
import type { Citation, Facts, Question, Step } from './turn.ts';

type Given = { by: string; at?: string | undefined; class: string; children: ComponentChildren };

const Said = ({ by, at, class: name, children }: Given) => (
  <article class={`said ${name}`} aria-label={by}>
    <p class="small quiet">
      {by}
      {at !== undefined && (
        <>
          {' · '}
          <Ago at={at} />
        </>
      )}
    </p>
    {children}
  </article>
);

type Asked = {
  question: Pick<Question, 'text' | 'attachments'>;
  at?: string;
  /** Below it: other wordings, and the way to one. */
  children?: ComponentChildren;
};

export function Asked({ question: { text, attachments }, at, children }: Asked) {
  const w = chatWords();
  return (
    <Said by={w.you} at={at} class="asked">
      <p class="typed" dir="auto">
        {text}
      </p>
      {attachments.length > 0 && (
        <ul class="row" aria-label={w.files}>
          {attachments.map(({ id, fileName, size }) => (
            <li key={id} class="small">
              <bdi>{fileName}</bdi> <span class="quiet">{sizeOf(size)}</span>{' '}
              {may('svc-center-agentic:attachment:list') && (
                <SaveButton
                  operation="GET /agentic/attachment/download"
                  input={{ id }}
                  name={fileName}
                >
                  {w.saveFile}
                </SaveButton>
              )}
            </li>
          ))}
        </ul>
      )}
      {children}
    </Said>
  );
}

type Answer = {
  text: string;
  steps: readonly Step[];
  actions: readonly string[];
  citations?: readonly Citation[];
  warnings?: readonly string[];
  facts?: Facts | null;
  model?: string;
  at?: string;
  /** Below it: that it goes on, or how it ended. */
  children?: ComponentChildren;
};

/** What the model said, with the steps before it and the proposals made in it. */
export function Answered({ text, steps, actions, citations = [], ...rest }: Answer) {
  const { warnings = [], facts = null, model, at, children } = rest;
  const w = chatWords();
  const by = model === undefined ? w.assistant : `${w.assistant} · ${model}`;
  return (
    <Said by={by} at={at} class="answered">
      {warnings.map((code) => (
        <Note key={code} tone="warning" shape="diamond">
          {code === 'temperature_ignored' ? w.ignored : `${w.warned} ${code}`}
        </Note>
      ))}
      <Steps steps={steps} />
      <Plots steps={steps} />
      {text.trim() !== '' && <Prose text={text} mark={marking(text, citations)} />}
      <Sources citations={citations} />
      {actions.map((actionId) => (
        <InPlace key={actionId} actionId={actionId} />
      ))}
      {facts !== null && <Known facts={facts} />}
      {children}
    </Said>
  );
}

/** What the platform knows, whatever the answer says: what is 0 and seldom is left out. */
function Known({ facts: { proposed, written, read, earlier, ...seldom } }: { facts: Facts }) {
  const w = chatWords().known;
  const { sent, unknown, mismatched, failed } = seldom;
  const counts: readonly (readonly [string, number])[] = [
    [w.proposed, proposed],
    [w.written, written],
    ...(
      [
        [w.sent, sent],
        [w.unknown, unknown],
        [w.mismatched, mismatched],
        [w.failed, failed],
      ] as const
    ).filter(([, count]) => count > 0),
    [w.read, read],
  ];
  const before = `${w.earlier}: ${w.proposed} ${earlier.proposed}, ${w.written} ${earlier.written}`;
  return (
    <p class="small quiet tabular">
      {counts.map(([name, count]) => `${name} ${count}`).join(' · ')}
      {earlier.proposed > 0 && ` · ${before}`}
    </p>
  );
}

/** What the platform wrote to the model between turns: the end of a proposal. */
export const MessageText = ({ text, at }: { text: string; at: string }) => (
  <Said by={chatWords().platform} at={at} class="answered">
    <div lang="en">
      <Prose text={text} />
    </div>
  </Said>
);

/** A proposal where it was made: decided here, at the same address of the API as on its own page. */
function InPlace({ actionId }: { actionId: string }) {
  const maySee = may('svc-center-agentic:action:get');
  const asked = useAsk('GET /agentic/action/get', maySee ? { actionId } : null);
  useAgainOn(['action', 'command'], asked.again);
  if (!maySee) return <p class="quiet">{chatWords().asCard}</p>;
  return (
    <section class="in-place" aria-label={chatWords().proposal}>
      <Loaded asked={asked} rows={3} tall>
        {(action) => <Card latest={action} again={asked.again} />}
      </Loaded>
    </section>
  );
}

function Card({ latest, again }: { latest: Action; again(): void }) {
  const card = useCard(latest);
  const { actionId, status } = card.action;
  const head = (
    <span class="row">
      <Link to={`/review/${actionId}`}>{chatWords().proposal}</Link>
      <Chip {...actionState(status)} />
    </span>
  );
  return (
    <>
      <p class="strong">{head}</p>
      <Proposal card={card} again={again} isBrief={!isOpen(card.action)} />
    </>
  );
}
