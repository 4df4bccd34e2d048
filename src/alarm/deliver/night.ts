import type { Outcome } from '../channel/delivery/channel.ts';
import { type Duty, dutyOf, type Present, type Standing, type Terms } from '../duty/duty.ts';
import { amongOthers } from '../duty/escalation.ts';
import { type Due, gatheringOf, type GroupReason } from '../duty/group.ts';
import { muteAfter, muteEnd } from '../duty/held.ts';
import { allowedFrom } from '../duty/recent.ts';
import { type Bound, termsOf } from '../duty/terms.ts';
import { rateOf } from '../duty/wants.ts';
import type { AlarmLevel } from '../kind/alarm.ts';
import { type DeliveryStatus, MAX_TRIES, type NoticeEvent } from '../kind/delivery-status.ts';
import { verdictOn } from './deliver.ts';
import { repeatAfter } from './delivered.ts';
import { besideOf, type Mute, mutedUntil, reportEnd } from './night-beside.ts';

/** How the receiver of a channel answers what is sent at a time (ms), and after how long. */
export type Receiver = { answerMs: number; answers(at: number): Outcome };

/** An alarm that is raised at `fires`, and what becomes of it; times in ms. */
export type Night = {
  notify: Omit<Terms, 'bind' | 'channelId' | 'acknowledges'>;
  /** Those of the policy that want alarms of this level. */
  channels: readonly Bound[];
  level: keyof typeof AlarmLevel;
  /** What its policy may group alarms by. */
  place: { device: string; driver: string; rule: string };
  fires: number;
  confirmed: number | null;
  over: number | null;
  /** Maintenances that mute its place, whether they began or are planned. */
  mutes: readonly Mute[];
  /** Looked at until then. */
  until: number;
  receiverOf(channelId: string): Receiver;
};

/** A message to a channel; `taken` is null where its receiver does not take it by then. */
export type Message = {
  channelId: string;
  event: NoticeEvent;
  isReminder: boolean;
  note: string;
  /** Why it waited to go out with others; empty: it did not. */
  waited: GroupReason | '';
  at: number;
  taken: number | null;
  tries: number;
};

/** Where a channel stands at the end; `waits` is empty where nothing is missing. */
export type Stand = { channelId: string; known: Standing['known']; waits: string };

type Sent = { message: Message; status: DeliveryStatus; retries: number; nextAt: number };
type Entry = {
  channelId: string;
  terms: Terms;
  bound: Bound;
  standing: Omit<Standing, 'sending' | 'repeatAt'>;
  sent: Sent | null;
  dueAt: number | null;
  failures: number;
  reason: string;
  isCalled: boolean;
  isEnded: boolean;
  /** The wait for others that it is in, and why. */
  waits: Due['waits'] & { reason: GroupReason | '' };
  /** When messages about the firing were written, the newest first. */
  fired: number[];
  /** When any were. */
  written: number[];
  /** When reports were that another channel does not know of the alarm. */
  reported: number[];
};

const NOT_WAITING: Entry['waits'] = { key: '', time: null, reason: '' };

const MAX_LOOKS = 20_000;

/**
 * What the ledger and the dispatcher would do about one alarm, by the duties that the ledger carries out; other alarms,
 * and what their messages add to a flood, are left out.
 */
export async function simulate(night: Night): Promise<{ messages: Message[]; stands: Stand[] }> {
  const messages: Message[] = [];
  const entries = night.channels.map((bound) => entryOf(night, bound));
  const running: Running = { night, entries, messages, muted: null };
  let now = night.fires;
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    if (now === night.confirmed || now === night.over)
      for (const entry of entries) if (!entry.isEnded) entry.dueAt = now;
    while (entries.some((entry) => isDue(entry, now) || isSending(entry, now))) {
      if (entries.some((entry) => isDue(entry, now))) await attendAll(running, now);
      for (const entry of entries) if (isSending(entry, now)) deliver(night, entries, entry, now);
    }
    const next = nextOf(night, entries, now);
    if (next === null || next > night.until) break;
    now = next;
  }
  const stands = entries.map(({ channelId, standing: { known }, reason }) => ({
    channelId,
    known,
    waits: reason,
  }));
  return { messages, stands };
}

const entryOf = ({ notify, fires }: Night, bound: Bound): Entry => ({
  channelId: bound.id,
  terms: termsOf(notify, bound),
  bound,
  standing: {
    known: 'NOTHING',
    knownTime: null,
    firedCount: 0,
    confirmKnown: false,
    mayKnow: false,
  },
  sent: null,
  dueAt: fires,
  failures: 0,
  reason: '',
  isCalled: true,
  isEnded: false,
  waits: NOT_WAITING,
  fired: [],
  written: [],
  reported: [],
});

const isDue = ({ isEnded, dueAt }: Entry, now: number): boolean =>
  !isEnded && dueAt !== null && dueAt <= now;
const isUnderWay = ({ status }: Sent): boolean => status !== 'FAILED';
const isSending = ({ sent }: Entry, now: number): boolean =>
  sent !== null && isUnderWay(sent) && sent.nextAt <= now;

function nextOf({ confirmed, over }: Night, entries: readonly Entry[], now: number): number | null {
  const times = entries.flatMap(({ isEnded, dueAt, sent }) => [
    ...(isEnded || dueAt === null ? [] : [dueAt]),
    ...(sent && isUnderWay(sent) ? [sent.nextAt] : []),
  ]);
  const events = [confirmed, over].filter((at) => at !== null && at > now);
  const all = [...times, ...events].filter((at) => at !== null);
  return all.length === 0 ? null : Math.min(...all);
}

type Running = {
  night: Night;
  entries: readonly Entry[];
  messages: Message[];
  /** Until when its policy is kept from sending the alarm, or was last. */
  muted: number | null;
};

async function attendAll(running: Running, now: number): Promise<void> {
  const { night, entries, messages } = running;
  const place = { now, silencedUntil: null, mutedUntil: mutedUntil(night.mutes, now) };
  running.muted = muteAfter(running.muted, muteEnd(night.notify, place), now);
  const stepsFrom = Math.max(night.fires, running.muted ?? 0);
  const reached = entries.map(({ bound, standing, failures }) => ({
    ...bound,
    knows: standing.known !== 'NOTHING',
    isUnreached: standing.known === 'NOTHING' && failures > 0,
  }));
  for (const entry of entries) {
    if (entry.isEnded) continue;
    const { terms, standing, sent, dueAt } = entry;
    const present: Present = {
      ...place,
      ...stateOf(night, now),
      stepsFrom,
      isConfirmed: night.confirmed !== null && night.confirmed <= now,
      level: night.level,
      isAcknowledged: false,
      isActing: false,
      explainedBy: '0',
      isFull: false,
      allowedAt: allowedFrom(entry.fired, rateOf(terms), now),
      ...amongOthers(terms, { level: night.level, now }, reached),
    };
    const sending = sent && sendingOf(sent);
    const duty = dutyOf(terms, { ...standing, sending, repeatAt: dueAt }, present);
    const message = await carryOut(night, entry, duty, now);
    if (message) messages.push(message);
  }
}

const stateOf = ({ over, fires }: Night, now: number): Pick<Present, 'state' | 'since'> =>
  over !== null && over <= now ? { state: 'OVER', since: over } : { state: 'FIRING', since: fires };

const sendingOf = ({ message: { event, isReminder }, status }: Sent): Standing['sending'] => ({
  event,
  isReminder,
  status,
});

/** What becomes of a message under way; null: it is forgotten. */
function sentAfter(entry: Entry, sent: Sent, duty: Duty, now: number): Sent | null {
  if ('drops' in duty && duty.drops && sent.status !== 'SENT') sent.status = 'FAILED';
  if (duty.do === 'repeat')
    return { ...sent, status: 'RETRY', retries: MAX_TRIES - 1, nextAt: now };
  if (duty.do !== 'wait' || !duty.forgets) return sent;
  entry.failures = 0;
  return null;
}

/** As the ledger does; the message that is written, if one is. */
async function carryOut(
  night: Night,
  entry: Entry,
  duty: Duty,
  now: number,
): Promise<Message | null> {
  const { sent, waits } = entry;
  entry.isCalled = !('isCalled' in duty);
  entry.waits = NOT_WAITING;
  entry.dueAt = duty.do === 'wait' ? duty.until : null;
  const isSaid = duty.do === 'end' || (duty.do === 'wait' && sent === null);
  if ('reason' in duty && (isSaid || duty.reason !== '')) entry.reason = duty.reason;
  if (duty.do === 'end') entry.isEnded = true;
  if (sent) entry.sent = sentAfter(entry, sent, duty, now);
  if (duty.do !== 'send') return null;
  const { event, isReminder, note = '' } = duty;
  const { level, place } = night;
  const due = { event, isReminder, level, parts: { ...place, level }, waits };
  const beside = besideOf(entry.written, waits, now);
  const gathering = entry.bound.isPager ? null : await gatheringOf(entry.terms, due, beside, now);
  if (gathering) {
    const { key, until, reason, ends = until } = gathering;
    entry.sent = null;
    entry.waits = { key, time: ends, reason };
    entry.dueAt = until;
    entry.reason = reason;
    return null;
  }
  const message: Message = {
    channelId: entry.channelId,
    event,
    isReminder,
    note,
    waited: waits.reason,
    at: now,
    taken: null,
    tries: 0,
  };
  entry.sent = { message, status: 'PENDING', retries: 0, nextAt: now };
  entry.failures = 0;
  entry.reason = '';
  entry.written.unshift(now);
  if (event === 'FIRED') entry.fired.unshift(now);
  return message;
}

/** As the dispatcher does: the receiver gets the message, and answers later. */
function deliver(night: Night, entries: readonly Entry[], entry: Entry, now: number): void {
  const { sent } = entry;
  if (!sent) return;
  const { answerMs, answers } = night.receiverOf(entry.channelId);
  if (sent.status !== 'SENT' && answerMs > 0) {
    sent.status = 'SENT';
    sent.nextAt = now + answerMs;
    return;
  }
  sent.message.tries += 1;
  const outcome = answers(sent.status === 'SENT' ? now - answerMs : now);
  const verdict = verdictOn(outcome, { retryCount: sent.retries, now, jitter: 0 });
  if (verdict.status === 'SUCCESS') return succeed(entry, sent, now);
  sent.status = verdict.status;
  sent.retries = verdict.retryCount;
  if (outcome.status !== 'delivered') entry.reason = outcome.reason;
  if (verdict.nextTry !== null) {
    sent.nextAt = verdict.nextTry;
    return;
  }
  entry.failures += 1;
  const isReported = stateOf(night, now).state === 'FIRING' && entry.standing.known === 'NOTHING';
  if (entry.failures === 1 && isReported)
    reportEnd(
      entries.filter(({ standing }) => standing.known !== 'NOTHING'),
      night,
      now,
    );
  if (outcome.status !== 'refused') entry.dueAt = now + repeatAfter(entry.failures);
  if (entry.failures > 1) return;
  for (const other of entries) if (!other.isCalled && !other.isEnded) other.dueAt = now;
}

function succeed(entry: Entry, { message }: Sent, now: number): void {
  const isFiring = message.event === 'FIRED';
  message.taken = now;
  entry.standing = {
    known: isFiring ? 'FIRING' : 'OVER',
    knownTime: now,
    firedCount: entry.standing.firedCount + (isFiring ? 1 : 0),
    confirmKnown: false,
    mayKnow: false,
  };
  entry.sent = null;
  entry.failures = 0;
  entry.reason = '';
  entry.dueAt = now;
}
