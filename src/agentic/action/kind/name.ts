import type { AlarmCard } from './alarm-card.ts';

/** The kinds of what agents propose and a person confirms. */
export const KINDS = [
  'write',
  'plan',
  'firmware',
  'rule',
  'rule_change',
  'silence',
  'confirmation',
  'maintenance',
  'onboarding',
] as const;
export type KindName = (typeof KINDS)[number];

export const OF_ALARMS = {
  ADD_RULE: 'rule',
  CHANGE_RULE: 'rule_change',
  SILENCE: 'silence',
  CONFIRM: 'confirmation',
  MAINTENANCE: 'maintenance',
} as const satisfies Record<AlarmCard['does'], KindName>;

/** What tells the kinds of cards apart. */
export const kindOf = ({
  firmware,
  alarm,
  onboarding,
  steps,
}: {
  firmware: unknown;
  alarm: Pick<AlarmCard, 'does'> | null;
  onboarding: unknown;
  steps: readonly unknown[];
}): KindName => {
  if (firmware !== null) return 'firmware';
  if (alarm !== null) return OF_ALARMS[alarm.does];
  if (onboarding !== null) return 'onboarding';
  return steps.length > 0 ? 'plan' : 'write';
};
