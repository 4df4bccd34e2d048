import { createHmac, timingSafeEqual } from 'node:crypto';

import { z } from 'zod';

import type { SignedBody } from '../../kernel/app/route.ts';
import { Id } from '../../kernel/input/id.ts';

/** How the receiver of a channel says that an alarm is acknowledged (docs/specification/notifications.md, Answers). */
export type AnswerForm = {
  /** The secret of the channel that proves where an answer is from. */
  secret: 'credential' | 'answerSecret';
  /** Whether the receiver of the channel sent it, at `now` (ms); null: the channel has no secret. */
  isSigned(secret: string | null, body: SignedBody, now: number): boolean;
  /** The id of the alarm that it acknowledges; null: none. Throws a ZodError or SyntaxError for what is no answer. */
  alarmIn(payload: string, now: number): string | null;
  /** The service of a vendor sends events of other things too, and what the platform itself confirmed or ended. */
  isVendor: boolean;
};

/** As `dedupKey` writes it; other keys are of other senders. */
const KEY = /^alarm-(\d+)$/;
const alarmOf = (key: string | null | undefined): string | null => {
  const [, id] = KEY.exec(key ?? '') ?? [];
  return Id.safeParse(id).data ?? null;
};

/** Proves nothing: a channel without a secret takes as long as a wrong proof. */
const OF_NOBODY = '0'.repeat(64);

/** Whether one of the texts is the expected one. */
function isAmong(given: readonly string[], expected: string): boolean {
  // Digests have one length, so the time says nothing of the secret's own.
  const digest = (text: string) => createHmac('sha256', OF_NOBODY).update(text).digest();
  const right = digest(expected);
  return given.some((one) => timingSafeEqual(digest(one), right));
}

const PagerDuty = z.object({
  event: z.object({
    event_type: z.string(),
    occurred_at: z.iso.datetime({ offset: true }),
    agent: z.object({ type: z.string() }).nullish(),
    data: z.object({ incident_key: z.string().nullish() }),
  }),
});
const BY_A_PERSON = 'user_reference';
const TAKEN = ['incident.acknowledged', 'incident.resolved'];
/** It tries a webhook for about 20 minutes. */
const LATEST_MS = 30 * 60_000;
const SLOW_CLOCK_MS = 5 * 60_000;
/** One for each secret, of which two are known at a time; each that is compared costs a digest, before any proof. */
const MAX_SIGNATURES = 10;

/**
 * Webhooks V3 of PagerDuty: HMAC-SHA256 of the body alone, one for each secret while one is replaced, and the time of
 * the event in the body. https://developer.pagerduty.com/docs/verifying-webhook-signatures
 */
export const pagerdutyAnswer: AnswerForm = {
  secret: 'answerSecret',
  isVendor: true,
  isSigned(secret, { pagerduty, payload }) {
    const expected = `v1=${createHmac('sha256', secret || OF_NOBODY)
      .update(payload)
      .digest('hex')}`;
    const given = pagerduty.split(',', MAX_SIGNATURES + 1).map((one) => one.trim());
    return given.length <= MAX_SIGNATURES && isAmong(given, expected) && Boolean(secret);
  },
  alarmIn(payload, now) {
    const { event_type, occurred_at, agent, data } = PagerDuty.parse(JSON.parse(payload)).event;
    const age = now - Date.parse(occurred_at);
    if (!TAKEN.includes(event_type) || age > LATEST_MS || age < -SLOW_CLOCK_MS) return null;
    // An integration that resolves, and a time that is up, are no person.
    return agent?.type === BY_A_PERSON ? alarmOf(data.incident_key) : null;
  },
};

const Opsgenie = z.object({
  action: z.string(),
  alert: z.object({ alias: z.string().nullish() }),
});

/**
 * The outgoing webhook of Opsgenie has no signature, so a header that a person adds to the integration has the secret.
 * https://support.atlassian.com/opsgenie/docs/opsgenie-edge-connector-alert-action-data/
 */
export const opsgenieAnswer: AnswerForm = {
  secret: 'answerSecret',
  isVendor: true,
  isSigned: (secret, { answerSecret }) =>
    isAmong([answerSecret], secret || OF_NOBODY) && Boolean(secret),
  alarmIn(payload) {
    const { action, alert } = Opsgenie.parse(JSON.parse(payload));
    return action === 'Acknowledge' ? alarmOf(alert.alias) : null;
  },
};
