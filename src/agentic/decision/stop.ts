import { stopOf } from '../../auth/connection/stop.ts';
import { stopWords } from '../../auth/permission/mode.ts';
import type { Queries } from '../../db/connect.ts';
import type { App } from '../../kernel/app/app.ts';
import { Conflict } from '../../kernel/errors.ts';
import type { ActionRow } from '../action/view.ts';

type Proposed = Pick<ActionRow, 'tenantId' | 'userId' | 'clientId'>;

const switchFor = (app: App, q: Queries, { tenantId, userId, clientId }: Proposed) =>
  stopOf(app, q, { tenantId, principalId: userId, clientId });

/** Why a switch keeps back what was proposed, as a sentence without its end; null while none does. */
export async function stopFor(app: App, q: Queries, proposed: Proposed): Promise<string | null> {
  const stop = await switchFor(app, q, proposed);
  return stop && stopWords(stop);
}

/** Throws Conflict while a switch lets agents only read, or nothing: what they proposed waits, or expires. */
export async function refuseStopped(app: App, q: Queries, row: ActionRow): Promise<void> {
  const stop = await switchFor(app, q, row);
  if (stop === null) return;
  const { mode, by } = stop;
  const facts = { actionId: row.actionId, status: 'PENDING', switch: by, mode };
  throw new Conflict(
    `${stopWords(stop)}. Nothing was sent; it can be confirmed once they may write`,
    facts,
  );
}
