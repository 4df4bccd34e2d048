import type { ComponentChildren } from 'preact';

import type { Schemas } from '../app/client/operations.ts';
import { Facts } from '../app/part/page.tsx';
import { Amount, limitsOf } from '../app/part/value/amount.tsx';
import { Chip, type State } from '../app/part/value/mark.tsx';
import { actionState, deviceState } from '../app/part/value/state.ts';
import { Ago } from '../app/part/value/time.tsx';
import { reviewWords } from '../app/word/review.ts';
import { type Step, valueOf, type Write } from './action.ts';
import { PageLink } from './page-link.tsx';

/** The value of the point and the state of its device, with their times. */
type Present = {
  value: string | null;
  time: string | null;
  status: Write['deviceStatus'];
  offlineSince: string | null;
};

/** As far as it was asked for. */
export function presentOf(write: Write): Present {
  const { deviceStatus: status, offlineSince } = write.now ?? write;
  const time = write.now ? write.now.time : write.currentTime;
  return { value: valueOf(write), time, status, offlineSince };
}

export type WriteGiven = {
  write: Write;
  /** Of several writes. */
  number: number | null;
  step: Step | null;
  isOpen: boolean;
  /** What is known of the point and its device by now. */
  present?: Present;
  /** What the point had before. */
  children?: ComponentChildren;
};

/** One write: from what the point has now to what it would get, and what a person weighs. */
export function WriteCard({
  write,
  number,
  step,
  isOpen,
  present = presentOf(write),
  children,
}: WriteGiven) {
  const w = reviewWords();
  const { value, time, status, offlineSince } = present;
  return (
    <section class="panel">
      <header class="head">
        <h2>
          {number !== null && <span class="quiet">{number}. </span>}
          <bdi>{write.pointName}</bdi> · <bdi>{write.deviceName}</bdi>
        </h2>
        {step && step.status !== 'WAITING' && <Chip {...stepState(step.status)} />}
      </header>
      <p class="change">
        <span class="before">
          {value === null ? w.notKnown : <Amount value={value} unit={write.unit} />}
        </span>
        <span aria-hidden="true">→</span>
        <span class="hidden">{w.becomes}</span>
        <Amount value={write.proposedValue} unit={write.unit} class="large" />
      </p>
      {write.askedAs !== undefined && (
        <p>
          {w.askedAs} <bdi class="strong">{write.askedAs}</bdi>
        </p>
      )}
      {isOpen && write.currentValue !== null && write.currentValue !== value && (
        <p class="quiet">
          {w.was} <Amount value={write.currentValue} unit={write.unit} />
        </p>
      )}
      {step && step.status !== 'WAITING' && <p lang="en">{step.say}</p>}
      {children}
      <Facts
        of={[
          [w.facts.measured, time === null ? w.notKnown : <Ago at={time} />],
          [w.facts.limits, limitsOf({ ...write.limits, unit: write.unit })],
          [
            w.facts.device,
            <span class="row">
              <Chip {...deviceState(status)} />
              {status === 'offline' && offlineSince !== null && <Ago at={offlineSince} />}
            </span>,
          ],
          [
            w.facts.address,
            <PageLink to={`/devices/${write.deviceId}`}>
              <bdi class="cut">{write.deviceCode}</bdi> / <bdi class="cut">{write.pointCode}</bdi>
            </PageLink>,
          ],
          [w.facts.wire, write.wire && <Raw wire={write.wire} />],
        ]}
      />
      {write.wire && <WirePath wire={write.wire} />}
    </section>
  );
}

/** What is known of one of several writes. */
function stepState(status: Step['status']): State {
  const w = reviewWords().step;
  if (status === 'WAITING') return { tone: 'idle', shape: 'ring', word: w.waiting };
  if (status === 'UNDERWAY') return { tone: 'info', shape: 'half', word: w.underway };
  if (status === 'NOT_SENT') return { tone: 'idle', shape: 'bar', word: w.notSent };
  return actionState(status);
}

type Given = { wire: NonNullable<Schemas['Action']['wire']> };

const UNSCALED = 'raw × 1 + 0';

/** The value that the device gets, after scaling. */
function Raw({ wire: { raw, scaling } }: Given) {
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
function WirePath({ wire: { driver, settings } }: Given) {
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
