import { useAsk } from '../../client/ask.ts';
import { Choice, optionsOf } from '../../part/control/field.tsx';
import { devicesWords } from '../../word/devices.ts';

const MANY = { current: 1, size: 100 };

/** The driver and the profile that all devices of a table have; empty until they are chosen. */
export type Chosen = { driverId: string; profileId: string };

export const isChosen = ({ driverId, profileId }: Chosen): boolean =>
  driverId !== '' && profileId !== '';

export function OfTable({ of, onChange }: { of: Chosen; onChange(given: Chosen): void }) {
  const w = devicesWords();
  const drivers = useAsk('POST /manager/driver/list', { page: MANY });
  const profiles = useAsk('POST /manager/profile/list', { page: MANY });
  return (
    <div class="fields">
      <Choice
        label={w.driver}
        value={of.driverId}
        onChange={(driverId) => onChange({ ...of, driverId })}
        options={optionsOf(['', w.choose], drivers.data?.records, 'driverName')}
      />
      <Choice
        label={w.profile}
        value={of.profileId}
        onChange={(profileId) => onChange({ ...of, profileId })}
        options={optionsOf(['', w.choose], profiles.data?.records, 'profileName')}
      />
    </div>
  );
}
