import { type Verified, verifyAudit } from '../auth/audit/verify.ts';
import type { Composition } from '../start/composition.ts';

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
    process.stdout.write(`${report(verified)}\n`);
    if (verified.some(({ findings }) => findings.length > 0)) process.exitCode = 1;
  } finally {
    await app.bus.close();
    await app.db.close();
  }
}

function report(verified: readonly Verified[]): string {
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
