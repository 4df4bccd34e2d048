import { z } from 'zod';

import { BadRequest } from '../../../kernel/errors.ts';
import { Text } from '../../../kernel/input/text.ts';
import type { Branch } from '../branch/branch.ts';

const Index = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).nullish();

/** What a request asks for that OpenAI's has no field for. */
export const Extension = z.object({
  conversation_id: Text(128).trim().min(1, 'must not be blank').nullish(),
  /** Message index of the question that this one replaces. */
  edit: Index,
  /** Message index of the question to be answered again. */
  regenerate: Index,
  /** `messages` is the whole conversation, as its client shows it: what is missing or other there begins a branch. */
  resent: z.boolean().nullish(),
  /** The turn goes on without its client, which can follow it again. */
  resumable: z.boolean().nullish(),
});

/** Where the turn branches off; null: nowhere. Throws BadRequest for two places, and without a conversation. */
export function branchIn(
  given: z.output<typeof Extension> | null | undefined,
  conversationId: string | undefined,
): Branch | null {
  const edit = given?.edit ?? null;
  const regenerate = given?.regenerate ?? null;
  const at = edit ?? regenerate;
  if (at === null) return null;
  if (edit !== null && regenerate !== null)
    throw new BadRequest('Either edit or regenerate, not both', { param: 'x_svc.edit' });
  if (conversationId === undefined)
    throw new BadRequest('A branch is of a conversation: say which', { param: 'conversationId' });
  return { at, how: edit === null ? 'regenerate' : 'edit' };
}
