import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId } from '../../kernel/entity/answer.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { pointsByPath } from './points-by-path.ts';
import { pointFor, ProposedPoint } from './proposed-point.ts';
import { registrationOf } from './registered.ts';
import { type Instance, isPoint, isSuggested, reportedIn } from './reported.ts';

/** Points of one proposal. */
const MAX_POINTS = 200;

const Paths = z
  .array(z.string().regex(/^(?:\/\d{1,5}){3}$/, 'must be a path as /3303/0/5700'))
  .min(1)
  .max(MAX_POINTS)
  .meta({ examples: [['/3303/0/5700']] });
export const chosen = {
  paths: Paths.optional().describe('Resources that become points; without: those suggested'),
  replace: z
    .boolean()
    .optional()
    .describe('The device leaves its present profile, with its configs for the points of that'),
};
export const ProposeProfile = input({ deviceId: Id, ...chosen });
type ProposeProfile = z.infer<typeof ProposeProfile>;

export const ProfileProposal = z.object({
  deviceId: AnswerId,
  profileName: z.string().describe('Of the present profile where that takes the points'),
  leaves: z
    .boolean()
    .describe('The present profile has points and other devices: only with replace'),
  points: z.array(ProposedPoint).describe(`At most ${MAX_POINTS}`),
  leftOut: z.number().int().describe('Suggested resources beyond these'),
});
type ProfileProposal = z.output<typeof ProfileProposal>;

/** A profile with points for what a device registered; writes nothing. Throws as `proposalFor`. */
export const propose: Operation<ProposeProfile, ProfileProposal> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const { deviceId } = given;
    const [device, present, proposal] = await Promise.all([
      rowOf(q, 'svc_device', tenantId, deviceId),
      presentProfile(q, tenantId, deviceId),
      proposalFor(q, tenantId, given),
    ]);
    const profileName = present?.isOwn ? present.profileName : device.deviceName;
    const leaves = present !== null && present.hasPoints && !present.isOwn;
    return { deviceId, profileName, leaves, ...proposal };
  });

/** The profile that a device has; `isOwn`: no other device has it, so that it can take more points. */
export async function presentProfile(q: Queries, tenantId: string, deviceId: string) {
  const { rows } = await sql<{
    id: string;
    profileName: string;
    hasPoints: boolean;
    isOwn: boolean;
  }>`
    select p.id, p.profile_name,
      exists (select from svc_point i
        where i.tenant_id = p.tenant_id and i.profile_id = p.id) as has_points,
      not exists (select from svc_device o where o.tenant_id = p.tenant_id
        and o.profile_id = p.id and o.id <> d.id) as is_own
    from svc_device d join svc_profile p on p.tenant_id = d.tenant_id and p.id = d.profile_id
    where d.tenant_id = ${tenantId} and d.id = ${deviceId}`.execute(q);
  return rows[0] ?? null;
}

/** Why no point can be proposed at a path: the device may have what the registry does not know. */
function noPointAt(path: string, instances: readonly Instance[]): string {
  const [, objectId, instanceId] = path.split('/').map(Number);
  const own = instances.find((one) => one.objectId === objectId && one.instanceId === instanceId);
  if (own?.name === '')
    return `The public registry does not know object ${objectId}, which the device registered: add a point at ${path} by hand`;
  return `The device registered no value at ${path}`;
}

/** Throws Unprocessable for a path at which no point can be, or at which the device has one already. */
export async function proposalFor(
  q: Queries,
  tenantId: string,
  { deviceId, paths, replace = false }: ProposeProfile,
): Promise<Pick<ProfileProposal, 'points' | 'leftOut'>> {
  const [stored, present] = await Promise.all([
    registrationOf(q, tenantId, deviceId),
    pointsByPath(q, tenantId, deviceId),
  ]);
  const { instances } = reportedIn(stored?.objects ?? '');
  const isThere = (path: string): boolean => !replace && present.has(path);
  const all = instances.flatMap((instance) =>
    instance.resources.filter(isPoint).map((resource) => ({
      isSuggested: isSuggested(instance, resource),
      point: pointFor(instance, resource),
    })),
  );
  if (paths) {
    const byPath = new Map(all.map(({ point }) => [point.path, point]));
    const points = [...new Set(paths)].map((path) => {
      const point = byPath.get(path);
      if (!point) throw new Unprocessable(noPointAt(path, instances));
      if (isThere(path)) throw new Unprocessable(`The device has a point at ${path} already`);
      return point;
    });
    return { points, leftOut: 0 };
  }
  const suggested = all.flatMap(({ isSuggested: isOne, point }) =>
    isOne && !isThere(point.path) ? [point] : [],
  );
  const points = suggested.slice(0, MAX_POINTS);
  return { points, leftOut: suggested.length - points.length };
}
