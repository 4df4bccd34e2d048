import { z } from 'zod';

import { audit } from '../../auth/audit/audit.ts';
import { demandAll, WILDCARD, allows } from '../../auth/permission/permission.ts';
import { demandPlatform, isOfPlatform } from '../../auth/permission/platform.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import { acrossTenantsIf, acrossTenantsWithin, inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { AnswerId, IsoTime } from '../../kernel/entity/answer.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';

export const WaitingQuery = input({
  page: Page,
  endpoint: Text(255).optional().describe('Part of the endpoint'),
});
type WaitingQuery = z.infer<typeof WaitingQuery>;

export const Waiting = z
  .object({
    id: AnswerId,
    endpoint: z.string().meta({ examples: ['urn:imei:350077523237513'] }),
    driverCode: z.string().meta({ examples: ['Lwm2mDriver'] }),
    tenantId: AnswerId.describe('The tenant that can claim it'),
    proven: z.boolean().describe('Over DTLS it proved the key of a device of this tenant'),
    assigned: z.boolean().describe('An administrator of the platform gave it to this tenant'),
    deviceId: AnswerId.nullable().describe('The device of the own tenant whose key it proved'),
    deviceName: z.string().nullable(),
    host: z
      .string()
      .describe('Address of its last attempt')
      .meta({ examples: ['192.0.2.7'] }),
    sinceTime: IsoTime,
    lastTime: IsoTime,
    attempts: z.number().int().describe('Refused registrations since `sinceTime`'),
  })
  .meta({ id: 'WaitingEndpoint' });
export type Waiting = z.output<typeof Waiting>;

/** Whether the caller has all rights; in the platform tenant that is an administrator of the platform. */
const isAdmin = (caller: Caller): boolean => allows(caller, WILDCARD);

/**
 * What the caller may see: what its tenant's keys proved or what was assigned to it; `all`, an administrator of the
 * platform tenant everything. Unproven rows that are assigned to none are of the platform tenant.
 */
const visible = (q: Queries, caller: Caller, all = isAdmin(caller)) =>
  q
    .selectFrom('svc_waiting_endpoint as w')
    .where((eb) =>
      eb.or([
        eb.and([
          eb('w.tenantId', '=', caller.tenantId),
          eb.or([eb('w.keyDeviceId', '<>', '0'), eb('w.assigned', '=', true)]),
        ]),
        eb.and([eb.val(all), isOfPlatform(caller)]),
      ]),
    );

/** Endpoints that wait for a device, those heard last first. */
export const page: Operation<WaitingQuery, Paged<Waiting>> = (app, caller, given) =>
  pageIn(app, caller, given, isAdmin(caller));

/** Those that the tenant can claim alone, for agents, also of an administrator of the platform tenant. */
export const ownPage: Operation<WaitingQuery, Paged<Waiting>> = (app, caller, given) =>
  pageIn(app, caller, given, false);

const pageIn = (app: App, caller: Caller, given: WaitingQuery, all: boolean) =>
  inOneTrip(app.db, caller.tenantId, async (q) => {
    let rows = visible(q, caller, all)
      .leftJoin('svc_device as d', (join) =>
        join
          .onRef('d.id', '=', 'w.keyDeviceId')
          .onRef('d.tenantId', '=', 'w.tenantId')
          .on('d.tenantId', '=', caller.tenantId),
      )
      .selectAll('w')
      .select(['d.id as deviceId', 'd.deviceName']);
    if (given.endpoint) rows = rows.where('w.endpoint', 'ilike', contains(given.endpoint));
    const [, answer] = await Promise.all([
      all ? acrossTenantsIf(q, 'waiting', isOfPlatform(caller)) : null,
      pageOf(rows.orderBy('w.lastTime', 'desc').orderBy('w.id', 'desc'), given.page, answerOf),
    ]);
    return answer;
  });

type Row = {
  id: string;
  endpoint: string;
  driverCode: string;
  tenantId: string;
  keyDeviceId: string;
  assigned: boolean;
  deviceId: string | null;
  deviceName: string | null;
  host: string;
  sinceTime: Date;
  lastTime: Date;
  attempts: number;
};

const answerOf = ({ keyDeviceId, sinceTime, lastTime, ...row }: Row): Waiting => ({
  ...row,
  proven: keyDeviceId !== '0',
  sinceTime: sinceTime.toISOString(),
  lastTime: lastTime.toISOString(),
});

/** A row that the caller's own tenant can claim, locked. Throws NotFound. */
export async function claimable(q: Queries, caller: Caller, id: string) {
  const row = await visible(q, caller)
    .selectAll('w')
    .where('w.tenantId', '=', caller.tenantId)
    .where('w.id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw new NotFound('Waiting endpoint');
  return row;
}

/** One of those that agents see (`ownPage`), locked. Throws NotFound. */
export async function ownWaiting(q: Queries, tenantId: string, id: string) {
  const row = await q
    .selectFrom('svc_waiting_endpoint')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where((eb) => eb.or([eb('keyDeviceId', '<>', '0'), eb('assigned', '=', true)]))
    .forUpdate()
    .executeTakeFirst();
  if (!row)
    throw new NotFound('Waiting endpoint', 'it was made a device, or was not heard for a week');
  return row;
}

const platformIn = (tenantId: string) =>
  ({ tenantId, principalId: '0', principalType: 'SYSTEM' }) as const;

export const AssignWaiting = input({ id: Id, tenantId: Id });
type AssignWaiting = z.infer<typeof AssignWaiting>;

/**
 * Gives an endpoint to a tenant, which can then claim it; for administrators of the platform tenant only (403).
 * Conflict for one that proved a key: it is of the tenant that has the key.
 */
export const assign: Operation<AssignWaiting, void> = (app, caller, { id, tenantId }) =>
  inTenant(app.db, caller.tenantId, async (q) => {
    await demandPlatform(q, caller);
    demandAll(caller, new Set([WILDCARD]));
    await acrossTenantsWithin(q, 'waiting', async () => {
      const row = await q
        .selectFrom('svc_waiting_endpoint')
        .select(['endpoint', 'keyDeviceId', 'tenantId'])
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst();
      if (!row) throw new NotFound('Waiting endpoint');
      const tenant = await q
        .selectFrom('svc_tenant')
        .select('id')
        .where('id', '=', tenantId)
        .executeTakeFirst();
      if (!tenant) throw new NotFound('Tenant');
      if (row.keyDeviceId !== '0')
        throw new Conflict('The endpoint proved a key: it is of the tenant that has the key');
      await q
        .updateTable('svc_waiting_endpoint')
        .set({ tenantId, assigned: true })
        .where('id', '=', id)
        .execute();
      const entry = {
        action: 'UPDATE',
        resourceType: 'WAITING_ENDPOINT',
        resourceId: id,
        resourceName: row.endpoint,
      } as const;
      await audit(app, q, caller, { ...entry, detail: { tenantId: [row.tenantId, tenantId] } });
      // A tenant sees that the platform gave it the endpoint or took it, and nothing of the other one.
      for (const touched of [row.tenantId, tenantId])
        if (touched !== '0' && touched !== caller.tenantId)
          await audit(app, q, platformIn(touched), {
            ...entry,
            source: '',
            detail: { given: touched === tenantId, by: 'the platform' },
          });
    });
    app.log.info({ id, tenantId, by: caller.principalId }, 'a waiting endpoint was assigned');
  });
