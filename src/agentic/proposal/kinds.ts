import type { Card } from '../action/card/card.ts';
import { kindOf, type KindName, OF_ALARMS } from '../action/kind/name.ts';
import { type AlarmAsk, makeAlarm } from './alarm-maker.ts';
import { alarmKinds } from './alarm.ts';
import { makeRollout, type RolloutAsk } from './firmware-maker.ts';
import { firmware } from './firmware.ts';
import type { Kind, Made, Making } from './kind.ts';
import { makeOnboarding, onboarding, type OnboardingAsk } from './onboarding.ts';
import { makeWrites, plan, type Write, write } from './write.ts';

/** Every kind of action: a way to change a device that is not here is none that an agent can ask for. */
export const kinds: Readonly<Record<KindName, Kind>> = {
  write,
  plan,
  firmware,
  ...alarmKinds,
  onboarding,
};

export const kindFor = (card: Card): Kind => kinds[kindOf(card)];

/** What an agent asks for: one write, several as one, a roll-out, something of alarms, or an onboarding. */
export type Asked =
  | Write
  | { writes: readonly Write[] }
  | { rollout: RolloutAsk }
  | { alarm: AlarmAsk }
  | { onboarding: OnboardingAsk };

/** Of what was asked: its kind, the arguments that an idempotency key covers, and how its card is made. */
export function askedOf(asked: Asked): {
  kind: Kind;
  given: readonly unknown[];
  make(making: Making): Promise<Made>;
} {
  if ('rollout' in asked) {
    const { rollout } = asked;
    return { kind: firmware, given: [rollout], make: (making) => makeRollout(making, rollout) };
  }
  if ('alarm' in asked) {
    const { alarm } = asked;
    // The same proposal later is tried on other values, and its rule may have been changed by it.
    const isChange = alarm.does === 'CHANGE_RULE';
    const given = [{ ...alarm, ...(isChange && { basis: '' }), backtest: null }];
    return {
      kind: alarmKinds[OF_ALARMS[alarm.does]],
      given,
      make: (making) => makeAlarm(making, alarm),
    };
  }
  if ('onboarding' in asked) {
    const ask = asked.onboarding;
    return { kind: onboarding, given: [ask], make: (making) => makeOnboarding(making, ask) };
  }
  const writes = 'writes' in asked ? asked.writes : [asked];
  return {
    kind: writes.length === 1 ? write : plan,
    given: writes.flatMap(({ deviceId, pointId, value }) => [deviceId, pointId, value]),
    make: (making) => makeWrites(making, writes),
  };
}
