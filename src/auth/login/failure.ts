import type { App } from '../../app.ts';
import { acrossTenants } from '../../db/tenant.ts';
import { perApp } from '../../per-app.ts';
import { audit } from '../audit.ts';
import type { Attempt } from './checks.ts';

/** More wait for their turn before the next is answered. */
const MAX_UNDER_WAY = 100;

const underWay = perApp(() => new Set<Promise<void>>());

type Failure = Attempt & {
  source: string;
  /** Null for an unknown tenant, which has no log to write to. */
  tenantId: string | null;
  /** What the tenant may know of: a login of one of its members. */
  credential: { id: string; principalId: string } | null;
  /** Whether the password alone was wrong. */
  countsAtCredential: boolean;
};

/**
 * Counts a wrong password at the credential and tells the tenant that a login was tried, behind the
 * answer: how long the writing takes would tell which check failed.
 */
export async function recordFailure(app: App, failure: Failure): Promise<void> {
  const waiting = underWay(app);
  while (waiting.size >= MAX_UNDER_WAY) await Promise.race(waiting);
  const writing: Promise<void> = write(app, failure)
    .catch((error: unknown) => app.log.error({ error }, 'a refused login could not be recorded'))
    .finally(() => waiting.delete(writing));
  waiting.add(writing);
}

/** Resolves when the failures so far are written, or could not be. */
export async function loginFailuresWritten(app: App): Promise<void> {
  await Promise.all(underWay(app));
}

async function write(
  app: App,
  { tenantId, credential, countsAtCredential, name, source }: Failure,
): Promise<void> {
  if (tenantId === null) return;
  await acrossTenants(app.db, 'login', async (q) => {
    await q
      .updateTable('svc_local_credential')
      .set((row) => ({
        // Stops at a number, not at the column's limit.
        failedAttempts: row.fn<number>('least', [
          row('failedAttempts', '+', 1),
          row.val(1_000_000),
        ]),
        lastFailedTime: new Date(app.clock.now()),
      }))
      // Asked in every case: the next request waits for the same work.
      .where('id', '=', countsAtCredential && credential ? credential.id : '0')
      .execute();
    await audit(
      app,
      q,
      { tenantId, principalId: credential?.principalId ?? '0', principalType: 'USER' },
      {
        action: 'LOGIN',
        resourceType: 'LOCAL_CREDENTIAL',
        resourceId: credential?.id ?? '0',
        resourceName: name,
        status: 'FAILED',
        errorCode: 'R401',
        detail: { source },
      },
    );
  });
}
