import type { ServerResponse } from 'node:http';

import type { Limited } from '../../auth/connection/denial.ts';
import type { App } from '../../kernel/app/app.ts';
import { AppError } from '../../kernel/errors.ts';
import { directOutlet } from './answer/outlet.ts';
import { backgroundSink } from './answer/recording/background.ts';
import { responseSink, responseStreamSink } from './answer/response-sink.ts';
import { responseOf, turnIdOf } from './answer/response-state.ts';
import type { ChatResponse } from './answer/response.ts';
import { readResponseRequest, type ResponseRequest } from './request/response-request.ts';
import { conversationOf, demandReadable, keepResponse } from './response-store.ts';
import { serveTurn } from './serve.ts';

/**
 * POST /responses in the form of OpenAI's Responses API: a turn as that of chat completions, of which other fields are
 * read and written. A stored response is continued by its id, or by that of its answer, in its conversation; an earlier
 * one begins a branch there. In the background it goes on without its client. Writes every response itself, errors included.
 */
export async function responses(
  app: App,
  caller: Limited,
  body: unknown,
  res: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  let asked: ResponseRequest | undefined;
  await serveTurn(app, caller, res, signal, {
    async read() {
      asked = readResponseRequest(body);
      demandReadable(asked.echo);
      const { chat, previousId, answer } = asked;
      const id = previousId ?? (answer === null ? undefined : responseOf(answer));
      if (id === undefined) return chat;
      const conversationId = await conversationOf(app, caller, id);
      if (conversationId === undefined) throw answer === null ? noResponse(id) : noItem(answer);
      const branch = { how: 'after', turnId: turnIdOf(id) } as const;
      return { ...chat, conversationId, branch };
    },
    begin(head, request) {
      if (!asked) throw new Error('a turn began before its request was read');
      const { conversationId } = head;
      const { echo, input } = asked;
      const remember = (response: ChatResponse) =>
        keepResponse(app, caller, conversationId, response, input);
      if (echo.background) {
        const isStreamed = request.stream;
        return backgroundSink(app, caller, head, res, { echo, isStreamed, keep: remember });
      }
      const hooks = { echo, remember };
      const sink = request.stream
        ? responseStreamSink(directOutlet(app, res, null, signal), head, hooks)
        : responseSink(res, head, hooks);
      return { sink, signal };
    },
  });
}

const noResponse = (id: string): AppError =>
  new AppError(
    400,
    'previous_response_not_found',
    `There is no stored response ${JSON.stringify(id)}; one with store: false is not kept`,
    { detail: { param: 'previous_response_id' } },
  );

const noItem = (id: string): AppError =>
  new AppError(
    404,
    'item_not_found',
    `There is no stored item ${JSON.stringify(id)}; send the item itself, as one with store: false is not kept`,
    { detail: { param: 'input' } },
  );
