import { z } from 'zod';

import type { Session } from '../people/session.ts';

type Approved = { principalId: string; device: string; point: string };

/** A standing approval that decides nothing: its range is far from the values there. */
export async function approved(session: Session, { principalId, device, point }: Approved) {
  const path = '/api/v3/agentic/approval';
  await session.data(`${path}/switch/set`, { on: true });
  const wanted = {
    principalId,
    points: [{ deviceId: device, pointId: point, min: 1, max: 2, maxStep: 1, maxPerHour: 1 }],
    until: new Date(Date.now() + 3_600_000).toISOString(),
    maxUses: 1,
  };
  const { digest } = z
    .object({ digest: z.string() })
    .parse(await session.data(`${path}/preview`, wanted));
  const made = await session.data(`${path}/add`, { ...wanted, digest });
  return z.object({ approvalId: z.uuid() }).parse(made).approvalId;
}
