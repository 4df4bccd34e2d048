import { bounds } from '../../client/bounds.ts';
import type { Schemas } from '../../client/operations.ts';
import { withPoint } from '../../part/control/decimal.ts';
import { Choice, optionsIn, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { type Columns, enteredOf, wasFlag, wasText } from '../../part/version.tsx';
import { newDeviceWords } from '../../word/new-device.ts';
import { profilesWords } from '../../word/profiles.ts';
import {
  DefinitionDialog,
  flagOf,
  type FormOf,
  savedAs,
  SHARED_COLUMNS,
  sharedOf,
} from './definition-dialog.tsx';

type Point = Schemas['Point'];

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
};

const isNumeric = (type: Point['pointTypeFlag']): boolean =>
  type !== 'STRING' && type !== 'BOOLEAN';

const textOf = (value: number | null): string => (value === null ? '' : String(value));
/** Null for an empty field. */
const numberIn = (text: string): number | null =>
  text.trim() === '' ? null : Number(withPoint(text));

const fieldsOf = (point: Of) => ({
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
});
type Fields = ReturnType<typeof fieldsOf> & ReturnType<typeof sharedOf>;

/** What an earlier version of a point is in the form. */
export const POINT_COLUMNS: Columns<Fields> = {
  ...SHARED_COLUMNS,
  point_name: (was) => ({ pointName: wasText(was) }),
  point_type_flag: (was) => ({ pointTypeFlag: wasFlag(pointTypeFlag.values, was) }),
  rw_flag: (was) => ({ rwFlag: wasFlag(rwFlag.values, was) }),
  unit: (was) => ({ unit: wasText(was) }),
  min_value: (was) => ({ minValue: wasText(was) }),
  max_value: (was) => ({ maxValue: wasText(was) }),
  value_decimal: (was) => ({ valueDecimal: wasText(was) }),
  multiple: (was) => ({ multiple: wasText(was) }),
  base_value: (was) => ({ baseValue: wasText(was) }),
  deadband: (was) => ({ deadband: wasText(was) }),
};

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
  return { ...given, ...numbers, enableFlag: flagOf({ isEnabled }) } as const;
}

/** Adds a point to a profile, or changes one; says how many devices that reaches. */
export function PointForm({ profileId, item, ...given }: FormOf<Point> & { profileId: string }) {
  const w = profilesWords();
  const of = newDeviceWords().point;
  const form = useForm(item ? 'POST /manager/point/update' : 'POST /manager/point/add', {
    fields: { ...fieldsOf(item ?? NEW), ...sharedOf(item) },
    entered: enteredOf(given.version ?? null, POINT_COLUMNS),
    needs: ['pointName'],
    input(values) {
      const sent = sentOf(values);
      if (sent === null) return null;
      return item ? { id: item.id, version: item.version, ...sent } : { profileId, ...sent };
    },
    done: (_, { pointName }) => savedAs(pointName, given),
    refused: given.changed,
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
  return (
    <DefinitionDialog
      title={item ? w.editOf(item.pointName) : w.addPoint}
      go={item ? null : w.addPoint}
      form={form}
      hint={w.enabledHint}
      {...given}
    >
      <TextField label={w.point.name} {...form.of('pointName')} />
      <Choice
        label={w.point.type}
        hint={item && values.pointTypeFlag !== item.pointTypeFlag ? w.point.typeHint : undefined}
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
    </DefinitionDialog>
  );
}
