import { inOneTrip } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { storedBefore, openStorage, removeStored } from './file.ts';

const EVERY_MS = 3_600_000;
/** An upload writes its file before its row: a younger file may still get its row. */
const YOUNG_MS = 3_600_000;
const MAX_EXAMINED = 100_000;
const BATCH = 500;

/**
 * Removes files without an attachment row, left behind by a crash between writing or deleting file and row.
 * Runs at the start and every hour; `stop` waits for a run that is under way. Throws ConfigError when the
 * storage directory cannot be used.
 */
export async function startAttachmentSweeper(app: App): Promise<{ stop(): Promise<void> }> {
  await openStorage(app);
  const run = (): Promise<void> =>
    sweep(app).catch((error: unknown) => {
      app.log.error({ error }, 'attachment sweep failed, retrying in an hour');
    });
  let running = run();
  const cancel = app.clock.every(EVERY_MS, () => (running = run()));
  return {
    async stop() {
      cancel();
      await running;
    },
  };
}

async function sweep(app: App): Promise<void> {
  let batch: string[] = [];
  for await (const filePath of storedBefore(app, app.clock.now() - YOUNG_MS, MAX_EXAMINED)) {
    batch.push(filePath);
    if (batch.length < BATCH) continue;
    await removeOrphans(app, batch);
    batch = [];
  }
  await removeOrphans(app, batch);
}

async function removeOrphans(app: App, filePaths: readonly string[]): Promise<void> {
  const byTenant = Map.groupBy(filePaths, (filePath) => filePath.split('/')[0] ?? '');
  for (const [tenantId, ours] of byTenant) {
    const rows = await inOneTrip(app.db, tenantId, (q) =>
      q
        .selectFrom('svc_attachment')
        .select('filePath')
        .where('tenantId', '=', tenantId)
        .where('filePath', 'in', ours)
        .execute(),
    );
    const named = new Set(rows.map(({ filePath }) => filePath));
    const orphans = ours.filter((filePath) => !named.has(filePath));
    if (orphans.length === 0) continue;
    await removeStored(app, orphans);
    app.log.info({ tenantId, count: orphans.length }, 'orphaned attachment files removed');
  }
}
