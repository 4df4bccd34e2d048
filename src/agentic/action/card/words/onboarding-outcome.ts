import { moment, type Voice } from '../../../../kernel/sentence/voice.ts';
import type { DoneResult } from '../../kind/alarm-card.ts';
import type { OnboardingCard } from '../../kind/onboarding-card.ts';
import type { Around } from './firmware-outcome.ts';

const MAX_ENDPOINT = 64;

/** What is known of the onboarding of an endpoint, in one sentence. */
export function sayOnboarding(
  card: OnboardingCard,
  result: DoneResult | null,
  around: Around,
  voice: Voice,
): string {
  const { status, expiresAt, notes } = around;
  const endpoint = voice.text(card.endpoint, MAX_ENDPOINT);
  const device = voice.text(card.deviceName, 48);
  if (status === 'PENDING' || status === 'PARTIALLY_CONFIRMED') {
    const forWhom =
      status === 'PENDING'
        ? 'it waits for a human to confirm it'
        : 'one human confirmed it, it waits for another';
    return `Onboard ${endpoint}: ${onboardingWords(card, voice).join('. ')}. Not executed: ${forWhom} until ${moment(expiresAt)}.${notes}`;
  }
  if (status === 'REJECTED' || status === 'WITHDRAWN' || status === 'EXPIRED')
    return `${endpoint} was not onboarded: ${around.undone}. Nothing was changed.`;
  const id = result?.deviceId ?? null;
  return `${endpoint} became the endpoint of ${card.deviceId === null ? 'the new device ' : ''}${device}${id === null ? '' : ` (id ${id})`}, ${around.confirmed}. It can register from then on; that was not awaited.`;
}

/** What would be made, what is proved, and what it takes to undo it, one phrase each. */
export function onboardingWords(card: OnboardingCard, voice: Voice): string[] {
  const { proof, deviceId, endpointBefore, profileName, groupName, groupBefore } = card;
  const device = voice.text(card.deviceName, 48);
  const driver = voice.text(card.driverName, 48);
  const made =
    deviceId === null
      ? `it becomes the new device ${device} of the driver ${driver}, with ${profileName === null ? 'a new profile without points' : `the profile ${voice.text(profileName, 48)}`}`
      : `it becomes the endpoint of the device ${device} of the driver ${driver}`;
  const proved =
    proof === 'KEY'
      ? 'It proved the key of that device'
      : 'It proved no key; an administrator of the platform gave it to this tenant';
  return [
    made,
    ...(endpointBefore === null
      ? []
      : [`${voice.text(endpointBefore, MAX_ENDPOINT)}, which it had, is refused then`]),
    ...(groupName === null
      ? []
      : [
          groupBefore === null
            ? `It is put into the group ${voice.text(groupName, 48)}`
            : `It is moved from the group ${voice.text(groupBefore, 48)} to ${voice.text(groupName, 48)}`,
        ]),
    proved,
    deviceId === null
      ? 'There is no undo: a person deletes the device'
      : 'There is no undo: a person sets another endpoint',
  ];
}
