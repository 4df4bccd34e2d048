import type { Asked as Asking } from '../../client/ask.ts';
import { Mark } from '../../part/value/mark.tsx';
import { chatWords } from '../../word/chat.ts';
import { Left } from './left.tsx';
import { Answered, Asked } from './message-text.tsx';
import type { Message } from './message.ts';
import type { Question, Turn } from './turn.ts';

type Given = {
  turn: Turn;
  /** Whether the server is asked for what it kept. */
  isAsking: boolean;
  asked: Asking<readonly Message[]>;
  send(question: Question): void;
};

/** A question and its answer as they come, until the server has kept them. */
export function LiveTurn({ turn, isAsking, asked, send }: Given) {
  const { question, text, steps, actions, citations, warnings, isAway, ending } = turn;
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
      >
        {ending === null && (
          <p class="note info">
            <Mark shape="half" />
            <span>{isAway ? chatWords().reconnecting : chatWords().answering}</span>
          </p>
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
