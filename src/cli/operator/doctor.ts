import { checks as agentic } from '../../agentic/consistency.ts';
import { checks as alarm } from '../../alarm/consistency.ts';
import { type Verified, verifyAudit } from '../../auth/audit/verify.ts';
import { checks as auth } from '../../auth/consistency.ts';
import { checks as data } from '../../data/consistency.ts';
import { type Check, type Examined, examine } from '../../db/check.ts';
import type { Queries } from '../../db/connect.ts';
import { checks as schema } from '../../db/consistency.ts';
import { acrossTenants } from '../../db/tenant.ts';
import { checks as manager } from '../../manager/consistency.ts';
import type { Composition } from '../../start/composition.ts';

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

export type AuditOptions = { head?: string };

/** `svc audit verify`: prints what does not fit of each log; exits with 1 if anything does not. */
export async function auditCommand(
  { createApp, readSettings }: Composition,
  { head }: AuditOptions,
): Promise<void> {
  const config = readSettings();
  // No message is sent: without the bus, an unreachable broker does not stop the check.
  const app = await createApp({ ...config, bus: { ...config.bus, amqpUrl: null } });
  try {
    const verified = await verifyAudit(app, head ?? config.auditHead);
    process.stdout.write(`${auditReport(verified)}\n`);
    if (verified.some(({ findings }) => findings.length > 0)) process.exitCode = 1;
  } finally {
    await app.bus.close();
    await app.db.close();
  }
}

function auditReport(verified: readonly Verified[]): string {
  const lines = verified.flatMap(({ log, sealed, unsealed, heads, findings, more }) => [
    `${findings.length === 0 ? 'ok   ' : 'WRONG'}  ${log}: ${sealed} rows sealed, the ${unsealed} newest not yet; ${heads} outside heads compared`,
    ...findings.map((finding) => `       ${finding}`),
    ...(more > 0 ? [`       … and ${more} more`] : []),
  ]);
  const wrong = verified.filter(({ findings }) => findings.length > 0).length;
  return [...lines, wrong === 0 ? 'All logs are as they were sealed.' : `${wrong} are not.`].join(
    '\n',
  );
}

/** Opening the database runs the migrations. */
export async function migrateCommand({ createApp, readSettings }: Composition): Promise<void> {
  const app = await createApp(readSettings());
  await app.bus.close();
  await app.db.close();
  process.stdout.write('The database is up to date.\n');
}
