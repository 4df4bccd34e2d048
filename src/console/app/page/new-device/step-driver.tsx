import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { newDeviceWords } from '../../word/new-device.ts';
import { change, draft, made } from './draft.ts';
import { useDrivers } from './facts.ts';

/** By what the device speaks. */
export function DriverStep() {
  const w = newDeviceWords();
  const drivers = useDrivers();
  const isFixed = 'device' in made.value;
  return (
    <Loaded asked={drivers}>
      {({ records }) =>
        records.length === 0 ? (
          <Empty title={w.driver.none} />
        ) : (
          <fieldset class="choices">
            <legend class="hidden">{w.step.driver}</legend>
            {records.map(({ id, driverName, driverCode, remark }) => (
              <label key={id} class="check">
                <input
                  type="radio"
                  name="driver"
                  checked={draft.value.driverId === id}
                  disabled={isFixed}
                  onChange={() => pick(id)}
                />
                <span>
                  <bdi>{driverName}</bdi>
                  <small class="quiet">{saidOf(driverCode) ?? <bdi>{remark}</bdi>}</small>
                </span>
              </label>
            ))}
          </fieldset>
        )
      }
    </Loaded>
  );
}

/** What is known here of the drivers that come with the platform. */
function saidOf(driverCode: string): string | undefined {
  const { lwm2m, virtual } = newDeviceWords().driver;
  return new Map([
    ['Lwm2mDriver', lwm2m],
    ['VirtualDriver', virtual],
  ]).get(driverCode);
}

/** Attributes are of one driver: what was entered for another is of no use. */
function pick(driverId: string): void {
  change({ driverId, ofDevice: {}, ofPoints: {} });
}
