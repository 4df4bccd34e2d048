import type { ServerResponse } from 'node:http';

import type { Limited } from '../../auth/connection/denial.ts';
import type { App } from '../../kernel/app/app.ts';
import { jsonSink } from './answer/json.ts';
import { directOutlet } from './answer/outlet.ts';
import { record } from './answer/recording.ts';
import { streamSink } from './answer/stream.ts';
import { readChatRequest } from './request/request.ts';
import { serveTurn } from './serve.ts';

/**
 * POST /chat/completions (docs/specification/assistant.md, Chat completions) in OpenAI's shape, as JSON or
 * as server-sent chunks; `signal` fires when the client disconnects. Writes every response itself, errors
 * included. A turn of a conversation takes three trips to the database beside those of its tools: reads, question, answer. Each
 * missing receipt of an earlier action takes a transaction more, the cards of proposed actions a trip.
 */
export async function chatCompletions(
  app: App,
  caller: Limited,
  body: unknown,
  res: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  await serveTurn(app, caller, res, signal, {
    read: async () => readChatRequest(body),
    begin(head, { stream, includeUsage, resumable }) {
      if (!stream) return { sink: jsonSink(res, head), signal };
      const named = head.isStored ? head.conversationId : null;
      const recording = resumable
        ? record(app, caller, { turnId: head.id, conversationId: named })
        : null;
      recording?.follow(res, 0);
      // A stream sends status 200 here: later errors go into the stream. JSON keeps an error status.
      const outlet = recording ?? directOutlet(app, res, named, signal);
      return {
        sink: streamSink(outlet, head, { includeUsage }),
        signal: recording?.signal ?? signal,
      };
    },
  });
}
