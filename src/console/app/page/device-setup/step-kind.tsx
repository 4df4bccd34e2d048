import { bounds } from '../../client/bounds.ts';
import { Button } from '../../part/control/button.tsx';
import { Choice, optionsIn, optionsOf, TextField } from '../../part/control/field.tsx';
import { Loaded } from '../../part/control/loaded.tsx';
import { newDeviceWords } from '../../word/new-device.ts';
import { change, draft, EXAMPLES, made, type NewPoint, newPoint, takeExample } from './draft.ts';
import { useDriver, usePlannedPoints, useProfiles } from './facts.ts';

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
              options={optionsOf(['', w.fresh], records, 'profileName')}
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

const { pointTypeFlag, rwFlag } = bounds['POST /manager/point/add'];

/** A point of the new profile; one that was made is shown alone. */
function PointFields({ point, number }: { point: NewPoint; number: number }) {
  const w = newDeviceWords().point;
  const { points } = draft.value;
  const set = (given: Partial<NewPoint>): void =>
    change({ points: points.map((each) => (each === point ? { ...each, ...given } : each)) });
  if (point.key in made.value)
    return (
      <p>
        <bdi class="strong">{point.name}</bdi> <span class="quiet">{w.made}</span>
      </p>
    );
  return (
    <fieldset class="panel">
      <legend>{w.title(number)}</legend>
      <div class="fields">
        <TextField
          label={w.name}
          value={point.name}
          onChange={(name) => set({ name })}
          autocomplete="off"
        />
        <Choice
          label={w.type}
          value={point.type}
          onChange={(type) => set({ type })}
          options={optionsIn(pointTypeFlag.values, w.types)}
        />
        <Choice
          label={w.access}
          value={point.rw}
          onChange={(rw) => set({ rw })}
          options={optionsIn(rwFlag.values, w.accesses)}
        />
        <TextField
          label={w.unit}
          value={point.unit}
          onChange={(unit) => set({ unit })}
          autocomplete="off"
        />
      </div>
      <div class="row">
        <Button
          label={w.removeThis(number)}
          onPress={() => change({ points: points.filter((each) => each !== point) })}
        >
          {w.remove}
        </Button>
      </div>
    </fieldset>
  );
}
