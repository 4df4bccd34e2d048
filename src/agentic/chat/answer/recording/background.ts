import type { ServerResponse } from 'node:http';

import type { App, Caller } from '../../../../kernel/app/app.ts';
import { BadRequest } from '../../../../kernel/errors.ts';
import type { TurnHead } from '../../loop/event.ts';
import type { Echo } from '../../request/response-request.ts';
import { openAiError } from '../openai-error.ts';
import { responseStreamSink, sendWhole } from '../response-sink.ts';
import type { ChatResponse } from '../response.ts';
import type { ChatSink } from '../sink.ts';
import { ofPrincipal, recordTurn } from './recording.ts';

type Asked = {
  echo: Echo;
  /** Its client follows the events from the first. */
  isStreamed: boolean;
  /** Stores the response as it is now: under way first, then as it ended. */
  keep(response: ChatResponse): Promise<void>;
};

/**
 * A response that goes on without its client, until its turn ends: answered as `in_progress` when its question is
 * stored. Throws TooManyRequests as `recordTurn` does.
 */
export function backgroundSink(
  app: App,
  caller: Caller,
  head: TurnHead,
  res: ServerResponse,
  { echo, isStreamed, keep }: Asked,
): { sink: ChatSink; signal: AbortSignal } {
  if (!head.isStored)
    throw new BadRequest(
      'is for questions: a request for a title or the like is answered at once',
      {
        param: 'background',
      },
    );
  const { id: turnId, conversationId } = head;
  const recording = recordTurn(app, ofPrincipal(caller), { turnId, conversationId });
  // It is followed until it ends, by no client.
  const leave = recording.join({ pump() {} });
  if (isStreamed) recording.follow(res, 0);
  const end = (events: string): void => {
    recording.end(events);
    leave();
  };
  let stored: Promise<void> | null = null;
  const keepNext = async (response: ChatResponse): Promise<void> => {
    await stored;
    await keep(response);
  };
  const lost = (error: unknown): void => {
    app.log.error({ error, conversationId }, 'a response in the background was not stored');
  };
  const sink = responseStreamSink({ ...recording, end }, head, {
    echo,
    begun(response) {
      stored = keep(response).then(
        () => void (isStreamed || sendWhole(res, response)),
        (error: unknown) => {
          lost(error);
          recording.stop();
          if (!isStreamed) refuse(res, error);
        },
      );
    },
    remember: keepNext,
    failed: (response) => keepNext(response).catch(lost),
  });
  return {
    signal: recording.signal,
    sink: {
      ...sink,
      fail(body) {
        if (isStreamed || stored !== null) return sink.fail(body);
        end('');
        return false;
      },
    },
  };
}

function refuse(res: ServerResponse, error: unknown): void {
  const { status, body } = openAiError(error);
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  res.end(JSON.stringify(body));
}
