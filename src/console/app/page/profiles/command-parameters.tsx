import { useAsk } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import type { Schemas } from '../../client/operations.ts';
import { Check, Choice, optionsIn, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { definitionsWords } from '../../word/definitions.ts';
import { profilesWords } from '../../word/profiles.ts';
import { DefinitionDialog, flagOf, type FormOf, savedAs } from './definition-dialog.tsx';
import { DefinitionsBelow, type Sort } from './definitions.tsx';
import { ParamFields, paramSort, paramValues } from './parameter-fields.tsx';

type Param = Schemas['CommandParam'];
type Given = { commandId: string; reach: number | null };

/** What a command takes and what it answers. */
export function CommandParameters({ commandId, reach }: Given) {
  const asked = useAsk('GET /manager/command_param/list_by_command_id', { commandId });
  return <DefinitionsBelow sort={paramsOf(commandId)} asked={asked} reach={reach} />;
}

function paramsOf(commandId: string): Sort<Param> {
  const { parameter: w } = definitionsWords();
  const both = paramSort();
  return {
    ...both,
    noun: 'command_param',
    columns: [...both.columns, w.direction, w.default],
    beside: ({ requiredFlag }) => requiredFlag && <small class="quiet">{w.required}</small>,
    cells: (param) => [
      ...both.cells(param),
      w.directions[param.paramDirectionFlag],
      <bdi>{param.defaultValue || '–'}</bdi>,
    ],
    form: (given) => <ParamForm commandId={commandId} {...given} />,
  };
}

const { paramDirectionFlag } = bounds['POST /manager/command_param/add'];

function ParamForm({ commandId, item, ...given }: FormOf<Param> & { commandId: string }) {
  const { parameter: w } = definitionsWords();
  const form = useForm(
    item ? 'POST /manager/command_param/update' : 'POST /manager/command_param/add',
    {
      fields: {
        ...paramValues(item),
        paramDirectionFlag: item?.paramDirectionFlag ?? 'INPUT',
        requiredFlag: item?.requiredFlag ?? false,
        defaultValue: item?.defaultValue ?? '',
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
      <ParamFields of={form.of} />
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
