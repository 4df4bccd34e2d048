import { carryRead, noteRead } from '../../../auth/agent/read-texts.ts';
import { inOneTrip } from '../../../db/tenant.ts';
import type { App, Caller, UntrustedText } from '../../../kernel/app/app.ts';
import { isFree, NAME_WORDS } from '../../../kernel/sentence/free-text.ts';
import { answersFound } from '../../session/message.ts';
import { asModel } from '../loop/tool-call.ts';
import type { Content } from '../request/content.ts';
import type { Replayed } from './replay.ts';

const CHAT = 'chat/completions';

type Resent = {
  conversationId: string;
  answers: readonly string[];
  /** Of turns that the client continues. */
  conversations: readonly string[];
};

/**
 * A client that resends its messages begins a conversation with each question. What the platform answered brings along
 * what its conversation had read; any other answer, an edited one too, is the client's text and checked by its form.
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
  const earlier = [...new Set([...found.values().toArray().flat(), ...conversations])].filter(
    (id) => id !== conversationId,
  );
  if (earlier.length > 0) await carryRead(app, model, earlier);
  const others = answers.filter((text) => !found.has(text));
  const texts = others.map((text) =>
    brought('an earlier answer, as the chat client sent it', isFree(text, NAME_WORDS)),
  );
  await noteRead(app, model, CHAT, texts);
}

/** Notes what a client brings besides the words of its user: results of its tools, images and files. */
export async function noteBrought(
  app: App,
  model: Caller,
  results: Replayed['results'],
  contents: readonly Pick<Content, 'media' | 'files'>[],
): Promise<void> {
  const texts: UntrustedText[] = [
    ...results.map(({ tool, text }) =>
      brought(`a result of ${tool}, a tool of the chat client`, isFree(wordsIn(text), NAME_WORDS)),
    ),
    ...contents.flatMap(({ media, files }) => [
      // What an image or a document says is not read here: it may say anything.
      ...media.map((part) => brought(part.kind === 'pdf' ? part.fileName : 'an image', true)),
      ...files.map(({ fileName, text, unread }) =>
        brought(
          fileName,
          unread !== undefined || isFree(fileName, NAME_WORDS) || isFree(text, NAME_WORDS),
        ),
      ),
    ]),
  ];
  await noteRead(app, model, CHAT, texts);
}

/** The card is readable by more people than the conversation: it has no content of it. */
const brought = (text: string, free: boolean): UntrustedText => ({
  field: 'messages[].content',
  of: '',
  text,
  isFree: free,
});

/** The keys and texts of a JSON result, without the signs of JSON; any other text as it is. */
function wordsIn(text: string): string {
  const words: string[] = [];
  try {
    JSON.parse(text, (key, value: unknown) => {
      words.push(key, ...(typeof value === 'string' ? [value] : []));
      return null;
    });
    return words.join(' ');
  } catch {
    return text;
  }
}
