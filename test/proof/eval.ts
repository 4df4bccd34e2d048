import { openSuite, type Pair, tasks } from '../support/runs/eval/suite.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

/**
 * All tasks of an operator by transcripts, in both dialects: final state, calls and facts, on each engine. `eval KIND`
 * plays the tasks of one kind.
 */
export const evaluation: Proof = async ({ print, only }) => {
  const { lines, say } = linesOf(print);
  let failed = 0;
  say('| engine | kind | tasks | right in OpenAI | right in Anthropic | same bytes in both |');
  say('|---|---|---|---|---|---|');
  for (const engine of engines())
    await onEngine(engine, async (environment) => {
      const suite = await openSuite({ environment, remove: async () => {} });
      const done: Pair[] = [];
      try {
        for (const [at, task] of tasks.entries())
          if (only === '' || task.kind === only) done.push(await suite.play(task, at % 2 === 0));
      } finally {
        await suite.close();
      }
      const line = (name: string, own: readonly Pair[]): void => {
        const right = (dialect: keyof Pair['right']): number =>
          own.filter((one) => one.right[dialect]).length;
        const same = own.filter(({ isSame }) => isSame).length;
        say(
          `| ${engine} | ${name} | ${own.length} | ${right('openai')} | ${right('anthropic')} | ${same} |`,
        );
      };
      for (const [kind, own] of Map.groupBy(done, ({ task }) => task.kind)) line(kind, own);
      line('all', done);
      for (const { task, wrong } of done)
        for (const why of wrong) print(`${task.kind}, ${task.name}: ${why}`);
      failed += done.filter(({ wrong }) => wrong.length > 0).length;
    });
  return { failed, report: lines };
};
