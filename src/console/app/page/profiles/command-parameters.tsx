import { useAsk } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import type { Schemas } from '../../client/operations.ts';
import { Check, Choice, optionsIn, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { definitionsWords } from '../../word/definitions.ts';
import { newDeviceWords } from '../../word/new-device.ts';
import { profilesWords } from '../../word/profiles.ts';
import { DefinitionDialog, flagOf, type FormOf, savedAs, sharedOf } from './definition-dialog.tsx';
import { DefinitionsBelow, type Sort } from './definitions.tsx';

type Param = Schemas['CommandParam'];
type Given = { commandId: string; reach: number | null };

/** What a command takes and what it answers. */
export function CommandParameters({ commandId, reach }: Given) {
  const asked = useAsk('GET /manager/command_param/list_by_command_id', { commandId });
  return <DefinitionsBelow sort={paramsOf(commandId)} asked={asked} reach={reach} />;
}

function paramsOf(commandId: string): Sort<Param> {
  const { parameter: w } = definitionsWords();
  const { types } = newDeviceWords().point;
  return {
    noun: 'command_param',
    words: w,
    columns: [profilesWords().code, w.type, w.direction, w.default],
    nameOf: ({ paramName }) => paramName,
    beside: ({ requiredFlag }) => requiredFlag && <small class="quiet">{w.required}</small>,
    cells: ({ paramCode, paramTypeFlag, paramDirectionFlag, defaultValue }) => [
      <bdi>{paramCode}</bdi>,
      types[paramTypeFlag],
      w.directions[paramDirectionFlag],
      <bdi>{defaultValue || '–'}</bdi>,
    ],
    form: (given) => <ParamForm commandId={commandId} {...given} />,
  };
}

const { paramTypeFlag, paramDirectionFlag } = bounds['POST /manager/command_param/add'];

function ParamForm({ commandId, item, ...given }: FormOf<Param> & { commandId: string }) {
  const { parameter: w } = definitionsWords();
  const form = useForm(
    item ? 'POST /manager/command_param/update' : 'POST /manager/command_param/add',
    {
      fields: {
        paramName: item?.paramName ?? '',
        paramCode: item?.paramCode ?? '',
        paramTypeFlag: item?.paramTypeFlag ?? 'DOUBLE',
        paramDirectionFlag: item?.paramDirectionFlag ?? 'INPUT',
        requiredFlag: item?.requiredFlag ?? false,
        defaultValue: item?.defaultValue ?? '',
        ...sharedOf(item),
      },
      needs: ['paramName', 'paramCode'],
      input({ isEnabled, ...values }) {
        const sent = { ...values, enableFlag: flagOf({ isEnabled }) };
        return item ? { id: item.id, version: item.version, ...sent } : { commandId, ...sent };
      },
      done: (_, { paramName }) => savedAs(paramName, given),
      refused: given.changed,
    },
  );
  const required = form.of('requiredFlag');
  return (
    <DefinitionDialog
      title={item ? profilesWords().editOf(item.paramName) : w.add}
      go={item ? null : w.add}
      form={form}
      {...given}
    >
      <TextField label={w.name} {...form.of('paramName')} />
      <TextField label={profilesWords().code} hint={w.codeHint} {...form.of('paramCode')} />
      <Choice
        label={w.type}
        {...form.of('paramTypeFlag')}
        options={optionsIn(paramTypeFlag.values, newDeviceWords().point.types)}
      />
      <Choice
        label={w.direction}
        {...form.of('paramDirectionFlag')}
        options={optionsIn(paramDirectionFlag.values, w.directions)}
      />
      <TextField label={w.default} {...form.of('defaultValue')} />
      <Check label={w.required} value={required.value} onChange={required.onChange} />
      <TextField label={profilesWords().remark} {...form.of('remark')} />
    </DefinitionDialog>
  );
}
