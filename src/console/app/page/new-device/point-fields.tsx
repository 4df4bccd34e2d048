import { Button } from '../../part/control/button.tsx';
import { Choice, TextField } from '../../part/control/field.tsx';
import { newDeviceWords } from '../../word/new-device.ts';
import { change, draft, made, type NewPoint } from './draft.ts';

const TYPES = ['DOUBLE', 'FLOAT', 'LONG', 'INT', 'SHORT', 'BYTE', 'BOOLEAN', 'STRING'] as const;
const ACCESS = ['READ_ONLY', 'READ_WRITE', 'WRITE_ONLY'] as const;

/** A point of the new profile; one that was made is shown alone. */
export function PointFields({ point, number }: { point: NewPoint; number: number }) {
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
          onChange={(given) => set({ type: TYPES.find((type) => type === given) ?? 'DOUBLE' })}
          options={TYPES.map((type) => [type, w.types[type]] as const)}
        />
        <Choice
          label={w.access}
          value={point.rw}
          onChange={(given) => set({ rw: ACCESS.find((rw) => rw === given) ?? 'READ_ONLY' })}
          options={ACCESS.map((rw) => [rw, w.accesses[rw]] as const)}
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
