import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { definitionsWords } from '../../word/definitions.ts';
import { profilesWords } from '../../word/profiles.ts';
import { DefinitionDialog, flagOf, type FormOf, savedAs } from './definition-dialog.tsx';
import { DefinitionsBelow } from './definitions.tsx';
import { ParamFields, paramSort, paramValues } from './parameter-fields.tsx';

type Param = Schemas['EventParam'];
type Given = { eventId: string; reach: number | null };

/** What an event carries. */
export function EventParameters({ eventId, reach }: Given) {
  const asked = useAsk('GET /manager/event_param/list_by_event_id', { eventId });
  const form = (given: FormOf<Param>) => <ParamForm eventId={eventId} {...given} />;
  const sort = { ...paramSort(), noun: 'event_param', form } as const;
  return <DefinitionsBelow<Param> sort={sort} asked={asked} reach={reach} />;
}

function ParamForm({ eventId, item, ...given }: FormOf<Param> & { eventId: string }) {
  const { add } = definitionsWords().parameter;
  const form = useForm(
    item ? 'POST /manager/event_param/update' : 'POST /manager/event_param/add',
    {
      fields: paramValues(item),
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
      title={item ? profilesWords().editOf(item.paramName) : add}
      go={item ? null : add}
      form={form}
      {...given}
    >
      <ParamFields of={form.of} />
      <TextField label={profilesWords().remark} {...form.of('remark')} />
    </DefinitionDialog>
  );
}
