import { DEFAULT_TENANT } from '../../auth/permission/platform.ts';
import type { Which } from '../../bus/dead-letter.ts';
import { createDeadLetterStore } from '../../data/dashboard/dead-letter-store.ts';
import { recordDead } from '../../data/dashboard/dead-letter.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import type { Composition } from '../../start/composition.ts';

const LISTED = 500;

/** What is done from the command line is in the audit log of the platform's tenant. */
async function commandLine({ db }: App) {
  const { id } = await acrossTenants(db, 'dead-letter', (q) =>
    q
      .selectFrom('svc_tenant')
      .select('id')
      .where('tenantCode', '=', DEFAULT_TENANT)
      .executeTakeFirstOrThrow(),
  );
  return { tenantId: id, principalId: '0', principalType: 'SYSTEM' } as const;
}

/** `svc dead list`, `replay`, `drop`: messages that no consumer could process. */
export async function deadCommand(
  { createApp, readSettings }: Composition,
  what: string,
  ids: readonly string[],
): Promise<void> {
  const which: Which = ids.length === 0 ? 'all' : ids;
  const app = await createApp(readSettings());
  try {
    const { bus } = app;
    bus.keepDeadIn(createDeadLetterStore(app));
    const print = (line: string): void => void process.stdout.write(`${line}\n`);
    if (what === 'list') {
      const { total, letters } = await bus.dead.list(LISTED);
      for (const { id, topic, queue, reason, at, bytes } of letters)
        print(`${id}  ${at.toISOString()}  ${topic} → ${queue}  ${reason}  ${bytes} bytes`);
      print(`${total} dead letters`);
    } else if (what === 'drop') {
      const count = await bus.dead.drop(which);
      await recordDead(app, await commandLine(app), { action: 'DELETE', which, count });
      print(`${count} dropped`);
    } else if (app.config.bus.amqpUrl === null)
      throw new Error(
        'The consumers of the in-process bus are in the platform: start it and replay there, POST /api/v3/data/dead_letter/replay',
      );
    else {
      const count = await bus.dead.replay(which);
      await recordDead(app, await commandLine(app), { action: 'UPDATE', which, count });
      print(`${count} put back into their queues`);
    }
  } finally {
    await app.bus.close();
    await app.db.close();
  }
}
