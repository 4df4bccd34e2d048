import { livePresence, liveValue } from '../../client/live.ts';
import { Link } from '../../route/link.tsx';
import { reviewWords } from '../../word/proposal/review.ts';
import { Facts } from '../page.tsx';
import { Amount } from '../value/amount.tsx';
import { limitsOf } from '../value/limits.ts';
import { Chip } from '../value/mark.tsx';
import { deviceState } from '../value/state.ts';
import { Ago } from '../value/time.tsx';
import { type Step, valueOf, type Write } from './action.ts';
import { Hour } from './hour.tsx';
import { stepState } from './step-state.ts';
import { Raw, Way } from './wire.tsx';

type Given = {
  write: Write;
  /** Of several writes. */
  number: number | null;
  step: Step | null;
  isOpen: boolean;
};

/** One write: from what the point has now to what it would get, and what a person weighs. */
// oxlint-disable-next-line complexity
export function WriteCard({ write, number, step, isOpen }: Given) {
  const w = reviewWords();
  const live = liveValue(write.deviceId, write.pointId).value;
  const presence = livePresence(write.deviceId).value;
  const status = presence?.status ?? write.now?.deviceStatus ?? write.deviceStatus;
  const { offlineSince } = presence ?? write.now ?? write;
  const isFresh = live !== null && live.hasLatestValue && isOpen;
  const value = isFresh ? live.calValue : valueOf(write);
  const time = isFresh ? live.createTime : (write.now ?? { time: write.currentTime }).time;
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
      {isOpen && write.currentValue !== null && write.currentValue !== value && (
        <p class="quiet">
          {w.was} <Amount value={write.currentValue} unit={write.unit} />
        </p>
      )}
      {step && step.status !== 'WAITING' && <p lang="en">{step.say}</p>}
      {isOpen && <Hour write={write} />}
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
            <Link to={`/devices/${write.deviceId}`}>
              <bdi class="cut">{write.deviceCode}</bdi> / <bdi class="cut">{write.pointCode}</bdi>
            </Link>,
          ],
          [w.facts.wire, write.wire && <Raw wire={write.wire} />],
        ]}
      />
      {write.wire && <Way wire={write.wire} />}
    </section>
  );
}
