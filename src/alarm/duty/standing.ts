import type { Selectable } from 'kysely';

import type { NotifyLedgerTable } from '../../db/schema/alarm.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { AlarmLevel, ConfirmFlag } from '../kind/alarm.ts';
import { Known } from '../kind/delivery-status.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import type { Present, Standing } from './duty.ts';
import type { Alarm } from './of-alarm.ts';

/** A row of the ledger: what one channel knows of one alarm. */
export type Entry = Selectable<NotifyLedgerTable>;

export const standingOf = (
  { knownFlag, knownTime, firedCount, dueTime, levelFlag, confirmKnown, unanswered }: Entry,
  sending: Standing['sending'],
): Standing => ({
  known: nameOf(Known, knownFlag),
  knownTime: knownTime?.getTime() ?? null,
  firedCount,
  confirmKnown,
  mayKnow: unanswered,
  sentLevel: levelFlag === null ? undefined : nameOf(AlarmLevel, levelFlag),
  sending,
  repeatAt: dueTime?.getTime() ?? null,
});

/** What an alarm says of itself; `muted`: the end of the last time that muted it for its policy (ms). */
export const presentOf = (
  alarm: Alarm,
  muted: number | null,
): Pick<Present, 'state' | 'since' | 'stepsFrom' | 'isConfirmed' | 'level'> => {
  const { state, since } = stateOf(alarm);
  return {
    state,
    since,
    stepsFrom: Math.max(since, muted ?? 0),
    isConfirmed: alarm.confirmFlag === ConfirmFlag.CONFIRMED,
    level: levelOf(alarm),
  };
};

export const levelOf = ({
  alarmLevelFlag,
}: Pick<Alarm, 'alarmLevelFlag'>): keyof typeof AlarmLevel => nameOf(AlarmLevel, alarmLevelFlag);

function stateOf({
  stateFlag,
  lastRecoverTime,
  operateTime,
  createTime,
}: Alarm): Pick<Present, 'state' | 'since'> {
  if (stateFlag === null) return { state: null, since: createTime.getTime() };
  return stateFlag === RuleStatus.FIRING
    ? { state: 'FIRING', since: createTime.getTime() }
    : { state: 'OVER', since: (lastRecoverTime ?? operateTime).getTime() };
}
