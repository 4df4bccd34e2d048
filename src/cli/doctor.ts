import { checks as agentic } from '../agentic/consistency.ts';
import { checks as alarm } from '../alarm/consistency.ts';
import { checks as auth } from '../auth/consistency.ts';
import { checks as data } from '../data/consistency.ts';
import { type Check, examine, type Examined } from '../db/check.ts';
import type { Queries } from '../db/connect.ts';
import { checks as schema } from '../db/consistency.ts';
import { acrossTenants } from '../db/tenant.ts';
import { checks as manager } from '../manager/consistency.ts';
import type { Composition } from '../start/composition.ts';

export const checks: readonly Check[] = [
  ...schema,
  ...auth,
  ...manager,
  ...data,
  ...alarm,
  ...agentic,
];

/** Runs every check; `q` must be a transaction across tenants. */
export async function examineAll(q: Queries, at: Date): Promise<Examined[]> {
  const examined: Examined[] = [];
  for (const check of checks) examined.push(await examine(q, check, at));
  return examined;
}

/** Prints the findings of every check; exits with 1 if there are any. */
export async function doctorCommand({ createApp, readSettings }: Composition): Promise<void> {
  const app = await createApp(readSettings());
  try {
    const at = new Date(app.clock.now());
    const examined = await acrossTenants(app.db, 'doctor', (q) => examineAll(q, at));
    for (const warning of app.config.unsafe) process.stdout.write(`UNSAFE  ${warning}\n`);
    process.stdout.write(`${report(examined)}\n`);
    if (examined.some(({ total }) => total > 0)) process.exitCode = 1;
  } finally {
    await app.bus.close();
    await app.db.close();
  }
}

function report(examined: readonly Examined[]): string {
  const lines = examined.flatMap(({ name, total, first }) => [
    `${total === 0 ? 'ok   ' : 'WRONG'}  ${String(total).padStart(6)}  ${name}`,
    ...first.map(({ entity, detail }) => `                 ${entity}: ${detail}`),
    ...(total > first.length ? [`                 … and ${total - first.length} more`] : []),
  ]);
  const wrong = examined.filter(({ total }) => total > 0).length;
  const end = wrong === 0 ? 'all of them hold' : `${wrong} do not hold`;
  return [...lines, `${examined.length} checks, ${end}.`].join('\n');
}
