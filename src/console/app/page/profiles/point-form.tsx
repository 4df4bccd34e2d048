import { bounds } from '../../client/bounds.ts';
import type { Schemas } from '../../client/operations.ts';
import { announce } from '../../part/announce.tsx';
import { withPoint } from '../../part/control/decimal.ts';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Check, Choice, optionsIn, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { newDeviceWords } from '../../word/new-device.ts';
import { profilesWords } from '../../word/profiles.ts';

type Point = Schemas['Point'];
type Given = {
  profileId: string;
  /** The one that is changed; null for a new one. */
  point: Point | null;
  /** Devices that have it; null where they cannot be counted. */
  reach: number | null;
  changed(): void;
  onClose(): void;
};

const { pointTypeFlag, rwFlag } = bounds['POST /manager/point/add'];

type Of = Pick<
  Point,
  | 'pointName'
  | 'pointTypeFlag'
  | 'rwFlag'
  | 'unit'
  | 'minValue'
  | 'maxValue'
  | 'valueDecimal'
  | 'multiple'
  | 'baseValue'
  | 'deadband'
  | 'remark'
  | 'enableFlag'
>;
/** As the platform has a point of which nothing is given. */
const NEW: Of = {
  pointName: '',
  pointTypeFlag: 'DOUBLE',
  rwFlag: 'READ_ONLY',
  unit: '',
  minValue: null,
  maxValue: null,
  valueDecimal: 6,
  multiple: 1,
  baseValue: 0,
  deadband: null,
  remark: '',
  enableFlag: 'ENABLE',
};

const isNumeric = (type: Point['pointTypeFlag']): boolean =>
  type !== 'STRING' && type !== 'BOOLEAN';

const textOf = (value: number | null): string => (value === null ? '' : String(value));
/** Null for an empty field. */
const numberIn = (text: string): number | null =>
  text.trim() === '' ? null : Number(withPoint(text));

const fieldsOf = ({ enableFlag, ...point }: Of) => ({
  pointName: point.pointName,
  pointTypeFlag: point.pointTypeFlag,
  rwFlag: point.rwFlag,
  unit: point.unit,
  minValue: textOf(point.minValue),
  maxValue: textOf(point.maxValue),
  valueDecimal: textOf(point.valueDecimal),
  multiple: textOf(point.multiple),
  baseValue: textOf(point.baseValue),
  deadband: textOf(point.deadband),
  remark: point.remark,
  isEnabled: enableFlag === 'ENABLE',
});
type Fields = ReturnType<typeof fieldsOf>;

/** What is sent; null while a number is none. */
function sentOf({ isEnabled, ...given }: Fields) {
  const hasNumbers = isNumeric(given.pointTypeFlag);
  const limit = (text: string): number | null => (hasNumbers ? numberIn(text) : null);
  const numbers = {
    minValue: limit(given.minValue),
    maxValue: limit(given.maxValue),
    deadband: limit(given.deadband),
    valueDecimal: numberIn(given.valueDecimal) ?? NEW.valueDecimal,
    multiple: numberIn(given.multiple) ?? NEW.multiple,
    baseValue: numberIn(given.baseValue) ?? NEW.baseValue,
  };
  if (Object.values(numbers).some((value) => Number.isNaN(value))) return null;
  return { ...given, ...numbers, enableFlag: isEnabled ? 'ENABLE' : 'DISABLE' } as const;
}

/** Adds a point to a profile, or changes one; says how many devices that reaches. */
export function PointForm({ profileId, point, reach, changed, onClose }: Given) {
  const w = profilesWords();
  const of = newDeviceWords().point;
  const form = useForm(point ? 'POST /manager/point/update' : 'POST /manager/point/add', {
    fields: fieldsOf(point ?? NEW),
    needs: ['pointName'],
    input(values) {
      const sent = sentOf(values);
      if (sent === null) return null;
      return point ? { id: point.id, version: point.version, ...sent } : { profileId, ...sent };
    },
    done(_, { pointName }) {
      announce(w.saved(pointName));
      changed();
      onClose();
    },
    refused: changed,
  });
  const { values } = form;
  const decimal = (name: 'minValue' | 'maxValue' | 'multiple' | 'baseValue' | 'deadband') => {
    const field = form.of(name);
    const isNone = Number.isNaN(numberIn(values[name]) ?? 0);
    return {
      ...field,
      type: 'text' as const,
      inputmode: 'decimal' as const,
      wrong: isNone ? w.point.notNumber : field.wrong,
    };
  };
  const enabled = form.of('isEnabled');
  return (
    <FormDialog
      title={point ? w.editOf(point.pointName) : w.addPoint}
      {...(!point && { go: w.addPoint })}
      isWide
      {...form.sends}
      onClose={onClose}
    >
      <div class="fields">
        <TextField label={w.point.name} {...form.of('pointName')} />
        <Choice
          label={w.point.type}
          hint={
            point && values.pointTypeFlag !== point.pointTypeFlag ? w.point.typeHint : undefined
          }
          {...form.of('pointTypeFlag')}
          options={optionsIn(pointTypeFlag.values, of.types)}
        />
        <Choice
          label={w.point.access}
          {...form.of('rwFlag')}
          options={optionsIn(rwFlag.values, of.accesses)}
        />
        <TextField label={w.point.unit} {...form.of('unit')} />
        {isNumeric(values.pointTypeFlag) && (
          <>
            <TextField label={w.point.least} {...decimal('minValue')} />
            <TextField label={w.point.most} {...decimal('maxValue')} />
            <TextField label={w.point.factor} hint={w.point.factorHint} {...decimal('multiple')} />
            <TextField label={w.point.offset} {...decimal('baseValue')} />
            <TextField label={w.point.decimals} {...form.of('valueDecimal')} />
            <TextField
              label={w.point.deadband}
              hint={w.point.deadbandHint}
              {...decimal('deadband')}
            />
          </>
        )}
        <TextField label={w.remark} {...form.of('remark')} />
      </div>
      <Check
        label={w.enabled}
        hint={w.enabledHint}
        value={enabled.value}
        onChange={enabled.onChange}
      />
      {reach !== null && <p class="quiet">{w.reaches(reach)}</p>}
    </FormDialog>
  );
}
