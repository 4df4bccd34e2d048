import { startWebhookReceiver } from '../support/neighbours/webhook-receiver.ts';
import { type Gusts, runStorm } from '../support/runs/storm.ts';
import { startWorld } from '../support/world/app.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const DEVICES = 10_000;
const MOST = 3;

/** A driver is lost with all its devices, and is back: what a channel gets of it. */
export const storm: Proof = async ({ print, only }) => {
  const devices = Number(only || DEVICES);
  const { lines, say } = linesOf(print);
  let failed = 0;
  say(
    '| engine | what | messages | most in 10 min | P0 alarms | known to the channel | the first |',
  );
  say('|---|---|---|---|---|---|---|');
  for (const engine of engines())
    await onEngine(engine, async (given) => {
      const hook = await startWebhookReceiver();
      const environment = { ...given, SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` };
      const world = await startWorld({ database: { environment, remove: async () => {} } });
      try {
        const { lost, back, offline } = await runStorm(world, hook.url, devices);
        for (const [what, gusts] of Object.entries({ lost, back })) {
          failed += wrongIn(gusts);
          const { messages, most, first, p0 } = gusts;
          const cells = [engine, what, messages, most, p0.raised, p0.known, first.slice(0, 80)];
          say(`| ${cells.join(' | ')} |`);
        }
        if (offline < devices) failed += 1;
        say(`| ${engine} | in the handover: ${offline} of ${devices} | | | | | |`);
      } finally {
        await world.stop();
        await hook.stop();
      }
    });
  return { failed, report: lines };
};

const wrongIn = ({ most, first, p0 }: Gusts): number =>
  [
    most >= 1 && most <= MOST,
    first.includes('Trunk driver'),
    p0.raised > 0 && p0.known === p0.raised,
  ].filter((isRight) => !isRight).length;
