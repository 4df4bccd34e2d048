import { z } from 'zod';

import { demand } from '../../auth/permission/permission.ts';
import { demandPerson } from '../../auth/rights/person.ts';
import { checkWrite } from '../../data/write/write-check.ts';
import type { Queries } from '../../db/connect.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { BadRequest, NotFound, Unprocessable } from '../../kernel/errors.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { isNumeric } from '../../manager/entity/value-type.ts';
import { factsOf } from '../action/card/wire.ts';
import type { ApprovalCard, ApprovedPoint } from './card.ts';

/** Held by the person that approves, now and at each use. */
export const MAKER_HOLDS = [
  'svc-center-agentic:action:confirm',
  'svc-center-data:point_command:write',
] as const;

const MAX_DAYS = 31;
const DAY_MS = 86_400_000;

const Point = z
  .object({
    deviceId: Id,
    pointId: Id,
    min: z.number(),
    max: z.number(),
    maxStep: z.number().positive().describe('Largest distance from the current value'),
    maxPerHour: z.number().int().min(1).max(60).describe('Writes of the point within any hour'),
  })
  .refine(({ min, max }) => min <= max, 'min must not be above max');
const TimeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, such as 22:00')
  .meta({ examples: ['08:00'] });

const approved = {
  principalId: Id.describe('The agent: a service account, or a user whose client acts'),
  clientId: Text(128)
    .default('')
    .describe('Of its connection; a service account may leave it out: then any of its clients'),
  points: z
    .array(Point)
    .min(1)
    .max(20)
    .meta({
      examples: [
        [{ deviceId: '7312', pointId: '7313', min: 18, max: 22, maxStep: 1, maxPerHour: 4 }],
      ],
    }),
  hours: z
    .object({
      start: TimeOfDay,
      end: TimeOfDay.describe('Not later than start: into the next day'),
      daysOfWeek: z.array(z.number().int().min(1).max(7)).max(7).default([]),
    })
    .optional()
    .describe("In the plant's time zone; absent: at any time"),
  until: z.iso
    .datetime({ offset: true })
    .meta({ examples: ['2026-03-01T16:00:00Z'] })
    .describe(`At most ${MAX_DAYS} days ahead`),
  maxUses: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .meta({ examples: [10] }),
  reason: Text(200).default(''),
};
export const Preview = input(approved);
export const Make = input({
  ...approved,
  digest: z
    .string()
    .max(128)
    .describe('Of the card that the preview showed')
    .meta({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] }),
});
type Wanted = z.output<typeof Preview>;

/** Throws Forbidden for any caller but an interactive login with the rights to confirm and to write. */
export function demandMaker(caller: Caller): void {
  demandPerson(caller, 'approve writes beforehand');
  for (const code of MAKER_HOLDS) demand(caller, code);
}

/**
 * The card of an approval, from the present state. Throws NotFound for an agent or point that is not of the tenant,
 * Unprocessable for a point that cannot be approved, BadRequest for a time that is past or too far.
 */
export async function makeCard(
  app: App,
  q: Queries,
  caller: Caller,
  { principalId, clientId, points, hours, until, maxUses, reason }: Wanted,
): Promise<ApprovalCard> {
  const { tenantId } = caller;
  const ends = Date.parse(until);
  const now = app.clock.now();
  if (!(ends > now)) throw new BadRequest('until: it is past');
  if (ends > now + MAX_DAYS * DAY_MS) throw new BadRequest(`until: at most ${MAX_DAYS} days ahead`);
  const places = new Set(points.map(({ deviceId, pointId }) => `${deviceId}/${pointId}`));
  if (places.size < points.length) throw new BadRequest('points: each point once');
  const [agent, ...made] = await Promise.all([
    agentOf(q, { tenantId, principalId, clientId }),
    ...points.map((point) => makePoint(app, q, tenantId, point)),
  ]);
  const { timezone = 'UTC' } = caller;
  return {
    version: 1,
    tenantId,
    agentId: principalId,
    ...agent,
    clientId,
    makerId: caller.principalId,
    makerName: caller.name,
    reason,
    points: made,
    hours: hours ? { ...hours, timezone } : null,
    until: new Date(ends).toISOString(),
    maxUses,
  };
}

type Agent = { tenantId: string; principalId: string; clientId: string };

/** Names of the agent and of its client; a user is an agent through one of its connections only. */
async function agentOf(q: Queries, { tenantId, principalId, clientId }: Agent) {
  const [agent, connection] = await Promise.all([
    q
      .selectFrom('svc_tenant_membership as membership')
      .innerJoin('svc_principal as principal', 'principal.id', 'membership.principalId')
      .select(['principal.principalName', 'principal.principalType'])
      .where('membership.tenantId', '=', tenantId)
      .where('membership.principalId', '=', principalId)
      .executeTakeFirst(),
    q
      .selectFrom('svc_mcp_connection')
      .select('connectionName')
      .where('tenantId', '=', tenantId)
      .where('principalId', '=', principalId)
      .where('clientId', '=', clientId)
      .where('enableFlag', '=', EnableFlag.ENABLE)
      .executeTakeFirst(),
  ]);
  if (!agent) throw new NotFound('Agent');
  if (clientId !== '' && !connection) throw new NotFound('Connection of the agent');
  if (clientId === '' && agent.principalType === 'USER')
    throw new Unprocessable('A user acts as an agent through a client: say which by clientId');
  return { agentName: agent.principalName, clientName: connection?.connectionName ?? '' };
}

async function makePoint(
  app: App,
  q: Queries,
  tenantId: string,
  { deviceId, pointId, min, max, maxStep, maxPerHour }: z.output<typeof Point>,
): Promise<ApprovedPoint> {
  const check = (value: number) =>
    checkWrite(q, app, tenantId, { deviceId, pointId, value: String(value) });
  const [checked] = await Promise.all([check(max), check(min)]);
  const { device, point } = checked;
  if (!isNumeric(point.pointTypeFlag))
    throw new Unprocessable(`${quoted(point.pointName)} holds no number, so it has no range`);
  if (point.rwFlag !== 'READ_WRITE')
    throw new Unprocessable(`${quoted(point.pointName)} cannot be read back, so it has no step`);
  return {
    deviceId,
    deviceName: device.deviceName,
    pointId,
    pointName: point.pointName,
    unit: point.unit,
    min,
    max,
    maxStep,
    maxPerHour,
    effect: factsOf(checked, app.keys.confirmation),
  };
}
