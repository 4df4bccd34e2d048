import { createRandom } from '../support/hostile/random.ts';
import { askLibrary, FIRST } from '../support/manuals/trial.ts';
import { manualOf, searchManuals } from '../support/manuals/upload.ts';
import { startWorld } from '../support/world/app.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const SIZE = { pages: 36, rows: 240, questions: 200 };
const SEEDS = [1, 2, 3];
const MIN_RIGHT = 0.95;
const MIN_PAGES = 500;
/** As many parts of a text as a tenant may have pages. */
const FULL_PAGES = 10_000;
const PARTS_OF_TEXT = 480;
const PART = 3_000;
const SEARCHES = 40;

/**
 * Questions over twenty documents that are made from a seed, on each engine: the right page among the first three, with its
 * manual and number. Then how long a search takes where a tenant has all the pages that it may have.
 */
export const manuals: Proof = async ({ print }) => {
  const { lines, say } = linesOf(print);
  let failed = 0;
  say(
    `Twenty documents of a tenant (8 PDF, 4 DOCX, 3 XLSX, CSV in UTF-8, UTF-16, windows-1252 and GBK, 1 Markdown; English, German, Chinese), ${SIZE.questions} questions. Right is a page of the manual that is meant which says the answer.`,
  );
  say('');
  say(
    `| Engine | Seed | Manuals | Pages | First | Among the first ${FIRST} | p50 | p95 | Verdict |`,
  );
  say('| --- | --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const engine of engines())
    for (const seed of SEEDS)
      await onEngine(engine, async (environment) => {
        const world = await startWorld({ database: { environment, remove: async () => {} } });
        try {
          const one = await askLibrary(world.admin, createRandom(seed), SIZE);
          const isMet = one.amongFirst >= MIN_RIGHT * one.asked && one.pages >= MIN_PAGES;
          if (!isMet) failed += 1;
          const share = (count: number): string => `${((100 * count) / one.asked).toFixed(1)} %`;
          const row = [engine, seed, one.manuals, one.pages, share(one.first)];
          const times = [0.5, 0.95].map((part) => timeAt(one.ms, part));
          say(
            `| ${[...row, share(one.amongFirst), ...times, isMet ? 'met' : 'wrong'].join(' | ')} |`,
          );
          for (const wrong of one.wrong) print(`  ${wrong}`);
        } finally {
          await world.stop();
        }
      });
  say('');
  say(
    'A tenant with all the pages that it may have; searches by five words, two of them on every page.',
  );
  say('');
  say('| Engine | Pages | Stored in | p50 | p95 |');
  say('| --- | --- | --- | --- | --- |');
  for (const engine of engines())
    await onEngine(engine, async (environment) => {
      const world = await startWorld({ database: { environment, remove: async () => {} } });
      try {
        const begun = performance.now();
        let pages = 0;
        for (let at = 0; pages + PARTS_OF_TEXT < FULL_PAGES; at += 1)
          pages += (
            await manualOf(world.admin, fullText(at), 'a.txt', { manual_name: `Manual ${at}` })
          ).pages;
        const storedMs = performance.now() - begun;
        const ms: number[] = [];
        for (let at = 0; at < SEARCHES; at += 1) {
          const from = performance.now();
          await searchManuals(world.admin, { words: `the pump alarm E${at * 97} valve${at}` });
          ms.push(performance.now() - from);
        }
        ms.sort((a, b) => a - b);
        say(
          `| ${[engine, pages, `${(storedMs / 1_000).toFixed(0)} s`, timeAt(ms, 0.5), timeAt(ms, 0.95)].join(' | ')} |`,
        );
      } finally {
        await world.stop();
      }
    });
  return { failed, report: lines };
};

const timeAt = (ms: readonly number[], part: number): string =>
  `${(ms[Math.floor(ms.length * part)] ?? 0).toFixed(0)} ms`;

/** Lines that each begin a part; the words of a part are many, and two are on all. */
function fullText(manual: number): string {
  const random = createRandom(manual);
  const parts = Array.from({ length: PARTS_OF_TEXT }, (_, at) => {
    const code = manual * PARTS_OF_TEXT + at;
    let text = `The pump: alarm E${code}. `;
    while (text.length < PART - 20) text += `valve${random.upTo(5_000)} `;
    return text;
  });
  return `${parts.join('\n')}\n`;
}
