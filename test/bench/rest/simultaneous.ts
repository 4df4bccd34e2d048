import { setTimeout as sleep } from 'node:timers/promises';

import { login, type Session } from '../../support/people/session.ts';
import { testEnvironment } from '../../support/world/environment.ts';
import { afterSilence } from '../callers.ts';
import type { Engine } from '../engine/prepared.ts';
import { percentile } from '../percentile.ts';
import { rounds } from '../rounds.ts';
import { type Row, row } from '../row.ts';
import type { Server } from '../server.ts';
import { firstPages } from './requests.ts';

/** Of one tenant, each with a token of its own. */
export const CALLERS = 64;
const IMPORTED = 5_000;
/** The table has arrived by then, and the import is under way. */
const AHEAD_MS = 20;

/**
 * All callers ask at once after a silence, on the embedded engine, whose one session answers them in turn;
 * alone, and while a person of their tenant imports devices from a table.
 */
export async function simultaneous({ engine, ours }: { engine: Engine; ours: Server }) {
  const { latest } = firstPages(engine.plant);
  const admin = await login(ours.url, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
  const burst = async (silent: Awaited<ReturnType<typeof afterSilence>>) => {
    const waits = await ours.wait(latest, silent, CALLERS);
    return { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) };
  };
  let imports = 0;
  const median = await rounds({
    alone: async () => burst(await afterSilence(ours, latest)),
    beside: async () => {
      const silent = await afterSilence(ours, latest);
      imports += 1;
      const began = performance.now();
      const importing = importDevices(admin, engine, `import ${imports}`).then(
        () => performance.now() - began,
      );
      await sleep(AHEAD_MS);
      const figures = await burst(silent);
      const burstMs = performance.now() - began;
      return { ...figures, burstMs, importMs: await importing };
    },
  });
  return [
    row('rest', 'callers-64-p50-embedded', 'ms', median('alone', 'p50')),
    row(
      'rest',
      'callers-64-p99-vs-p50-embedded',
      'ms',
      median('alone', 'p99'),
      median('alone', 'p50'),
      '<= 3',
    ),
    row(
      'rest',
      'callers-64-p99-beside-import-embedded',
      'ms',
      median('beside', 'p99'),
      median('alone', 'p99'),
      '<= 3',
    ),
    row('rest', 'import-5000-embedded', 'ms', median('beside', 'importMs')),
  ] satisfies Row[];
}

async function importDevices(session: Session, { plant }: Engine, name: string): Promise<void> {
  const table = Array.from({ length: IMPORTED }, (_, at) => `${name} ${at},,\n`).join('');
  const { driverId, profileId } = plant;
  const query = new URLSearchParams({ driverId, profileId });
  const answer = await fetch(`${session.base}/api/v3/manager/device/import?${query.toString()}`, {
    method: 'POST',
    headers: { ...session.headers, 'content-type': 'text/csv' },
    body: `deviceName,deviceCode,remark\n${table}`,
    signal: AbortSignal.timeout(120_000),
  });
  if (!answer.ok) throw new Error(`the import answered ${answer.status}: ${await answer.text()}`);
}
