import { useEffect, useRef, useState } from 'preact/hooks';

import type { Asked as Asking } from '../../client/ask.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { Button } from '../../part/control/button.tsx';
import { Note } from '../../part/value/mark.tsx';
import { chatWords } from '../../word/chat.ts';
import { Left } from './left.tsx';
import { Answered, Asked } from './message-text.tsx';
import { isReceipt, isStored, type Message } from './message.ts';
import { Stored } from './stored.tsx';
import { isUnderWay, type Question, type Turn } from './turn.ts';

const SHOWN = 40;
/** The server keeps a cut answer when the tool that runs has ended. */
const LOOK_MS = 1_000;
const LOOKS = 10;

type Given = {
  asked: Asking<readonly Message[]>;
  messages: readonly Message[];
  turn: Turn | null;
  send(question: Question): void;
};

/** What was said, the oldest first, and the answer that comes. */
export function Thread({ asked, messages, turn, send }: Given) {
  const w = chatWords();
  const [count, setCount] = useState(SHOWN);
  useAgainOn(['action', 'command'], asked.again);
  const isThere = turn === null || (turn.ending !== null && isStored(turn, messages));
  const looks = useLooks(asked.again, turn, isThere);
  // A branch begins at the question that is worded anew or answered again.
  const branch = turn?.question.edit ?? turn?.question.regenerate;
  const isCut = branch !== undefined && turn?.ending?.how !== 'refused';
  const told = isThere
    ? messages
    : messages.filter((each) =>
        isCut ? each.messageIndex < branch : each.messageIndex <= turn.after || isReceipt(each),
      );
  const shown = told.slice(-count);
  usePinned();
  return (
    <div class="log">
      {told.length > shown.length && (
        <Button onPress={() => setCount((before) => before + SHOWN)}>{w.earlier}</Button>
      )}
      <div
        class="log"
        role="log"
        aria-label={w.log}
        // Read out when it is whole, not word by word.
        aria-busy={isThere || turn?.ending?.how === 'refused' ? 'false' : 'true'}
      >
        {shown.map((message, index) => (
          <Stored
            key={message.id}
            message={message}
            isLast={isThere && index === shown.length - 1}
            ending={turn !== null && message.messageIndex > turn.after ? turn.ending : null}
            messages={told}
            isUnderWay={isUnderWay(turn)}
            look={asked.again}
            send={send}
          />
        ))}
        {!isThere && <LiveTurn turn={turn} isAsking={looks < LOOKS} asked={asked} send={send} />}
      </div>
    </div>
  );
}

/** Asks for what was kept of a turn that has ended until it is there, for a while. */
function useLooks(again: () => void, turn: Turn | null, isThere: boolean): number {
  const [looks, setLooks] = useState(0);
  const { ending = null } = turn ?? {};
  const isWanted = ending !== null && ending.how !== 'refused' && !isThere;
  useEffect(() => setLooks(0), [turn?.question]);
  useEffect(() => {
    if (!isWanted || looks >= LOOKS) return undefined;
    if (looks === 0) again();
    const timer = setTimeout(() => {
      again();
      setLooks(looks + 1);
    }, LOOK_MS);
    return () => clearTimeout(timer);
  }, [isWanted, looks]);
  return looks;
}

const NEAR = 160;
const below = (): number =>
  document.documentElement.scrollHeight - globalThis.scrollY - globalThis.innerHeight;

/** Keeps the end in sight while it grows, unless the person looks further up. */
function usePinned(): void {
  const isPinned = useRef(true);
  useEffect(() => {
    const look = (): void => {
      isPinned.current = below() < NEAR;
    };
    const follow = (): void => {
      if (isPinned.current) globalThis.scrollTo(0, document.documentElement.scrollHeight);
    };
    // A card is asked for when its proposal is known, and is drawn later.
    const grown = new ResizeObserver(follow);
    grown.observe(document.body);
    addEventListener('scroll', look, { passive: true });
    return () => {
      grown.disconnect();
      removeEventListener('scroll', look);
    };
  }, []);
}

type LiveGiven = {
  turn: Turn;
  /** Whether the server is asked for what it kept. */
  isAsking: boolean;
  asked: Asking<readonly Message[]>;
  send(question: Question): void;
};

/** A question and its answer as they come, until the server has kept them. */
function LiveTurn({ turn, isAsking, asked, send }: LiveGiven) {
  const { question, text, steps, actions, citations, warnings, facts, isAway, ending } = turn;
  const again = (): void => send(question);
  if (ending?.how === 'refused')
    return (
      <>
        <Asked question={question} />
        <Left ending={ending} kept={null} again={again} />
      </>
    );
  const isCut = ending !== null && ending.how !== 'done';
  return (
    <>
      <Asked question={question} />
      <Answered
        text={text}
        steps={steps}
        actions={actions}
        citations={citations}
        warnings={warnings}
        facts={facts}
      >
        {ending === null && (
          <Note tone="info" shape="half">
            {isAway ? chatWords().reconnecting : chatWords().answering}
          </Note>
        )}
        {isCut && (
          <Left
            ending={ending}
            kept={null}
            isAsking={isAsking}
            isUnread={!isAsking}
            look={isAsking ? undefined : asked.again}
            again={isAsking ? undefined : again}
          />
        )}
      </Answered>
    </>
  );
}
