import type { App, Caller } from '../../../kernel/app/app.ts';
import type { Path } from '../branch/path.ts';
import { conversationWith, placeOf, type ResentMessage } from '../branch/resent.ts';
import { storedText } from '../request/files.ts';
import type { ChatRequest } from '../request/request.ts';

/**
 * Where the conversation that a request names goes on by what its client resends; null: where it is. Results of a
 * client's tools after the question belong to a turn that has begun.
 */
export async function placeResent(
  app: App,
  caller: Caller,
  conversationId: string,
  request: ChatRequest,
): Promise<Path | null> {
  const { isAuxiliary, resends: isWhole, later, question } = request;
  const said = saidIn(request);
  if (isAuxiliary || request.conversationId === undefined || later.length > 0) return null;
  if (said.length === 0 && !isWhole) return null;
  return placeOf(app, caller, conversationId, { said, question: storedText(question), isWhole });
}

/**
 * Adds the conversation to a request that names none and resends the messages of a stored one. Several people can share a
 * key: a request that names its person (`user`) is compared with no conversation.
 */
export async function recognised(
  app: App,
  caller: Caller,
  request: ChatRequest,
): Promise<ChatRequest> {
  const { conversationId, isAuxiliary, branch, store, user, later } = request;
  if (conversationId !== undefined || isAuxiliary || branch !== null) return request;
  if (store === false || (user ?? '') !== '' || later.length > 0) return request;
  const found = await conversationWith(app, caller, saidIn(request));
  return found === null ? request : { ...request, conversationId: found, isRecognised: true };
}

/** What a client resends of the words of both; the texts between the calls of one answer are one. */
function saidIn({ earlier }: ChatRequest): ResentMessage[] {
  const said: ResentMessage[] = [];
  for (const message of earlier) {
    const { role } = message;
    if (role !== 'user' && role !== 'assistant') continue;
    const last = said.at(-1);
    if (role === 'assistant' && last?.role === role) last.text += message.text;
    else said.push({ role, text: role === 'user' ? storedText(message) : message.text });
  }
  return said.filter(({ text }) => text.trim() !== '');
}
