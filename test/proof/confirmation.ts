import { MemoryBus } from '../../src/bus/memory.ts';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { openBus } from '../../src/start/bus.ts';
import { startPlatform } from '../../src/start/platform.ts';
import { readSettings } from '../../src/start/settings.ts';
import { login } from '../support/people/session.ts';
import { openFirmwareRun, recordingTasks } from '../support/runs/confirmation-firmware.ts';
import { openConfirmationRun, type Round } from '../support/runs/confirmation-run.ts';
import { startWorld } from '../support/world/app.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { seeded } from '../support/world/seeded.ts';
import { HeldClock } from '../support/world/shifted-clock.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const ROUNDS = 200;
const SEED = 20_261_122;

type Environment = Record<string, string>;

/**
 * 200 changes around a confirmation of each kind of action, on each engine: what goes out is what the confirmed card
 * says, or nothing does. `confirmation N` makes N rounds.
 */
export const confirmation: Proof = async ({ print, only }) => {
  const rounds = Number(only || ROUNDS);
  const { lines, say } = linesOf(print);
  say(`Seed ${SEED}.`);
  say('');
  say('| engine | kind | rounds | fresh card | refused | went out as confirmed | wrong |');
  say('|---|---|---|---|---|---|---|');
  let failed = 0;
  const tell = (engine: string, kind: string, done: readonly Round[]): void => {
    const of = (ends: Round['ends']) => done.filter((round) => round.ends === ends).length;
    const wrong = done.filter((round) => round.wrong !== '');
    for (const round of wrong) print(`${round.what}: ${round.wrong}`);
    failed += wrong.length;
    const counts = [done.length, of('fresh card'), of('refused'), of('written'), wrong.length];
    say(`| ${[engine, kind, ...counts].join(' | ')} |`);
  };
  for (const engine of engines()) {
    for (const kind of ['write', 'plan'] as const)
      await onEngine(engine, async (environment) =>
        tell(engine, kind, await writes(environment, kind, rounds)),
      );
    await onEngine(engine, async (environment) =>
      tell(engine, 'firmware', await rollouts(environment, rounds)),
    );
  }
  return { failed, report: lines };
};

async function writes(
  environment: Environment,
  kind: 'write' | 'plan',
  rounds: number,
): Promise<Round[]> {
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
      for (let n = 0; n < rounds; n += 1) done.push(await run.round(n, kind));
    } finally {
      await run.close();
    }
  } finally {
    await platform.stop();
  }
  return done;
}

async function rollouts(environment: Environment, rounds: number): Promise<Round[]> {
  const held = new HeldClock();
  const { bus, out } = recordingTasks(new MemoryBus({ clock: held, log: createLog('silent') }));
  const database = { environment, remove: async () => {} };
  const world = await startWorld({ database, clock: held, bus });
  const done: Round[] = [];
  try {
    held.hold();
    const run = openFirmwareRun(world, out, seeded(SEED));
    for (let n = 0; n < rounds; n += 1) done.push(await run.round(n));
  } finally {
    await world.stop();
  }
  return done;
}
