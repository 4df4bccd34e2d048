import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import type { AnswerOf } from '../../client/call.ts';
import type { Schemas } from '../../client/operations.ts';
import { navigate, type Parameters } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { Choice } from '../../part/control/field.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { SaveButton } from '../../part/control/save-button.tsx';
import { Link } from '../../part/link.tsx';
import { Page } from '../../part/page.tsx';
import { titleOf } from '../../part/pages.ts';
import { chatWords } from '../../word/chat.ts';
import { Composer } from './composer.tsx';
import { Conversations } from './conversations.tsx';
import { addressOf } from './found.tsx';
import { Thread } from './thread.tsx';
import { beginTurn, isUnderWay, type Question, turnOf } from './turn.ts';

/** `/chat` begins a conversation, `/chat/:id` goes on with one. */
export function Chat({ id }: Parameters) {
  const w = chatWords();
  const { conversationId, turn, messages, stored, session, isMissing } = useConversation(id);
  const isNew = id === undefined;
  const models = useModels(isNew, session.data);
  const send = (question: Question): void => {
    const after = stored.at(-1)?.messageIndex ?? 0;
    void beginTurn(conversationId, { model: models.chosen, ...question }, after);
    if (isNew) navigate(addressOf(conversationId));
  };
  return (
    <Page
      title={isNew ? w.fresh : (session.data?.title ?? titleOf('/chat'))}
      actions={!isNew && <Actions conversationId={session.data === null ? null : conversationId} />}
    >
      <div class={isNew ? 'chat' : 'chat open'}>
        {may('svc-center-agentic:session:list') && (
          <Conversations here={isNew ? null : conversationId} renamed={session.again} />
        )}
        <div class="thread">
          {isNew ? (
            !models.areNone && <Empty title={w.empty}>{w.emptyNext}</Empty>
          ) : isMissing ? (
            <Empty title={w.missing}>{w.missingNext}</Empty>
          ) : (
            <Loaded asked={turn === null ? messages : { ...messages, data: stored }} rows={4} tall>
              {(list) => <Thread asked={messages} messages={list} turn={turn} send={send} />}
            </Loaded>
          )}
          {models.areNone ? (
            <Empty title={w.noModel.title}>
              <Link to="/settings/models">{w.noModel.next}</Link>
            </Empty>
          ) : (
            !isMissing && (
              <Composer
                conversationId={conversationId}
                isUnderWay={isUnderWay(turn)}
                isOff={!isNew && messages.data === null}
                send={send}
              >
                {models.choice}
              </Composer>
            )
          )}
        </div>
      </div>
    </Page>
  );
}

/** What is known of a conversation: its messages, its turn that goes on, itself. */
function useConversation(id: string | undefined) {
  const [fresh] = useState(freshId);
  const conversationId = id ?? fresh;
  const turn = turnOf(conversationId).value;
  const messages = useAsk(
    'GET /agentic/message/list',
    id === undefined ? null : { conversationId },
  );
  const stored = messages.data ?? [];
  const isEmpty = turn === null && stored.length === 0;
  // One that has just begun is not stored yet.
  const isAsked = messages.data !== null && (stored.length > 0 || turn === null);
  const session = useAsk(
    'GET /agentic/session/get_by_conversation_id',
    isAsked ? { conversationId } : null,
  );
  const isMissing = id !== undefined && isEmpty && session.failure !== null;
  return { conversationId, turn, messages, stored, session, isMissing };
}

/** The model of the next turn, which the person may choose where there are several. */
function useModels(isNew: boolean, session: Schemas['Session'] | null) {
  const mayList = may('svc-center-agentic:model:list');
  const models = useAsk('GET /agentic/model/list', mayList ? {} : null).data;
  const [chosen, setChosen] = useState<string>();
  // Not known of a conversation before it is asked for; '' is the default.
  const model = chosen ?? (session ? (session.sessionExt.model ?? '') : undefined);
  const isChoice = models !== null && models.length > 1 && (isNew || model !== undefined);
  return {
    chosen,
    areNone: models?.length === 0,
    choice: isChoice && <ModelChoice models={models} chosen={model} onChange={setChosen} />,
  };
}

/** Of a conversation, which can be saved once it is there. */
function Actions({ conversationId }: { conversationId: string | null }) {
  const w = chatWords();
  const formats = [['markdown', 'md'] as const, ['json', 'json'] as const];
  return (
    <>
      <Link to="/chat" class="to-list">
        {w.all}
      </Link>
      {conversationId !== null &&
        formats.map(([format, ending]) => (
          <SaveButton
            key={format}
            operation="GET /agentic/session/export"
            input={{ conversationId, format }}
            name={`conversation.${ending}`}
          >
            {w.exportAs[format]}
          </SaveButton>
        ))}
      <Link to="/chat">{w.fresh}</Link>
    </>
  );
}

/** An id for a conversation that begins here; without the browser's own, which it gives to secure pages alone. */
function freshId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

type Models = AnswerOf<'GET /agentic/model/list'>;
type Given = {
  models: Models;
  /** Chosen here, or kept with the conversation; undefined: the default of the tenant. */
  chosen: string | undefined;
  onChange(model: string): void;
};

function ModelChoice({ models, chosen, onChange }: Given) {
  const named = models.find((each) => [each.model, nameOf(each)].includes(chosen ?? ''));
  const used = named ?? models.find(({ defaultFlag }) => defaultFlag === 'DEFAULT');
  return (
    <Choice
      label={chatWords().model}
      value={used === undefined ? '' : nameOf(used)}
      onChange={onChange}
      options={models.map((each) => [nameOf(each), `${each.label} · ${each.providerName}`])}
    />
  );
}

/** Two providers may have a model of the same name. */
const nameOf = ({ providerName, model }: Models[number]): string => `${providerName}/${model}`;
