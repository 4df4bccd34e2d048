import { Button } from '../../../part/control/button.tsx';
import { Check, Checks, TextField } from '../../../part/control/field.tsx';
import { policiesWords } from '../../../word/policies.ts';
import type { Rota, Window } from './content.ts';
import { ListField } from './entered.tsx';
import { ALL_DAYS, dayName, hoursText, zoneOfPlant } from './hours-text.ts';

const WORKDAYS: Window = { start: '08:00', end: '17:00', daysOfWeek: [1, 2, 3, 4, 5] };
const NIGHT: Window = { start: '22:00', end: '06:00' };
const ZONES = 'zones';

/** The names of time zones, once for all fields of a dialog. */
export const Zones = () => (
  <datalist id={ZONES}>
    {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
      <option key={zone} value={zone} />
    ))}
  </datalist>
);

type ZoneGiven = { value: string | undefined; onChange(zone: string): void };

const Zone = ({ value = 'UTC', onChange }: ZoneGiven) => (
  <TextField label={policiesWords().zone} list={ZONES} value={value} onChange={onChange} />
);

type Given = {
  windows: readonly Window[];
  onChange(windows: Window[]): void;
  /** Each has a time zone. */
  isZoned?: boolean;
};

/** Weekly hours: any number of them. */
export function Windows({ windows, onChange, isZoned = false }: Given) {
  const w = policiesWords();
  const first = isZoned ? { ...NIGHT, timezone: zoneOfPlant() } : WORKDAYS;
  const put = (at: number, part: Partial<Window>): void =>
    onChange(windows.map((each, index) => (index === at ? { ...each, ...part } : each)));
  return (
    <>
      {windows.map((window, index) => (
        <div
          key={`${windows.length} ${index}`}
          class="panel"
          role="group"
          aria-label={hoursText([window])}
        >
          <div class="fields">
            <TextField
              label={w.from}
              type="time"
              value={window.start}
              onChange={(start) => put(index, { start })}
            />
            <TextField
              label={w.to}
              type="time"
              value={window.end}
              onChange={(end) => put(index, { end })}
            />
            {isZoned && (
              <Zone value={window.timezone} onChange={(timezone) => put(index, { timezone })} />
            )}
          </div>
          <div class="row" role="group" aria-label={w.days}>
            <small class="quiet">{w.days}</small>
            <Checks
              value={(window.daysOfWeek ?? []).map(String)}
              onChange={(days) =>
                put(index, { daysOfWeek: ALL_DAYS.filter((day) => days.includes(String(day))) })
              }
              options={ALL_DAYS.map((day) => [String(day), dayName(day)] as const)}
            />
            <div class="actions">
              <Button
                kind="quiet"
                label={w.remove(hoursText([window]))}
                onPress={() => onChange(windows.filter((_, at) => at !== index))}
              >
                ✕
              </Button>
            </div>
          </div>
        </div>
      ))}
      <div class="row">
        <Button onPress={() => onChange([...windows, windows.at(-1) ?? first])}>
          {w.addHours}
        </Button>
      </div>
    </>
  );
}

type RotaGiven = {
  label: string;
  rota: Rota | undefined;
  onChange(rota: Rota | undefined): void;
};

/** The hours in which a channel is on call, and those on holidays. */
export function RotaFields({ label, rota, onChange }: RotaGiven) {
  const w = policiesWords();
  const { holidays } = rota ?? {};
  return (
    <>
      <Check
        label={label}
        value={rota !== undefined}
        onChange={(isOn) =>
          onChange(isOn ? { timezone: zoneOfPlant(), windows: [WORKDAYS] } : undefined)
        }
      />
      {rota && (
        <>
          <Zone value={rota.timezone} onChange={(timezone) => onChange({ ...rota, timezone })} />
          <Windows windows={rota.windows} onChange={(windows) => onChange({ ...rota, windows })} />
          <ListField
            label={w.holidays}
            hint={w.holidaysHint}
            value={holidays?.dates ?? []}
            onChange={(dates) =>
              onChange({
                ...rota,
                holidays: dates.length === 0 ? undefined : { ...holidays, dates },
              })
            }
          />
          {holidays && (
            <fieldset>
              <legend>{w.holidayHours}</legend>
              <Windows
                windows={holidays.windows ?? []}
                onChange={(windows) => onChange({ ...rota, holidays: { ...holidays, windows } })}
              />
            </fieldset>
          )}
        </>
      )}
    </>
  );
}
