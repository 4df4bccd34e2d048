import { z } from 'zod';

import type { Session } from '../people/session.ts';

const ACTIONS = '/api/v3/agentic/action';
const LOOKS = 3;
const Card = z.object({ digest: z.string() });

/**
 * Confirms an action the way a person does: looks at the card and confirms it with its digest; when something moved
 * since (R412), looks at the fresh card, up to `LOOKS` times in all. Answers the decided action; throws when refused.
 */
export async function confirmSeen(
  person: Session,
  actionId: string,
  waitMs: number,
): Promise<unknown> {
  for (let look = 1; ; look += 1) {
    const card = await person.data(`${ACTIONS}/get`, undefined, { action_id: actionId });
    const { digest } = Card.parse(card);
    const decision = { action_id: actionId, digest, wait_ms: waitMs };
    const { status, body } = await person.post(`${ACTIONS}/confirm`, decision);
    if (body.ok) return body.data;
    if (body.code !== 'R412' || look === LOOKS)
      throw new Error(`confirm answered ${status} ${body.code}: ${body.message}`);
  }
}
