import { carryHeard, noteHeard } from '../../auth/agent/read-texts.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller, UntrustedText } from '../../kernel/app/app.ts';
import { isFree, NAME_WORDS } from '../../kernel/sentence/free-text.ts';
import { answersFound } from '../session/message.ts';
import { asModel } from './tool-call.ts';

const RESENT = 'chat/completions';

type Resent = {
  conversationId: string;
  answers: readonly string[];
  /** Of turns that the client continues. */
  conversations: readonly string[];
};

/**
 * A client that resends what was said begins a conversation with each question. What the platform answered brings along
 * what its conversation had read; any other answer, an edited one too, is the client's word and judged by its form.
 */
export async function noteResent(
  app: App,
  caller: Caller,
  { conversationId, answers, conversations }: Resent,
): Promise<void> {
  if (answers.length === 0 && conversations.length === 0) return;
  const model = asModel(caller, conversationId);
  const found =
    answers.length === 0
      ? new Map<string, string[]>()
      : await inOneTrip(app.db, caller.tenantId, (q) => answersFound(app, q, caller, answers));
  const earlier = [...new Set([...found.values().toArray().flat(), ...conversations])];
  if (earlier.length > 0) await carryHeard(app, model, earlier);
  const others = answers.filter((text) => !found.has(text));
  await noteHeard(app, model, RESENT, others.map(textOf));
}

const textOf = (answer: string): UntrustedText => ({
  field: 'messages[].content',
  of: '',
  // The card is readable by more people than the conversation: it has no content of it.
  text: 'an earlier answer, as the chat client sent it',
  isFree: isFree(answer, NAME_WORDS),
});
