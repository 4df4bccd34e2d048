import { Button } from '../../part/control/button.tsx';
import { Choice, TextField } from '../../part/control/field.tsx';
import { Loaded } from '../../part/loaded.tsx';
import { newDeviceWords } from '../../word/new-device.ts';
import { change, draft, EXAMPLES, made, newPoint, takeExample } from './draft.ts';
import { useDriver, usePlannedPoints, useProfiles } from './facts.ts';
import { PointFields } from './point-fields.tsx';

/** The profile: one that is there, or a new one with its points. */
export function KindStep() {
  const w = newDeviceWords().kind;
  const profiles = useProfiles();
  const { profileId } = draft.value;
  return (
    <>
      {'device' in made.value || 'profile' in made.value ? (
        <p class="quiet">{w.fixed}</p>
      ) : (
        <Loaded asked={profiles} rows={1}>
          {({ records }) => (
            <Choice
              label={w.profile}
              value={profileId}
              onChange={(id) => change({ profileId: id })}
              options={[
                ['', w.fresh],
                ...records.map(({ id, profileName }) => [id, profileName] as const),
              ]}
            />
          )}
        </Loaded>
      )}
      {profileId === '' ? <NewProfile /> : <ItsPoints />}
    </>
  );
}

/** What a profile that is there has. */
function ItsPoints() {
  const w = newDeviceWords().kind;
  const { points } = usePlannedPoints();
  if (points === null) return null;
  if (points.length === 0) return <p class="quiet">{w.empty}</p>;
  return (
    <p>
      {w.has} <bdi>{points.map(({ name }) => name).join(', ')}</bdi>
    </p>
  );
}

function NewProfile() {
  const w = newDeviceWords().kind;
  const { driverId, profileName, points } = draft.value;
  const driver = useDriver(driverId);
  const code = driver.data?.driverCode ?? '';
  return (
    <>
      <TextField
        label={w.name}
        hint={w.nameHint}
        value={profileName}
        onChange={(name) => change({ profileName: name })}
        autocomplete="off"
      />
      {points.map((point, index) => (
        <PointFields key={point.key} point={point} number={index + 1} />
      ))}
      <div class="row">
        <Button onPress={() => change({ points: [...points, newPoint()] })}>{w.addPoint}</Button>
        {EXAMPLES[code] && points.length === 0 && (
          <Button onPress={() => takeExample(code)}>{w.example(code)}</Button>
        )}
      </div>
    </>
  );
}
