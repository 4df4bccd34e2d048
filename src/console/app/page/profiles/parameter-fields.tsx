import { bounds } from '../../client/bounds.ts';
import type { Schemas } from '../../client/operations.ts';
import { Choice, optionsIn, TextField } from '../../part/control/field.tsx';
import type { useForm } from '../../part/control/form.ts';
import { definitionsWords } from '../../word/definitions.ts';
import { newDeviceWords } from '../../word/new-device.ts';
import { profilesWords } from '../../word/profiles.ts';
import { type Shared, sharedOf } from './definition-dialog.tsx';
import type { Sort } from './definitions.tsx';

/** What parameters of commands and of events have. */
type Param = Schemas['EventParam'] | Schemas['CommandParam'];
type Values = Shared & Pick<Param, 'paramName' | 'paramCode' | 'paramTypeFlag'>;

export const paramValues = (item: Param | null): Values => ({
  paramName: item?.paramName ?? '',
  paramCode: item?.paramCode ?? '',
  paramTypeFlag: item?.paramTypeFlag ?? 'DOUBLE',
  ...sharedOf(item),
});

/** The columns that both have. */
export function paramSort() {
  const { parameter: w } = definitionsWords();
  const { types } = newDeviceWords().point;
  return {
    words: w,
    columns: [profilesWords().code, w.type],
    nameOf: ({ paramName }: Param) => paramName,
    cells: ({ paramCode, paramTypeFlag }: Param) => [<bdi>{paramCode}</bdi>, types[paramTypeFlag]],
  } satisfies Partial<Sort<Param>>;
}

const { paramTypeFlag } = bounds['POST /manager/event_param/add'];

/** The fields that both have. */
export function ParamFields({ of }: Pick<ReturnType<typeof useForm<never, Values>>, 'of'>) {
  const { parameter: w } = definitionsWords();
  return (
    <>
      <TextField label={w.name} {...of('paramName')} />
      <TextField label={profilesWords().code} hint={w.codeHint} {...of('paramCode')} />
      <Choice
        label={w.type}
        {...of('paramTypeFlag')}
        options={optionsIn(paramTypeFlag.values, newDeviceWords().point.types)}
      />
    </>
  );
}
