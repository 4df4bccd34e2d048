import { type Decision, type Kind, kinds, openDecisions } from '../support/runs/decisions.ts';
import { startWorld } from '../support/world/app.ts';
import { seeded } from '../support/world/seeded.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const ROUNDS = 2_000;
const SEED = 20_261_124;
const ENDS = ['confirm', 'reject', 'withdraw', 'expired'] as const;

/**
 * 2,000 proposals on each engine, each decided by 32 calls at the same moment on two nodes: one decision, at most one
 * command. `decisions N` makes N rounds.
 */
export const decisions: Proof = async ({ print, only }) => {
  const rounds = Number(only || ROUNDS);
  const { lines, say } = linesOf(print);
  let failed = 0;
  say('| engine | who races | rounds | confirmed | rejected | withdrawn | expired | wrong |');
  say('|---|---|---|---|---|---|---|---|');
  const all = Object.keys(kinds).filter((kind): kind is Kind => kind in kinds);
  for (const engine of engines())
    await onEngine(engine, async (environment) => {
      const world = await startWorld({ database: { environment, remove: async () => {} } });
      const done: Decision[] = [];
      try {
        const { round } = openDecisions(world, seeded(SEED));
        for (let n = 0; n < rounds; n += 1)
          done.push(await round(all[n % all.length] ?? 'confirms alone'));
      } finally {
        await world.stop();
      }
      for (const kind of all) {
        const own = done.filter((one) => one.kind === kind);
        const wrong = own.filter((one) => one.wrong.length > 0);
        for (const one of wrong) print(`${kind}: ${one.wrong.join('; ')}`);
        failed += wrong.length;
        const ends = ENDS.map((end) => own.filter(({ decided }) => decided === end).length);
        say(`| ${engine} | ${kind} | ${own.length} | ${ends.join(' | ')} | ${wrong.length} |`);
      }
    });
  return { failed, report: lines };
};
