import type { ServerResponse } from 'node:http';

import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { AppError, Gone, NotFound } from '../../kernel/errors.ts';
import { longestTurnMs } from '../session/lost-turn.ts';
import { Content } from '../session/message-content.ts';
import { MESSAGE_STATUS } from '../session/message.ts';
import { directOutlet } from './answer/outlet.ts';
import { AFTERWARDS_MS, recordingElsewhere, recordingOf } from './answer/recording/recording.ts';
import { streamSink } from './answer/stream.ts';

/**
 * The rest of the caller's turn after event number `after`: live, in whatever process it runs, else what was stored of
 * it, whole. Throws NotFound, Gone for events and answers that are not kept, and 503 while it may run in a process that
 * does not answer.
 */
export async function resumeTurn(
  app: App,
  caller: Caller,
  { turnId, after }: { turnId: string; after: number },
  res: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const recording = recordingOf(app, caller, turnId);
  if (recording) return recording.follow(res, after);
  const rows = await storedTurn(app, caller, turnId);
  const [first] = rows;
  const answer = rows.find(({ role }) => role === 'assistant');
  if (!answer || app.clock.now() - answer.createTime.getTime() < AFTERWARDS_MS) {
    const elsewhere = await recordingElsewhere(app, caller, turnId);
    if (signal.aborted) return void res.destroy();
    if (elsewhere) return elsewhere.follow(res, after);
  }
  if (!first) throw new NotFound('Turn');
  if (!answer) {
    const { tenantId } = caller;
    const longestMs = await inOneTrip(app.db, tenantId, (q) => longestTurnMs(app, q, tenantId));
    if (app.clock.now() - first.createTime.getTime() < longestMs)
      throw new AppError(
        503,
        'turn_elsewhere',
        'No process says that it runs this turn, and no answer of it is kept yet',
        {
          detail: { retryAfterSeconds: 2 },
        },
      );
    throw new Gone('This turn ended, and no answer of it was kept');
  }
  const { conversationId, model } = answer;
  const { text, citations = [], facts } = Content.parse(answer.content);
  const created = Math.floor(answer.createTime.getTime() / 1000);
  const head = { id: turnId, created, model, provider: '', conversationId, isStored: true };
  const isWhole = answer.status === MESSAGE_STATUS.OK;
  const outlet = directOutlet(app, res, conversationId, signal);
  const sink = streamSink(outlet, head, {
    includeUsage: false,
    stored: isWhole ? 'OK' : 'UNFINISHED',
  });
  if (text !== '') await sink.text(text);
  await sink.cite(citations);
  if (facts) await sink.facts(facts, '');
  if (isWhole) return sink.stop();
  const message = 'This answer broke off: this is what was kept of it';
  sink.fail({ error: { message, type: 'server_error', param: null, code: 'turn_unfinished' } });
}

const storedTurn = (app: App, { tenantId, principalId }: Caller, turnId: string) =>
  inOneTrip(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_message')
      .select(['role', 'content', 'model', 'status', 'createTime', 'conversationId'])
      .where('tenantId', '=', tenantId)
      .where('userId', '=', principalId)
      .where('turnId', '=', turnId)
      .limit(2)
      .execute(),
  );
