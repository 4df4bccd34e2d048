import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import type { Heard, Said, Transcript } from './transcript.ts';

const Call = z.tuple([z.string(), z.looseObject({})]);
const Recorded = z.object({
  v: z.literal(1),
  question: z.string(),
  rounds: z.array(
    z.object({
      results: z.array(z.unknown()),
      said: z.union([z.object({ calls: z.array(Call) }), z.object({ say: z.string() })]),
    }),
  ),
});
type Recorded = z.output<typeof Recorded>;

/** The turns that AGENTIC_RECORD left in a directory. */
export async function recordedIn(directory: string): Promise<Recorded[]> {
  const names = (await readdir(directory)).toSorted();
  const texts = names.map((name) => readFile(join(directory, name), 'utf8'));
  return (await Promise.all(texts)).map((text) => Recorded.parse(JSON.parse(text)));
}

/** A recorded turn as a transcript: the numbered words become what the tools answer at the same place this time. */
export const played = ({ rounds }: Recorded, known: Record<string, string>): Transcript =>
  rounds.map(({ results, said }) => (heard: Heard): Said => {
    const words = new Map(Object.entries(known));
    learn(results, heard.results, words);
    const text = [...words].reduce(
      (left, [word, value]) => left.replaceAll(new RegExp(`${word}(?!\\d)`, 'g'), value),
      JSON.stringify(said),
    );
    return Recorded.shape.rounds.element.shape.said.parse(JSON.parse(text));
  });

function learn(recorded: unknown, live: unknown, words: Map<string, string>): void {
  if (typeof recorded === 'string' && /^(id|name|uuid)-\d+$/.test(recorded))
    words.set(recorded, String(live));
  if (typeof recorded !== 'object' || recorded === null) return;
  if (typeof live !== 'object' || live === null) return;
  const values = new Map<string, unknown>(Object.entries(live));
  for (const [key, value] of Object.entries(recorded)) learn(value, values.get(key), words);
}
