import { z } from 'zod';

import { inZone } from '../../kernel/sentence/time-zone.ts';

/** Why a channel gets no message about an alarm at present, or none any more. */
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
  'LEVEL',
  'NOT_ON_CALL',
  'STEP',
  'STEP_ON_FAILURE',
  'STEP_AFTER_WRITE',
  'CONFIRMED',
  'ACKNOWLEDGED',
  'EXPLAINED',
  'SHARED',
  'NOT_NOTIFIED',
  'NO_RECOVERY',
  'UNREACHED',
  'CHANNEL_GONE',
  'UNUSED',
]);
export type HeldBack = z.output<typeof HeldBack>;

/** Why a message is not sent that a change of a policy, a bind or a rule overtook. */
export const UNUSED = 'its policy does not send it over this channel any more';

/** A stored reason: a code, the number of a step or the id of an alarm, and when it ends (ISO-8601), as far as there are such. */
type Stored = { code: HeldBack; of: string; until: string };

/** The parts of a stored reason; null for one without a code: what a receiver answered. */
export function heldBackIn(reason: string): Stored | null {
  const [first, ...more] = reason.split(' ');
  const { data: code } = HeldBack.safeParse(first);
  if (code === undefined) return null;
  const of = more.find((each) => /^\d+$/.test(each)) ?? '';
  return { code, of, until: more.find((each) => each !== of) ?? '' };
}

const WORDS: Record<HeldBack, string | ((of: string) => string)> = {
  SILENCE: 'its policy is silent now',
  QUIET_HOURS: 'it has quiet hours now',
  MAINTENANCE: 'its place is in maintenance',
  SILENCED: 'a person silenced the rule there',
  RATE_LIMIT: 'its policy limits the rate',
  TOO_MUCH: 'too many notifications wait for it',
  GROUPING: 'its policy sends alarms together',
  DIGEST: 'its policy sends them at certain times',
  FLOOD: 'it got many messages, and gets the others as one',
  LEVEL: 'it does not take alarms of this level',
  NOT_ON_CALL: 'it is not on call',
  STEP: (step) => `escalation step ${step} waits`,
  STEP_ON_FAILURE: (step) =>
    `escalation step ${step} waits for a failure of the channels before it`,
  STEP_AFTER_WRITE: (step) => `escalation step ${step} waits for the end of a write`,
  CONFIRMED: (step) => `it was confirmed before escalation step ${step}`,
  ACKNOWLEDGED: (step) => `it was acknowledged before escalation step ${step}`,
  EXPLAINED: (alarmId) => `alarm ${alarmId} explains it`,
  SHARED: 'it is in a message with others',
  NOT_NOTIFIED: 'the channel did not get the alarm',
  NO_RECOVERY: 'recovery is not wanted',
  UNREACHED: 'its receiver could not be reached for a day',
  CHANNEL_GONE: 'the channel is gone or disabled',
  UNUSED,
};

/** A stored reason in words, for messages, agents and the command line; one without a code as it is. */
export function reasonWords(reason: string, zone?: string): string {
  const held = heldBackIn(reason);
  if (held === null) return reason;
  const { code, of, until } = held;
  const words = WORDS[code];
  const said = typeof words === 'string' ? words : words(of);
  return until === '' ? said : `${said} until ${inZone(until, zone)}`;
}
