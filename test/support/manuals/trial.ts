import type { Random } from '../hostile/random.ts';
import type { Session } from '../people/session.ts';
import { libraryOf } from './library.ts';
import { manualOf, searchManuals } from './upload.ts';

const PAGE = '/api/v3/agentic/manual/get_page';
/** The right page is among so many. */
export const FIRST = 3;

export type Trial = {
  manuals: number;
  pages: number;
  asked: number;
  first: number;
  amongFirst: number;
  wrong: string[];
  ms: number[];
};

/** Uploads a library of twenty documents and asks for what is in it; the right page is of its manual and says the answer. */
export async function askLibrary(
  session: Session,
  random: Random,
  size: Parameters<typeof libraryOf>[1],
): Promise<Trial> {
  const { manuals, questions } = libraryOf(random, size);
  const trial: Trial = {
    manuals: manuals.length,
    pages: 0,
    asked: questions.length,
    first: 0,
    amongFirst: 0,
    wrong: [],
    ms: [],
  };
  for (const { name, file, bytes } of manuals) {
    const made = await manualOf(session, Uint8Array.from(bytes), file, { manual_name: name });
    trial.pages += made.pages;
  }
  const texts = new Map<string, string>();
  const textOf = async (id: string, page: number): Promise<string> => {
    const key = `${id} ${page}`;
    const known = texts.get(key);
    if (known !== undefined) return known;
    const answer = await session.get(PAGE, { id, page: String(page) });
    const text = String(Reflect.get(Object(answer.body.data), 'text'));
    texts.set(key, text);
    return text;
  };
  for (const { words, manual, says } of questions) {
    const begun = performance.now();
    const found = await searchManuals(session, { words, limit: FIRST });
    trial.ms.push(performance.now() - begun);
    const isRight = await Promise.all(
      found.map(
        async ({ manualId, manualName, page }) =>
          manualName === manual && plain(await textOf(manualId, page)).includes(plain(says)),
      ),
    );
    const place = isRight.indexOf(true);
    if (place === 0) trial.first += 1;
    if (place >= 0) trial.amongFirst += 1;
    else
      trial.wrong.push(
        `${words} → ${found.map(({ manualName, page }) => `${manualName} ${page}`).join(', ')}`,
      );
  }
  trial.ms.sort((a, b) => a - b);
  return trial;
}

/** Umlauts that the encoding of the document could write. */
const plain = (text: string): string => text.replaceAll('ü', 'ue').replaceAll('ö', 'oe');
