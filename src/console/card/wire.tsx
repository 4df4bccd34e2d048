import type { Schemas } from '../app/client/operations.ts';
import { Facts } from '../app/part/page.tsx';
import { reviewWords } from '../app/word/proposal/review.ts';

type Given = { wire: NonNullable<Schemas['Action']['wire']> };

const UNSCALED = 'raw × 1 + 0';

/** The value that the device gets, after scaling. */
export function Raw({ wire: { raw, scaling } }: Given) {
  const w = reviewWords().wire;
  if (raw === null) return <span class="danger">{w.none}</span>;
  const isScaled = scaling !== '' && scaling !== UNSCALED;
  return (
    <>
      <bdi class="strong tabular">{raw}</bdi>{' '}
      {isScaled && <small class="quiet">{w.scaled(scaling)}</small>}
    </>
  );
}

/** By which driver it is sent, and to which place on the device. */
export function WirePath({ wire: { driver, settings } }: Given) {
  const w = reviewWords().wire;
  return (
    <details>
      <summary>{w.way}</summary>
      <Facts
        of={[
          [w.driver, <bdi>{driver}</bdi>],
          ...settings.map(({ name, value }) => [name, <bdi>{value ?? w.secret}</bdi>] as const),
        ]}
      />
    </details>
  );
}
