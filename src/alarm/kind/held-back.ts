import { z } from 'zod';

import { inZone } from '../../kernel/sentence/time-zone.ts';

/** Why the policy, the bind or the place of an alarm keeps a channel from it at present. */
export const HeldBack = z.enum([
  'SILENCE',
  'QUIET_HOURS',
  'MAINTENANCE',
  'SILENCED',
  'RATE_LIMIT',
  'TOO_MUCH',
  'GROUPING',
  'DIGEST',
  'FLOOD',
]);
export type HeldBack = z.output<typeof HeldBack>;

/** The code of a stored reason, in which its end may follow (ISO-8601); null for other reasons. */
export function heldBackIn(reason: string): { code: HeldBack; until: string } | null {
  const [first, until = ''] = reason.split(' ', 2);
  const { data: code } = HeldBack.safeParse(first);
  return code === undefined ? null : { code, until };
}

const WORDS: Record<HeldBack, string> = {
  SILENCE: 'its policy is silent now',
  QUIET_HOURS: 'it has quiet hours now',
  MAINTENANCE: 'its place is in maintenance',
  SILENCED: 'a person silenced the rule there',
  RATE_LIMIT: 'its policy limits the rate',
  TOO_MUCH: 'too many notifications wait for it',
  GROUPING: 'its policy sends alarms together',
  DIGEST: 'its policy sends them at certain times',
  FLOOD: 'it got many messages, and gets the others as one',
};

/** A stored reason in words, for messages, agents and the command line; one without a code as it is. */
export function reasonWords(reason: string, zone?: string): string {
  const held = heldBackIn(reason);
  if (held === null) return reason;
  const { code, until } = held;
  return until === '' ? WORDS[code] : `${WORDS[code]} until ${inZone(until, zone)}`;
}
