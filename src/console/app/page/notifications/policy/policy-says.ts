import { policiesWords } from '../../../word/policies.ts';
import { timeWords } from '../../../word/state.ts';
import { type BindContent, MINUTE_MS, type PolicyContent, type Step } from './content.ts';
import { rotaText, zonedText } from './hours-text.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What a policy does, beside its content. */
type Policy = {
  notifyInterval: number;
  autoConfirmFlag: 'AUTO' | 'MANUAL';
  content: PolicyContent;
  nameOf(channelId: string): string;
};

/** In the largest unit that says it exactly. */
function time(ms: number): string {
  const w = timeWords();
  if (ms % MINUTE_MS !== 0) return w.s(ms / SECOND_MS);
  if (ms % HOUR_MS !== 0) return w.min(ms / MINUTE_MS);
  return ms % DAY_MS === 0 ? w.d(ms / DAY_MS) : w.h(ms / HOUR_MS);
}
const sentences = (texts: readonly unknown[]): string =>
  texts.filter((text) => typeof text === 'string' && text !== '').join(' ');

/** What a policy does, in sentences. */
export function saysOf({ notifyInterval, autoConfirmFlag, content, nameOf }: Policy): string {
  const w = policiesWords().says;
  const { recovery, silence, alarmTypes = [], escalation = [] } = content;
  const types = alarmTypes.flatMap((type) => (type === 'RULE' ? [] : [w.type[type]]));
  const windows = silence?.enabled === false ? [] : (silence?.windows ?? []);
  return sentences([
    ...oftenOf(content, notifyInterval),
    recovery?.enabled === false || recovery?.sendRecoveryMessage === false
      ? w.noRecovery
      : w.recovery,
    windows.length > 0 && w.quiet(zonedText(windows)),
    ...togetherOf(content),
    autoConfirmFlag === 'AUTO' && w.confirms,
    types.length > 0 && w.types(types.join(', ')),
    ...escalation.map((step, index) => stepOf(step, index + 1, nameOf)),
    escalation.length > 0 && content.pauseWhileActing && w.pauses,
  ]);
}

/** How often an alarm is sent. */
function oftenOf({ rateLimit, repeat }: PolicyContent, notifyInterval: number): unknown[] {
  const w = policiesWords().says;
  return [
    rateLimit
      ? w.limit(rateLimit.maxCount ?? 1, time(rateLimit.intervalMs))
      : notifyInterval > 0 && w.limit(1, time(notifyInterval)),
    repeat?.enabled && w.repeat(time(repeat.intervalMs ?? HOUR_MS), repeat.maxTimes ?? 24),
  ];
}

/** How several alarms become one message. */
function togetherOf({ grouping, digest, flood }: PolicyContent): unknown[] {
  const w = policiesWords();
  return [
    grouping &&
      w.says.grouping(
        time(grouping.waitMs ?? 30_000),
        (grouping.by ?? []).map((each) => w.by[each].toLowerCase()).join(', '),
      ),
    digest &&
      w.says.digest(
        digest.levels.join(', '),
        digest.at?.join(', ') ?? null,
        time(digest.everyMs ?? 0),
      ),
    flood && w.says.flood(flood.count, time(flood.perMs)),
  ];
}

function stepOf(
  { afterMs, onFailure = false, channels, levels = [], onCall }: Step,
  number: number,
  nameOf: Policy['nameOf'],
): string {
  const w = policiesWords().says;
  const names = channels.map(nameOf).join(', ') || '…';
  const what = w.step(names, afterMs === undefined ? null : time(afterMs), onFailure);
  return w.ofStep(number, levels.join(', '), what, onCall ? rotaText(onCall) : '');
}

/** When a channel of a policy gets alarms, in sentences. */
export function bindSays({
  levels = [],
  sendRecovery = true,
  rateLimitOverrideMs: limit,
  onCall,
  quiet,
}: BindContent): string {
  const w = policiesWords().says;
  const isQuiet = quiet !== undefined && quiet.windows.length > 0;
  const through = (quiet?.through ?? []).join(', ');
  return sentences([
    levels.length > 0 && w.levels(levels.join(', ')),
    !sendRecovery && w.noRecovery,
    limit !== undefined && limit > 0 && w.limit(1, time(limit)),
    onCall && w.onCall(rotaText(onCall)),
    isQuiet && (through === '' ? w.quiet : w.quietBut)(zonedText(quiet.windows), through),
  ]);
}
