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
  profileName: z.string(),
  points: z.array(ProposedPoint).describe(`At most ${MAX_POINTS}`),
  leftOut: z.number().int().describe('Suggested resources beyond these'),
});
type ProfileProposal = z.output<typeof ProfileProposal>;

/** A profile with points for what a device registered; writes nothing. Throws as `proposalFor`. */
export const propose: Operation<ProposeProfile, ProfileProposal> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const [{ id: deviceId, deviceName }, proposal] = await Promise.all([
      rowOf(q, 'svc_device', tenantId, given.deviceId),
      proposalFor(q, tenantId, given),
    ]);
    return { deviceId, profileName: deviceName, ...proposal };
  });

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
