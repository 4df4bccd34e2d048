import { Link } from '../../route/link.tsx';
import { firmwareCardWords } from '../../word/proposal/firmware.ts';
import { reviewWords } from '../../word/proposal/review.ts';
import { Facts } from '../page.tsx';
import { Chip } from '../value/mark.tsx';
import { deviceState } from '../value/state.ts';
import type { Action } from './action.ts';

type Given = { action: Action; call: NonNullable<Action['call']> };

/** A command of a device that would be called, with its parameters. */
export function CallCard({ action, call }: Given) {
  const { facts } = reviewWords();
  return (
    <section class="panel">
      <h2>
        {firmwareCardWords().call} <bdi>{call.commandName}</bdi> · <bdi>{action.deviceName}</bdi>
      </h2>
      <Facts
        of={[
          ...call.parameters.map(
            ({ name, value, unit }) =>
              [
                name,
                <span>
                  <bdi class="strong">{value}</bdi> {unit}
                </span>,
              ] as const,
          ),
          [facts.device, <Chip {...deviceState(action.deviceStatus)} />],
          [
            facts.address,
            <Link to={`/devices/${action.deviceId}`}>
              <bdi class="cut">{action.deviceCode}</bdi> / <bdi class="cut">{call.commandCode}</bdi>
            </Link>,
          ],
        ]}
      />
    </section>
  );
}
