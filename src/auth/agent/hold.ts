import { z } from 'zod';

import { relyingOn } from '../../db/basis.ts';
import type { Queries } from '../../db/connect.ts';
import { touched } from '../../db/stamp.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import type { Done } from '../../kernel/entity/answer.ts';
import { NotFound } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { audit } from '../audit/audit.ts';
import { noticeIn, publishNotice } from '../audit/identity-event.ts';
import { REFUSALS } from '../audit/refusal.ts';
import { demandRightsOf } from '../permission/permission.ts';

const MAX_LISTED = 100;
const MAX_PLACE = 256;

export const SetHold = input({ on: z.boolean() });
export const Lift = input({ principalId: Id });

type Tried = Pick<Caller, 'tenantId' | 'principalId' | 'principalType' | 'name'>;

/** Accounts that asked for what only people may do: those that are held first, then the newest. */
export const holdsIn = (q: Queries, tenantId: string) =>
  q
    .selectFrom('svc_agent_hold')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .orderBy('heldFlag', 'desc')
    .orderBy('createTime', 'desc')
    .orderBy('principalId')
    .limit(MAX_LISTED)
    .execute();

/**
 * An agent's credential asked for what only a person may do at `place`. People hear of it once, until one lifts it,
 * and once more where it is held later. Where the tenant wants that, the account only reads from then on. In the background; never throws.
 */
export function noteTried(app: App, caller: Tried, place: string, source: string): void {
  const { tried } = app.of(REFUSALS);
  const key = `${caller.tenantId}:${caller.principalId}`;
  if (tried.has(key)) return;
  tried.add(key);
  app.of(REFUSALS).noting = relyingOn(null, () =>
    note(app, caller, place.slice(0, MAX_PLACE), source),
  ).catch((error: unknown) => {
    tried.delete(key);
    app.log.error({ error, tenantId: caller.tenantId }, 'what an agent tried was not noted');
  });
}

async function note(app: App, caller: Tried, place: string, source: string): Promise<void> {
  const { tenantId, principalId, name } = caller;
  const notice = await inTenant(app.db, tenantId, async (q) => {
    const tenant = await q
      .selectFrom('svc_agent_switch')
      .select('holdFlag')
      .where('tenantId', '=', tenantId)
      .executeTakeFirst();
    const heldFlag = tenant?.holdFlag ?? 0;
    const row = { tenantId, principalId, principalName: name, place, source, heldFlag };
    const written = await q
      .insertInto('svc_agent_hold')
      .values({ ...row, createTime: new Date(app.clock.now()) })
      .onConflict((conflict) =>
        conflict
          .columns(['tenantId', 'principalId'])
          .doUpdateSet({ heldFlag })
          // Of an account that tried before the tenant wanted to hold such.
          .where('svc_agent_hold.heldFlag', '<', heldFlag),
      )
      .returning('heldFlag')
      .executeTakeFirst();
    if (!written) return null;
    await audit(app, q, caller, {
      action: heldFlag === 1 ? 'DISABLE' : 'CREATE',
      resourceType: 'AGENT_HOLD',
      resourceId: principalId,
      resourceName: name,
      source,
      detail: { place, held: heldFlag === 1 },
    });
    const then =
      heldFlag === 1
        ? 'It only reads until a person lifts that.'
        : 'The request was refused; the account is not restricted.';
    return noticeIn(app, q, tenantId, {
      kind: 'AGENT_TRIED',
      message: `An agent of the account ${quoted(name)} asked for what only people may do: ${place}. ${then}`,
    });
  });
  if (notice) await publishNotice(app, notice);
}

/** Says whether agents of the tenant that ask for what only people may do only read from then on. */
export const setHold: Operation<z.output<typeof SetHold>, true> = async (app, caller, { on }) => {
  const { tenantId } = caller;
  const row = { holdFlag: Number(on), ...touched(app, caller) };
  await inTenant(app.db, tenantId, async (q) => {
    await q
      .insertInto('svc_agent_switch')
      .values({ tenantId, mode: 'ON', ...row })
      .onConflict((conflict) => conflict.column('tenantId').doUpdateSet(row))
      .execute();
    await audit(app, q, caller, {
      action: on ? 'ENABLE' : 'DISABLE',
      resourceType: 'AGENT_HOLD',
      resourceId: tenantId,
      resourceName: 'tenant',
    });
  });
  // The next attempt counts at once here, and within a minute in other processes.
  const { tried } = app.of(REFUSALS);
  for (const key of tried) if (key.startsWith(`${tenantId}:`)) tried.delete(key);
  return true;
};

/**
 * Deletes the row of an account: its agents may propose again, and their next such attempt is reported again. Throws
 * Forbidden (403) as `revoke` does, and NotFound (404) for an account without a row.
 */
export const lift: Operation<z.output<typeof Lift>, z.output<typeof Done>> = async (
  app,
  caller,
  { principalId },
) => {
  const { tenantId } = caller;
  await inTenant(app.db, tenantId, async (q) => {
    await demandRightsOf(q, caller, principalId);
    const row = await q
      .deleteFrom('svc_agent_hold')
      .where('tenantId', '=', tenantId)
      .where('principalId', '=', principalId)
      .returning('principalName')
      .executeTakeFirst();
    if (!row) throw new NotFound('Hold');
    await audit(app, q, caller, {
      action: 'DELETE',
      resourceType: 'AGENT_HOLD',
      resourceId: principalId,
      resourceName: row.principalName,
    });
  });
  app.of(REFUSALS).tried.delete(`${tenantId}:${principalId}`);
  return true;
};
