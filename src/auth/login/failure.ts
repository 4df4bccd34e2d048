import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { storable } from '../../kernel/input/text.ts';
import { slot } from '../../kernel/slot.ts';
import { noteRefusal, refusalsWritten } from '../audit/refusal.ts';

/** Failures being written; at this number the next answer waits for one of them. */
const MAX_UNDER_WAY = 100;
const MAX_NAME = 64;

const FAILURE_WRITES = slot(() => new Set<Promise<void>>());

export type Attempt = { tenant: string; name: string; salt: string | null; password: string };

type Failure = Attempt & {
  source: string;
  /** Null for an unknown tenant. */
  tenantId: string | null;
  /** Null unless the login belongs to a member of the tenant. */
  credential: { id: string; principalId: string } | null;
  /** The password was the only check that failed. */
  countsAtCredential: boolean;
};

/**
 * Counts a wrong password at the credential, and notes the attempt in the audit log of the tenant, or of the platform for an
 * unknown one, after the answer: the time of the writes would reveal which check failed.
 */
export const recordFailure = (app: App, failure: Failure): Promise<void> =>
  afterAnswer(app, () => write(app, failure));

/** Runs what a failed login writes; its answer does not wait for it, unless too much is under way. */
export async function afterAnswer(app: App, work: () => Promise<void>): Promise<void> {
  const waiting = app.of(FAILURE_WRITES);
  while (waiting.size >= MAX_UNDER_WAY) await Promise.race(waiting);
  const writing: Promise<void> = work()
    .catch((error: unknown) => app.log.error({ error }, 'login failure not saved'))
    .finally(() => waiting.delete(writing));
  waiting.add(writing);
}

/** Resolves when the failures recorded so far are written, or their write has failed. */
export async function loginFailuresWritten(app: App): Promise<void> {
  await Promise.all(app.of(FAILURE_WRITES));
  await refusalsWritten(app);
}

async function write(
  app: App,
  { tenantId, credential, countsAtCredential, tenant, name, source }: Failure,
): Promise<void> {
  noteRefusal(app, {
    door: 'login',
    who:
      tenantId === null
        ? null
        : { tenantId, principalId: credential?.principalId ?? '0', principalType: 'USER' },
    source,
    action: 'LOGIN',
    status: 'FAILED',
    resourceType: tenantId === null ? 'TENANT' : 'LOCAL_CREDENTIAL',
    resourceId: credential?.id ?? '0',
    resourceName: tenantId === null ? tenant : name,
    errorCode: 'R401',
    reason: '',
    detail: { source, ...(tenantId === null && { login: storable(name.slice(0, MAX_NAME)) }) },
  });
  if (tenantId === null) return;
  await acrossTenants(app.db, 'login', async (q) => {
    await q
      .updateTable('svc_local_credential')
      .set((row) => ({
        // Capped far below the column's limit.
        failedAttempts: row.fn<number>('least', [
          row('failedAttempts', '+', 1),
          row.val(1_000_000),
        ]),
        lastFailedTime: new Date(app.clock.now()),
      }))
      // Runs even without a match, so that every failure costs the same.
      .where('id', '=', countsAtCredential && credential ? credential.id : '0')
      .execute();
  });
}
