import { sql } from 'kysely';
import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { Unprocessable } from '../../core/errors.ts';
import { Id } from '../../core/input/id.ts';
import { input } from '../../core/input/input.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import { AnswerId } from '../../entity/answer.ts';
import { rowOf } from '../../entity/row.ts';
import { pointFor, ProposedPoint } from './proposed-point.ts';
import { registrationOf } from './registered.ts';
import { isPoint, isSuggested, saidIn } from './said.ts';

/** Points of one proposal. */
const MAX_POINTS = 200;

const Paths = z
  .array(z.string().regex(/^(?:\/\d{1,5}){3}$/, 'must be a path as /3303/0/5700'))
  .min(1)
  .max(MAX_POINTS)
  .meta({ examples: [['/3303/0/5700']] });
export const chosen = {
  paths: Paths.optional().describe('Resources that become points; without: those suggested'),
};
export const ProposeProfile = input({ deviceId: Id, ...chosen });
type ProposeProfile = z.infer<typeof ProposeProfile>;

export const ProfileProposal = z.object({
  deviceId: AnswerId,
  profileName: z.string().describe('Of the present profile where that takes the points'),
  hasPoints: z.boolean().describe('The present profile has points, which the device leaves'),
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
    const profileName = present?.isFree ? present.profileName : device.deviceName;
    return { deviceId, profileName, hasPoints: present?.hasPoints ?? false, ...proposal };
  });

/** The profile that a device has; `isFree`: it has no points and no other device, so that it can take new ones. */
export async function presentProfile(q: Queries, tenantId: string, deviceId: string) {
  const { rows } = await sql<{
    id: string;
    profileName: string;
    hasPoints: boolean;
    isFree: boolean;
  }>`
    select p.id, p.profile_name, has.points as has_points, not has.points and not exists (
      select from svc_device o where o.tenant_id = p.tenant_id and o.profile_id = p.id
        and o.id <> d.id) as is_free
    from svc_device d join svc_profile p on p.tenant_id = d.tenant_id and p.id = d.profile_id
    cross join lateral (select exists (select from svc_point i
      where i.tenant_id = p.tenant_id and i.profile_id = p.id) as points) has
    where d.tenant_id = ${tenantId} and d.id = ${deviceId}`.execute(q);
  return rows[0] ?? null;
}

/** Throws Unprocessable for a path at which no point can be. */
export async function proposalFor(
  q: Queries,
  tenantId: string,
  { deviceId, paths }: ProposeProfile,
): Promise<Pick<ProfileProposal, 'points' | 'leftOut'>> {
  const stored = await registrationOf(q, tenantId, deviceId);
  const { instances } = saidIn(stored?.objects ?? '');
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
      if (!point) throw new Unprocessable(`The device registered no value at ${path}`);
      return point;
    });
    return { points, leftOut: 0 };
  }
  const suggested = all.flatMap(({ isSuggested: isOne, point }) => (isOne ? [point] : []));
  const points = suggested.slice(0, MAX_POINTS);
  return { points, leftOut: suggested.length - points.length };
}
