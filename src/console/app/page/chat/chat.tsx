import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { SaveButton } from '../../part/control/save-button.tsx';
import { Empty, Loaded } from '../../part/loaded.tsx';
import { Page } from '../../part/page.tsx';
import { Link } from '../../route/link.tsx';
import { navigate, type Parameters } from '../../route/route.ts';
import { chatWords } from '../../word/chat.ts';
import { addressOf } from './address.ts';
import { Composer } from './composer.tsx';
import { Conversations } from './conversations.tsx';
import { freshId } from './files.ts';
import { ModelChoice } from './model-choice.tsx';
import type { Question } from './stream.ts';
import { Thread } from './thread.tsx';
import { beginTurn, isUnderWay, turnOf } from './turn.ts';

/** `/chat` begins a conversation, `/chat/:id` goes on with one. */
// oxlint-disable-next-line complexity
export function Chat({ id }: Parameters) {
  const w = chatWords();
  const [fresh] = useState(freshId);
  const conversationId = id ?? fresh;
  const isNew = id === undefined;
  const turn = turnOf(conversationId).value;
  const messages = useAsk('GET /agentic/message/list', isNew ? null : { conversationId });
  const told = messages.data ?? [];
  // One that has just begun is not kept yet.
  const isAsked = messages.data !== null && (told.length > 0 || turn === null);
  const session = useAsk(
    'GET /agentic/session/get_by_conversation_id',
    isAsked ? { conversationId } : null,
  );
  const mayList = may('svc-center-agentic:model:list');
  const models = useAsk('GET /agentic/model/list', mayList ? {} : null);
  const [chosen, setChosen] = useState<string>();
  const send = (question: Question): void => {
    const after = told.at(-1)?.messageIndex ?? 0;
    void beginTurn(conversationId, { model: chosen, ...question }, after);
    if (isNew) navigate(addressOf(conversationId));
  };
  const isMissing = !isNew && turn === null && told.length === 0 && session.failure !== null;
  // Not known of a conversation before it is asked for; '' is the default.
  const model = chosen ?? (session.data ? (session.data.sessionExt.model ?? '') : undefined);
  const hasNoModel = models.data?.length === 0;
  return (
    <Page
      title={isNew ? w.fresh : (session.data?.title ?? w.title)}
      actions={
        !isNew && (
          <>
            <Link to="/chat" class="to-list">
              {w.all}
            </Link>
            {session.data !== null &&
              [['markdown', 'md'] as const, ['json', 'json'] as const].map(([format, ending]) => (
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
        )
      }
    >
      <div class={isNew ? 'chat' : 'chat open'}>
        {may('svc-center-agentic:session:list') && (
          <Conversations here={isNew ? null : conversationId} renamed={session.again} />
        )}
        <div class="thread">
          {isNew && !hasNoModel && <Empty title={w.empty}>{w.emptyNext}</Empty>}
          {isMissing && <Empty title={w.missing}>{w.missingNext}</Empty>}
          {!isNew && !isMissing && (
            <Loaded asked={turn === null ? messages : { ...messages, data: told }} rows={4} tall>
              {(list) => <Thread asked={messages} messages={list} turn={turn} send={send} />}
            </Loaded>
          )}
          {hasNoModel && (
            <Empty title={w.noModel.title}>
              <Link to="/settings/models">{w.noModel.next}</Link>
            </Empty>
          )}
          {!hasNoModel && !isMissing && (
            <Composer
              conversationId={conversationId}
              isUnderWay={isUnderWay(turn)}
              isOff={!isNew && messages.data === null}
              send={send}
            >
              {models.data && models.data.length > 1 && (isNew || model !== undefined) && (
                <ModelChoice models={models.data} chosen={model} onChange={setChosen} />
              )}
            </Composer>
          )}
        </div>
      </div>
    </Page>
  );
}
