import { ClaimFight, leavings, type Way, ways } from '../support/runs/claim-fight.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const ROUNDS = 1_000;
const RESTART_EVERY = 200;

/**
 * Two tenants on two nodes fight for one endpoint name after the other, in every pair of ways, with
 * restarts between: one owner, the other answered 409, and the owner stays until it gives the name up.
 */
export const claims: Proof = async ({ print, only }) => {
  const rounds = Number(only || ROUNDS);
  const pairs = ways.flatMap((one) => ways.map((two): [Way, Way] => [one, two]));
  let failed = 0;
  const { lines, say } = linesOf(print);
  say(
    '| engine | rounds | won by the first | won by the second | restarts | flips | freed and taken | wrong |',
  );
  say('|---|---|---|---|---|---|---|---|');
  for (const engine of engines())
    await onEngine(engine, async (environment) => {
      const fight = await ClaimFight.open(environment);
      const won = [0, 0];
      const wrong: string[] = [];
      const owned = new Map<string, string>();
      let [restarts, flips, freed] = [0, 0, 0];
      try {
        for (let n = 0; n < rounds; n += 1) {
          const name = `urn:fight:${n}`;
          const pair = pairs[n % pairs.length] ?? ['add', 'add'];
          const tries = await fight.round(name, pair);
          const winner = tries.findIndex(({ status }) => status === 200);
          const owners = await fight.owners(name);
          const [owner] = owners;
          const isOne = owners.length === 1 && owner?.tenantId === fight.session(winner).tenantId;
          if (!isOne || tries[1 - winner]?.status !== 409)
            wrong.push(`${name} ${pair.join(' against ')}: ${JSON.stringify({ tries, owners })}`);
          won[winner] = (won[winner] ?? 0) + 1;
          if (owner && n % 3 === 0) {
            await fight.leave(winner, owner, leavings[n % leavings.length] ?? 'config');
            const next = await fight.attempt(1 - winner, 'add', name);
            if (next.status === 200) freed += 1;
            else wrong.push(`${name} was not free: ${JSON.stringify(next)}`);
          }
          const [last] = await fight.owners(name);
          if (last) owned.set(name, last.deviceId);
          if (n % Math.min(RESTART_EVERY, Math.ceil(rounds / 2)) !== 0) continue;
          await fight.restart();
          restarts += 1;
          for (const [known, deviceId] of owned)
            if ((await fight.owners(known))[0]?.deviceId !== deviceId) flips += 1;
        }
      } finally {
        await fight.close();
      }
      failed += wrong.length + flips;
      say(
        `| ${engine} | ${rounds} | ${won[0]} | ${won[1]} | ${restarts} | ${flips} | ${freed} | ${wrong.slice(0, 5).join('; ') || 0} |`,
      );
    });
  return { failed, report: lines };
};
