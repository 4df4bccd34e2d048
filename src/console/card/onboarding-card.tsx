import { Facts } from '../app/part/page.tsx';
import { onboardingCardWords } from '../app/word/onboarding-card.ts';
import type { Action } from './action.ts';
import { PageLink } from './page-link.tsx';

type Given = { action: Pick<Action, 'result'>; onboarding: NonNullable<Action['onboarding']> };

/** Which device an endpoint that waits becomes, what it proved, and what it takes to take that back. */
export function OnboardingCard({ action: { result }, onboarding: card }: Given) {
  const w = onboardingCardWords();
  const { deviceId, endpoint } = card;
  const isNew = deviceId === null;
  const id = deviceId ?? result?.deviceId;
  const place = id ? `/devices/${id}` : `/devices/waiting?endpoint=${encodeURIComponent(endpoint)}`;
  return (
    <section class="panel">
      <h2>{w.title}</h2>
      <Facts
        of={[
          [w.endpoint, <bdi class="strong">{endpoint}</bdi>],
          [
            w.device,
            <>
              <bdi class="strong">{card.deviceName}</bdi> {isNew && `(${w.fresh})`}
            </>,
          ],
          [w.driver, <bdi>{card.driverName}</bdi>],
          [w.profile, isNew && <bdi>{card.profileName ?? w.noProfile}</bdi>],
          [w.group, card.groupName !== null && <bdi>{card.groupName}</bdi>],
          [w.groupBefore, card.groupBefore !== null && <bdi>{card.groupBefore}</bdi>],
          [w.before, card.endpointBefore !== null && <bdi>{card.endpointBefore}</bdi>],
          [w.proof, w.proofs[card.proof]],
        ]}
      />
      <p>
        {w.undo} <PageLink to={place}>{id ? w.device : w.waiting}</PageLink>
      </p>
    </section>
  );
}
