import { useAsk } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import type { Schemas } from '../../client/operations.ts';
import { Choice, optionsIn, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { definitionsWords } from '../../word/definitions.ts';
import { newDeviceWords } from '../../word/new-device.ts';
import { profilesWords } from '../../word/profiles.ts';
import { DefinitionDialog, flagOf, type FormOf, savedAs, sharedOf } from './definition-dialog.tsx';
import { DefinitionsBelow, type Sort } from './definitions.tsx';

type Param = Schemas['EventParam'];
type Given = { eventId: string; reach: number | null };

/** What an event carries. */
export function EventParameters({ eventId, reach }: Given) {
  const asked = useAsk('GET /manager/event_param/list_by_event_id', { eventId });
  return <DefinitionsBelow sort={paramsOf(eventId)} asked={asked} reach={reach} />;
}

function paramsOf(eventId: string): Sort<Param> {
  const { parameter: w } = definitionsWords();
  const { types } = newDeviceWords().point;
  return {
    noun: 'event_param',
    words: w,
    columns: [profilesWords().code, w.type],
    nameOf: ({ paramName }) => paramName,
    cells: ({ paramCode, paramTypeFlag }) => [<bdi>{paramCode}</bdi>, types[paramTypeFlag]],
    form: (given) => <ParamForm eventId={eventId} {...given} />,
  };
}

const { paramTypeFlag } = bounds['POST /manager/event_param/add'];

function ParamForm({ eventId, item, ...given }: FormOf<Param> & { eventId: string }) {
  const { parameter: w } = definitionsWords();
  const form = useForm(
    item ? 'POST /manager/event_param/update' : 'POST /manager/event_param/add',
    {
      fields: {
        paramName: item?.paramName ?? '',
        paramCode: item?.paramCode ?? '',
        paramTypeFlag: item?.paramTypeFlag ?? 'DOUBLE',
        ...sharedOf(item),
      },
      needs: ['paramName', 'paramCode'],
      input({ isEnabled, ...values }) {
        const sent = { ...values, enableFlag: flagOf({ isEnabled }) };
        return item ? { id: item.id, version: item.version, ...sent } : { eventId, ...sent };
      },
      done: (_, { paramName }) => savedAs(paramName, given),
      refused: given.changed,
    },
  );
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
      <TextField label={profilesWords().remark} {...form.of('remark')} />
    </DefinitionDialog>
  );
}
