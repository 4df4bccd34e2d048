import { useAsk } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Choice, optionsIn, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { definitionsWords } from '../../word/definitions.ts';
import { profilesWords } from '../../word/profiles.ts';
import { DefinitionDialog, flagOf, type FormOf, savedAs, sharedOf } from './definition-dialog.tsx';
import { Definitions, type Sort } from './definitions.tsx';
import { EventParameters } from './event-parameters.tsx';

type Event = Schemas['Event'];
type Given = { profileId: string; reach: number | null };

const types = bounds['POST /manager/event/add'].eventTypeFlag.values;
const levels = bounds['POST /manager/event/add'].eventLevelFlag.values;

/** The events of a profile, with their parameters. */
export function ProfileEvents({ profileId, reach }: Given) {
  const maySee = may('svc-center-manager:event:list');
  const asked = useAsk('GET /manager/event/list_by_profile_id', maySee ? { profileId } : null);
  return maySee ? (
    <Definitions sort={eventsOf({ profileId, reach })} asked={asked} reach={reach} />
  ) : null;
}

function eventsOf({ profileId, reach }: Given): Sort<Event> {
  const { event: w, parameter } = definitionsWords();
  return {
    noun: 'event',
    words: w,
    columns: [profilesWords().code, w.type, w.level],
    nameOf: ({ eventName }) => eventName,
    cells: ({ eventCode, eventTypeFlag, eventLevelFlag }) => [
      <bdi>{eventCode}</bdi>,
      w.types[types[eventTypeFlag]],
      w.levels[levels[eventLevelFlag]],
    ],
    form: (given) => <EventForm profileId={profileId} {...given} />,
    ...(may('svc-center-manager:event_param:list') && {
      parts: {
        word: parameter.title,
        of: ({ id }) => <EventParameters eventId={id} reach={reach} />,
      },
    }),
  };
}

function EventForm({ profileId, item, ...given }: FormOf<Event> & { profileId: string }) {
  const { event: w } = definitionsWords();
  const { code, codeHint, editOf, remark } = profilesWords();
  const form = useForm(item ? 'POST /manager/event/update' : 'POST /manager/event/add', {
    fields: {
      eventName: item?.eventName ?? '',
      eventCode: '',
      eventTypeFlag: types[item?.eventTypeFlag ?? 0],
      eventLevelFlag: levels[item?.eventLevelFlag ?? 0],
      ...sharedOf(item),
    },
    needs: ['eventName'],
    input({ isEnabled, eventCode, ...values }) {
      const sent = { ...values, enableFlag: flagOf({ isEnabled }) };
      if (item) return { id: item.id, version: item.version, ...sent };
      return { profileId, ...sent, ...(eventCode !== '' && { eventCode }) };
    },
    done: (_, { eventName }) => savedAs(eventName, given),
    refused: given.changed,
  });
  return (
    <DefinitionDialog
      title={item ? editOf(item.eventName) : w.add}
      go={item ? null : w.add}
      form={form}
      {...given}
    >
      <TextField label={w.name} {...form.of('eventName')} />
      {!item && <TextField label={code} hint={codeHint} {...form.of('eventCode')} />}
      <Choice label={w.type} {...form.of('eventTypeFlag')} options={optionsIn(types, w.types)} />
      <Choice
        label={w.level}
        {...form.of('eventLevelFlag')}
        options={optionsIn(levels, w.levels)}
      />
      <TextField label={remark} {...form.of('remark')} />
    </DefinitionDialog>
  );
}
