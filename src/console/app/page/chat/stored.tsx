import { useId, useState } from 'preact/hooks';

import { useAct } from '../../client/ask.ts';
import { now } from '../../client/clock.ts';
import { may } from '../../client/session.ts';
import { useEvery } from '../../client/use-live.ts';
import { Button } from '../../part/control/button.tsx';
import { RefusedNote } from '../../part/control/loaded.tsx';
import { chatWords } from '../../word/chat.ts';
import { partWords } from '../../word/part.ts';
import { Left } from './left.tsx';
import { Answered, Asked, MessageText } from './message-text.tsx';
import { isReceipt, type Message, questionBefore, textIn } from './message.ts';
import { type Ending, forgetTurn, type Question, type Step } from './turn.ts';

/** A turn ends after two minutes, and then its last tool. */
const LONGEST_TURN_MS = 150_000;
const LOOK_MS = 3_000;

type Given = {
  message: Message;
  /** The last of the conversation: it can be sent again. */
  isLast: boolean;
  /** How the turn ended on the stream of this page; null: the page did not hear it. */
  ending: Ending | null;
  messages: readonly Message[];
  /** An answer comes. */
  isUnderWay: boolean;
  look(): void;
  send(question: Question): void;
};

export function Stored({ message, isLast, ending, messages, isUnderWay, look, send }: Given) {
  const [isEdited, setEdited] = useState(false);
  const w = chatWords();
  const { contentExt, createTime, model } = message;
  const { attachments = [] } = contentExt;
  if (message.role === 'user') {
    const question = { text: message.content, attachments };
    return (
      <>
        <Asked question={question} at={createTime}>
          {isEdited ? (
            <Edit
              text={message.content}
              send={(text) => send({ text, attachments, edit: message.messageIndex })}
              onClose={() => setEdited(false)}
            />
          ) : (
            <div class="row">
              <Versions message={message} look={look} />
              {!isUnderWay && (
                <Button kind="quiet" onPress={() => setEdited(true)}>
                  {w.edit}
                </Button>
              )}
            </div>
          )}
        </Asked>
        {isLast && <Unanswered at={createTime} look={look} again={() => send(question)} />}
      </>
    );
  }
  if (isReceipt(message)) return <MessageText text={message.content} at={createTime} />;
  const text = textIn(message);
  const { actions } = contentExt;
  const steps = contentExt.tools.map(stepOf);
  const asked = questionBefore(messages, messages.indexOf(message));
  const again = (): void => {
    if (asked) send({ text: asked.content, attachments: asked.contentExt.attachments ?? [] });
  };
  return (
    <Answered
      text={text}
      steps={steps}
      actions={actions}
      citations={contentExt.citations ?? []}
      facts={contentExt.facts ?? null}
      model={model}
      at={createTime}
    >
      {message.status === 'UNFINISHED' && (
        <Left
          ending={endingOf(ending, message)}
          kept={{ hasText: text.trim() !== '', steps: steps.length, actions: actions.length }}
          again={isLast && asked !== null ? again : undefined}
        />
      )}
      <div class="row">
        <Versions message={message} look={look} />
        {!isUnderWay && asked !== null && message.status === 'OK' && (
          <Button
            kind="quiet"
            onPress={() =>
              send({
                text: asked.content,
                attachments: asked.contentExt.attachments ?? [],
                regenerate: asked.messageIndex,
              })
            }
          >
            {w.regenerate}
          </Button>
        )}
      </div>
    </Answered>
  );
}

/** How the answer ended: what the stream of this page said, else the failure that is stored with the message. */
function endingOf(ending: Ending | null, { contentExt: { failure } }: Message): Ending | null {
  const isHeard = ending !== null && ending.how !== 'done';
  return isHeard || failure === undefined ? ending : { how: 'failed', said: failure };
}

const stepOf = ({ status, ...trace }: Message['contentExt']['tools'][number]): Step => ({
  ...trace,
  status: status === 'success' ? 'success' : 'failed',
});

/** A question without an answer: it may come from elsewhere, or the platform was stopped meanwhile. */
function Unanswered({ at, look, again }: { at: string; look(): void; again(): void }) {
  const isUnderWay = now() - Date.parse(at) < LONGEST_TURN_MS;
  useEvery(LOOK_MS, () => {
    if (now() - Date.parse(at) < LONGEST_TURN_MS + LOOK_MS) look();
  });
  return (
    <Left
      ending={null}
      kept={null}
      isMaybeComing={isUnderWay}
      look={look}
      again={isUnderWay ? undefined : again}
    />
  );
}

/** Leads to the other wordings of a question, or the other answers to it. */
function Versions({ message, look }: { message: Message; look(): void }) {
  const w = chatWords();
  const select = useAct('POST /agentic/session/branch/select');
  const { conversationId, messageIndex, versions } = message;
  const at = versions.indexOf(messageIndex);
  if (at === -1 || !may('svc-center-agentic:session:update')) return null;
  const go = async (to: number): Promise<void> => {
    const index = versions[to];
    if (index === undefined) return;
    if ((await select.run({ conversationId, messageIndex: index })) === null) return;
    // The latest turn may be on another branch.
    forgetTurn(conversationId);
    look();
  };
  return (
    <div class="row versions">
      <Button
        kind="quiet"
        label={w.versionBefore}
        isOff={at === 0 || select.isRunning}
        onPress={() => void go(at - 1)}
      >
        ‹
      </Button>
      <small class="tabular">{w.version(at + 1, versions.length)}</small>
      <Button
        kind="quiet"
        label={w.versionAfter}
        isOff={at === versions.length - 1 || select.isRunning}
        onPress={() => void go(at + 1)}
      >
        ›
      </Button>
      <RefusedNote failure={select.failure} />
    </div>
  );
}

type EditGiven = { text: string; send(text: string): void; onClose(): void };

/** Another wording of a question: what came after it stays on another branch. */
function Edit({ text, send, onClose }: EditGiven) {
  const w = chatWords();
  const id = useId();
  const [typed, setTyped] = useState(text);
  return (
    <div class="stack">
      <label for={id}>{w.editTitle}</label>
      <textarea
        id={id}
        rows={3}
        value={typed}
        ref={(element) => element?.focus()}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <div class="row">
        <Button onPress={onClose}>{partWords().cancel}</Button>
        <Button
          kind="primary"
          isOff={typed.trim() === ''}
          onPress={() => {
            send(typed);
            onClose();
          }}
        >
          {w.send}
        </Button>
      </div>
    </div>
  );
}
