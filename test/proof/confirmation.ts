import { openBus } from '../../src/bus/index.ts';
import { systemClock as clock } from '../../src/core/clock.ts';
import { createLog } from '../../src/core/log/log.ts';
import { startPlatform } from '../../src/platform.ts';
import { readSettings } from '../../src/settings.ts';
import { login } from '../support/people/session.ts';
import { openConfirmationRun, type Round } from '../support/runs/confirmation-run.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { seeded } from '../support/world/seeded.ts';
import { engines, onEngine } from './on-engine.ts';
import type { Proof } from './proof.ts';

const ROUNDS = 200;
const SEED = 20_261_122;

/**
 * 200 changes of the configuration around a confirmation, on each engine: what goes out is what the
 * confirmed card says, or nothing does. `confirmation N` makes N rounds.
 */
export const confirmation: Proof = async ({ print, only }) => {
  const rounds = Number(only || ROUNDS);
  const lines = [
    '| engine | seed | rounds | fresh card | refused | written as confirmed | wrong |',
    '|---|---|---|---|---|---|---|',
  ];
  for (const line of lines) print(line);
  let failed = 0;
  for (const engine of engines())
    await onEngine(engine, async (environment) => {
      const config = readSettings({ ...testEnvironment, ...environment });
      const log = createLog('silent');
      const bus = await openBus({ ...config.bus, clock, log });
      const platform = await startPlatform(config, { clock, bus, log });
      const done: Round[] = [];
      try {
        const { app } = platform;
        const password = testEnvironment.SVC_ADMIN_PASSWORD;
        const session = await login(app.config.baseUrl, 'default', 'admin', password);
        const run = await openConfirmationRun({ app, bus, session }, seeded(SEED));
        try {
          for (let n = 0; n < rounds; n += 1) done.push(await run.round(n));
        } finally {
          await run.close();
        }
      } finally {
        await platform.stop();
      }
      const of = (ends: Round['ends']) => done.filter((round) => round.ends === ends).length;
      const wrong = done.filter((round) => round.wrong !== '');
      for (const round of wrong) print(`${round.what}: ${round.wrong}`);
      failed += wrong.length;
      const line = `| ${engine} | ${SEED} | ${done.length} | ${of('fresh card')} | ${of('refused')} | ${of('written')} | ${wrong.length} |`;
      print(line);
      lines.push(line);
    });
  return { failed, report: lines };
};
