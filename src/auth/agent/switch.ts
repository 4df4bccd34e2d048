import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { touched } from '../../db/stamp.ts';
import { acrossTenantsWithin, inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { answer, AnswerId, IsoTime } from '../../kernel/entity/answer.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { AGENT_MODES, type AgentMode } from '../../kernel/process/agent-mode.ts';
import { audit } from '../audit/audit.ts';
import { Connection, entry } from '../connection/connection.ts';
import { stopOfProcess } from '../connection/stop.ts';
import { MAX_REASON, OF_PLATFORM, stopsIn, strictest } from '../permission/mode.ts';
import { demandAll, demandRightsOf, WILDCARD } from '../permission/permission.ts';
import { demandPlatform } from '../permission/platform.ts';
import { holdsIn } from './hold.ts';

const Mode = z.enum(AGENT_MODES);

export const AgentSwitch = answer('AgentSwitch', {
  mode: Mode.describe('What counts: the strictest of platform and tenant'),
  platform: Mode,
  tenant: Mode,
  reason: z.string().describe('Of what counts'),
  holdsTried: z
    .boolean()
    .describe('Agents that ask for what only people may do only read from then on'),
  tried: z
    .array(
      z.object({
        principalId: AnswerId,
        principalName: z.string(),
        place: z.string().describe('What it asked for first'),
        source: z.string().describe('Its network address; empty for programs'),
        at: IsoTime,
        isHeld: z.boolean().describe('It only reads'),
      }),
    )
    .describe('Accounts whose agents asked for what only people may do, until a person lifts it'),
});
type AgentSwitch = z.output<typeof AgentSwitch.schema>;

export const SetSwitch = input({
  of: z.enum(['TENANT', 'PLATFORM']).default('TENANT'),
  mode: Mode,
  reason: Text(MAX_REASON).default(''),
});
type Set = z.output<typeof SetSwitch>;

export const SetReadOnly = input({ id: Id, readOnly: z.boolean() });

/** What agents may do in the caller's tenant. */
export const get: Operation<unknown, AgentSwitch> = (app, caller) =>
  inOneTrip(app.db, caller.tenantId, (q) => shown(app, q, caller));

/**
 * Turns the switch of the caller's tenant, or of the platform: in the platform's tenant and with all permissions only
 * (403). It counts for every call that begins after it, in every process.
 */
export const set: Operation<Set, AgentSwitch> = (app, caller, given) =>
  inTenant(app.db, caller.tenantId, async (q) => {
    if (given.of === 'PLATFORM') {
      await demandPlatform(q, caller);
      demandAll(caller, new Set([WILDCARD]));
    }
    await turn(app, q, caller, given);
    return shown(app, q, caller);
  });

/** Writes a switch with its audit, in a transaction of the tenant of the person that turns it. */
export async function turn(
  app: App,
  q: Queries,
  person: Pick<Caller, 'tenantId' | 'principalId' | 'principalType' | 'name'>,
  { of, mode, reason }: Set,
): Promise<void> {
  const tenantId = of === 'PLATFORM' ? OF_PLATFORM : person.tenantId;
  const row = { mode, reason, ...touched(app, person) };
  const write = () =>
    q
      .insertInto('svc_agent_switch')
      .values({ tenantId, ...row })
      .onConflict((conflict) => conflict.column('tenantId').doUpdateSet(row))
      .execute();
  await (of === 'PLATFORM' ? acrossTenantsWithin(q, 'agents', write) : write());
  await audit(app, q, person, {
    action: ACTION[mode],
    resourceType: 'AGENT_SWITCH',
    resourceId: tenantId,
    resourceName: of === 'PLATFORM' ? 'platform' : 'tenant',
    detail: { mode, reason },
  });
}

const ACTION = { ON: 'ENABLE', READ_ONLY: 'UPDATE', OFF: 'DISABLE' } as const;

async function shown(app: App, q: Queries, { tenantId, via }: Caller): Promise<AgentSwitch> {
  const [stored, tenant, holds] = await Promise.all([
    stopsIn(q, tenantId),
    q
      .selectFrom('svc_agent_switch')
      .select('holdFlag')
      .where('tenantId', '=', tenantId)
      .executeTakeFirst(),
    holdsIn(q, tenantId),
  ]);
  const stops = [...stopOfProcess(app), ...stored];
  const counts = strictest(stops);
  const modeOf = (by: 'platform' | 'tenant'): AgentMode =>
    strictest(stops.filter((stop) => stop.by === by))?.mode ?? 'ON';
  return AgentSwitch.of({
    mode: counts?.mode ?? 'ON',
    platform: modeOf('platform'),
    tenant: modeOf('tenant'),
    reason: counts?.reason ?? '',
    holdsTried: tenant?.holdFlag === 1,
    tried: holds.map(({ principalId, principalName, place, source, createTime, heldFlag }) => ({
      principalId,
      principalName,
      place,
      source: via === 'login' ? source : '',
      at: createTime.toISOString(),
      isHeld: heldFlag === 1,
    })),
  });
}

/** Lets the client of a connection only read, or propose again. Throws Forbidden (403) as `revoke` does. */
export const setReadOnly: Operation<
  z.output<typeof SetReadOnly>,
  z.output<typeof Connection.schema>
> = async (app, caller, { id, readOnly }) => {
  const { tenantId } = caller;
  const changed = await inTenant(app.db, tenantId, async (q) => {
    const connection = await rowOf(q, 'svc_mcp_connection', tenantId, id);
    await demandRightsOf(q, caller, connection.principalId);
    const row = await q
      .updateTable('svc_mcp_connection')
      .set({ readOnlyFlag: Number(readOnly), ...touched(app, caller) })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await audit(app, q, caller, { ...entry('UPDATE', row), detail: { readOnly } });
    return row;
  });
  return Connection.of(changed);
};
