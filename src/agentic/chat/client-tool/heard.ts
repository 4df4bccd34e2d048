import { noteHeard } from '../../../auth/agent/read-texts.ts';
import type { App, Caller, UntrustedText } from '../../../kernel/app/app.ts';
import { isFree, NAME_WORDS } from '../../../kernel/sentence/free-text.ts';
import type { Content } from '../request/content.ts';
import type { Replayed } from './replay.ts';

const CHAT = 'chat/completions';
const FIELD = 'messages[].content';

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
      // What an image or a PDF says is not read here: it may say anything.
      ...media.map((part) => brought(part.kind === 'pdf' ? part.fileName : 'an image', true)),
      ...files.map(({ fileName, text }) =>
        brought(fileName, isFree(fileName, NAME_WORDS) || isFree(text, NAME_WORDS)),
      ),
    ]),
  ];
  await noteHeard(app, model, CHAT, texts);
}

/** The card is readable by more people than the conversation: it has no content of it. */
const brought = (text: string, free: boolean): UntrustedText => ({
  field: FIELD,
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
