import type { AlarmLevel } from '../kind/alarm.ts';
import {
  type DeliveryStatus,
  type HistoryEvent,
  type Known,
  type NoticeEvent,
  PATIENCE_MS,
} from '../kind/delivery-status.ts';
import type { HeldBack } from '../kind/held-back.ts';
import { type BindContent, type NotifyContent, wantsEnd } from '../notify/policy-ext.ts';
import { offCall, uncalled } from './called.ts';
import { noteOf } from './escalation.ts';
import { heldBack, silenced } from './held.ts';
import { riseOf } from './wants.ts';

/** The settings of a policy and of its bind to a channel, `notifyInterval` (ms), and the time zone of the plant. */
export type Terms = {
  policy: NotifyContent;
  bind: BindContent;
  notifyInterval: number;
  channelId: string;
  timezone: string;
  /** The channel sends a message when a person confirms the alarm. */
  acknowledges: boolean;
};

/** What one channel knows of an alarm, and the message under way to it; times in ms. */
export type Standing = {
  known: Known;
  knownTime: number | null;
  /** Messages about the firing that its receiver took. */
  firedCount: number;
  /** The level in the newest message about the firing that was written to it; absent of one before levels were kept. */
  sentLevel?: keyof typeof AlarmLevel | undefined;
  /** It knows that a person confirmed the alarm. */
  confirmKnown: boolean;
  /** Its receiver may have a message about the firing, and did not answer that. */
  mayKnow: boolean;
  /**
   * `isShared`: it also names other alarms that fire; `isWanted`: one of them at least is neither confirmed nor
   * acknowledged. `isPart`: some of its receivers took it, and others did not yet. `isReminder`: the channel knew then
   * that the alarm fires.
   */
  sending: {
    event: HistoryEvent;
    status: DeliveryStatus;
    isShared?: boolean;
    isWanted?: boolean;
    isPart?: boolean;
    isReminder?: boolean;
    writtenAt?: number;
  } | null;
  /** When a failed message may be sent again; null: never, its receiver refused it. */
  repeatAt: number | null;
};

type Sending = NonNullable<Standing['sending']>;

/** An alarm as it is now; times in ms. */
export type Present = {
  now: number;
  /** Null for a report, which has no end. */
  state: 'FIRING' | 'OVER' | null;
  /** Since when the state is so. */
  since: number;
  /** From when on the steps of the policy count: its begin, or the end of the last time that muted it. */
  stepsFrom: number;
  isConfirmed: boolean;
  /** The receiver of a channel acknowledged it, which stops reminders and steps as a confirmation does. */
  isAcknowledged: boolean;
  level: keyof typeof AlarmLevel;
  /** A write to its device runs, and its policy waits for that with its steps. */
  isActing: boolean;
  /** Every channel that the policy calls before this one could not be reached. */
  failedBefore: boolean;
  /** No channel of the policy is on call, and this one is called first. */
  isStandIn: boolean;
  /** A person silences the rule at this place until then. */
  silencedUntil: number | null;
  /** A maintenance mutes the place until then. */
  mutedUntil: number | null;
  /** The firing alarm that explains this one to the channel; '0': none. */
  explainedBy: string;
  /** From when on the rate limit allows another message about the firing. */
  allowedAt: number;
  /** Too many messages wait for the channel. */
  isFull: boolean;
  /**
   * Its policy does not send the alarm over the channel any more: the bind or the policy is off or gone, or its rule has
   * another policy. ELSEWHERE: another policy sends it there, and its end. Absent: it is sent.
   */
  unused?: 'UNUSED' | 'ELSEWHERE';
};

/** Codes of `HeldBack` with what belongs to them; empty: the message under way has a reason of its delivery. */
type Reason = '' | HeldBack | `${HeldBack} ${string}`;

/**
 * What follows for the channel: `rest` waits for a change of the alarm or of the delivery. `drops`: the message that
 * waits for a dispatcher does not go out; `forgets`: nor is it repeated; `begins`: the channel knows that the alarm is over
 * for it, and is to get it again. `isCalled: false`: its policy does not call the channel yet. `hands`: the policy that
 * sends the alarm there goes on with what the channel knows; false: with that it may know, as an end was under way.
 */
export type Duty =
  | { do: 'send'; event: NoticeEvent; isReminder: boolean; note?: string }
  | { do: 'acknowledge' }
  | { do: 'repeat' }
  | {
      do: 'wait';
      until: number;
      reason: Reason;
      causeId?: string;
      drops?: boolean;
      forgets?: true;
      begins?: true;
      isCalled?: false;
    }
  | { do: 'rest'; reason: Reason; drops?: boolean; isCalled?: false }
  | { do: 'end'; reason: Reason; drops: boolean; hands?: boolean };

const DROPS = { drops: true };
const FULL_MS = 60_000;
/** The end of the cause wakes what it explains; this is for a channel that no longer gets the cause. */
export const EXPLAINED_MS = 600_000;

/**
 * What a channel is to get now, by what it knows and what is true (docs/specification/notifications.md, Ledger). One
 * message at a time is under way to a channel about an alarm, so its receiver gets them in order.
 */
export function dutyOf(terms: Terms, standing: Standing, present: Present): Duty {
  if (present.state === 'OVER') return whenOver(terms, standing, present);
  return present.unused
    ? whenUnused(terms, standing, present)
    : whileOpen(terms, standing, present);
}

/** Of an alarm that goes on: for a channel that knows of it it ends here, unless another policy sends it, and its end, there. */
function whenUnused(terms: Terms, standing: Standing, present: Present): Duty {
  const { sending, known, mayKnow } = standing;
  if (sending?.status === 'SENT') return { do: 'rest', reason: '' };
  const isShared = sending?.isShared === true;
  const drops = sending !== null && !isShared;
  const knows = known !== 'NOTHING' || mayKnow;
  if (present.state === null || (!knows && !isShared))
    return { do: 'end', reason: 'UNUSED', drops };
  // What some receivers took goes on to the others for the alarms beside it.
  const goesOver = !isShared || (sending.event === 'FIRED' && sending.isPart === true);
  if (present.unused === 'ELSEWHERE' && goesOver)
    return { do: 'end', reason: 'UNUSED', drops, hands: sending?.event !== 'RECOVERED' };
  return whenOver(terms, standing, present);
}

/** Of a channel that is disabled or gone: it may be enabled again as long as the alarm goes on, or its end is sent. */
export function whileOff(
  { known, mayKnow, sending }: Standing,
  { state, since, now }: Pick<Present, 'state' | 'since' | 'now'>,
): Duty {
  const reason = 'CHANNEL_GONE';
  if (state === 'FIRING') return { do: 'rest', reason };
  const isOwed = state === null || known === 'FIRING' || mayKnow;
  const until = since + PATIENCE_MS;
  return isOwed && known !== 'OVER' && until > now
    ? { do: 'wait', until, reason }
    : { do: 'end', reason, drops: sending !== null };
}

function whenOver(terms: Terms, standing: Standing, present: Present): Duty {
  const { known, mayKnow, sending, repeatAt } = standing;
  // Its dispatcher has the message: how it ends decides.
  if (sending?.status === 'SENT') return { do: 'rest', reason: '' };
  const isShared = sending?.isShared === true;
  // Where some of its receivers took it, the end goes to all of them.
  if (sending?.event === 'FIRED' && isShared && !sending.isPart)
    return { do: 'wait', until: present.now + FULL_MS, reason: 'SHARED' };
  if (sending?.event === 'RECOVERED')
    return silenced(sending, present) ?? ofMessage(terms, sending, repeatAt, present);
  const drops = sending !== null && !isShared;
  if (known === 'OVER') return { do: 'end', reason: '', drops };
  if (known === 'NOTHING' && !mayKnow) return { do: 'end', reason: 'NOT_NOTIFIED', drops };
  if (!wantsEnd(terms)) return { do: 'end', reason: 'NO_RECOVERY', drops };
  return heldBack(terms, present) ?? { do: 'send', event: 'RECOVERED', isReminder: false };
}

function whileOpen(terms: Terms, standing: Standing, present: Present): Duty {
  const { known, sending, repeatAt } = standing;
  if (sending && !isReplaced(terms, standing, present))
    return (
      stopped(terms, known, sending, present) ??
      silenced(sending, present) ??
      ofMessage(terms, sending, repeatAt, present)
    );
  if (known === 'OVER')
    return { do: 'wait', until: present.now, reason: '', begins: true, ...(sending && DROPS) };
  if (known === 'NOTHING')
    return (
      explained(present) ??
      uncalled(terms, present) ??
      offCall(terms, present) ??
      heldBack(terms, present) ??
      tooMuch(present) ??
      firing(false, noteOf(terms, present))
    );
  return whenKnown(terms, standing, present);
}

function whenKnown(terms: Terms, standing: Standing, present: Present): Duty {
  if (terms.acknowledges && present.isConfirmed && !standing.confirmKnown)
    return { do: 'acknowledge' };
  const rise = riseOf(terms, standing.sentLevel, present.level);
  if (rise !== '') return heldBack(terms, present) ?? full(present) ?? firing(false, rise);
  const at = reminderAt(terms, standing, present);
  if (at === null)
    return present.state === null
      ? { do: 'end', reason: '', drops: false }
      : { do: 'rest', reason: '' };
  if (at > present.now) return { do: 'wait', until: at, reason: '' };
  return offCall(terms, present) ?? heldBack(terms, present) ?? tooMuch(present) ?? firing(true);
}

/** Whether what some receivers did not take gives way to a message for all of them that is due. */
function isReplaced(terms: Terms, standing: Standing, present: Present): boolean {
  const { sending } = standing;
  if (!sending?.isPart || sending.status === 'SENT') return false;
  if (sending.event === 'RECOVERED') return true;
  const at = reminderAt(terms, standing, present);
  return (
    riseOf(terms, standing.sentLevel, present.level) !== '' || (at !== null && at <= present.now)
  );
}

const firing = (isReminder: boolean, note = ''): Duty => ({
  do: 'send',
  event: 'FIRED',
  isReminder,
  ...(note !== '' && { note }),
});

/**
 * Stops a reminder, and the message of a step, about an alarm that was confirmed or acknowledged, as long as no dispatcher
 * has it.
 */
function stopped(
  terms: Terms,
  known: Known,
  { status, isWanted, isReminder }: Sending,
  present: Present,
): Duty | null {
  const isTaken = present.isConfirmed || present.isAcknowledged;
  if (!isTaken || isWanted || status === 'SENT') return null;
  if (known !== 'NOTHING')
    return isReminder
      ? { do: 'wait', until: present.now, reason: '', drops: true, forgets: true }
      : null;
  const duty = uncalled(terms, present);
  return duty?.do === 'rest' ? { ...duty, drops: true } : null;
}

/** Of a message under way: a delivery that failed is repeated as long as the alarm goes on. */
function ofMessage(
  terms: Terms,
  { status, writtenAt = 0 }: Sending,
  repeatAt: number | null,
  present: Present,
): Duty {
  const { now, state, since } = present;
  if (status !== 'FAILED' || repeatAt === null) return { do: 'rest', reason: '' };
  if (state !== 'FIRING' && now - Math.max(since, writtenAt) > PATIENCE_MS)
    return { do: 'end', reason: 'UNREACHED', drops: false };
  if (repeatAt > now) return { do: 'wait', until: repeatAt, reason: '' };
  return heldBack(terms, present) ?? { do: 'repeat' };
}

/** The time of the next reminder; null if there is none. */
function reminderAt(
  { policy: { repeat } }: Terms,
  { firedCount, knownTime }: Standing,
  { isConfirmed, isAcknowledged }: Present,
): number | null {
  if (!repeat?.enabled || isConfirmed || isAcknowledged || knownTime === null) return null;
  return firedCount > repeat.maxTimes ? null : knownTime + repeat.intervalMs;
}

function explained({ explainedBy: causeId, now }: Present): Duty | null {
  if (causeId === '0') return null;
  return { do: 'wait', until: now + EXPLAINED_MS, reason: `EXPLAINED ${causeId}`, causeId };
}

function tooMuch(present: Present): Duty | null {
  const { now, allowedAt } = present;
  if (allowedAt > now) return { do: 'wait', until: allowedAt, reason: 'RATE_LIMIT' };
  return full(present);
}

function full({ now, isFull }: Present): Duty | null {
  return isFull ? { do: 'wait', until: now + FULL_MS, reason: 'TOO_MUCH' } : null;
}
