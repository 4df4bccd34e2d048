import { useAsk } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Choice, optionsIn, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { definitionsWords } from '../../word/definitions.ts';
import { profilesWords } from '../../word/profiles.ts';
import { CommandParameters } from './command-parameters.tsx';
import { DefinitionDialog, flagOf, type FormOf, savedAs, sharedOf } from './definition-dialog.tsx';
import { Definitions, type Sort } from './definitions.tsx';

type Command = Schemas['Command'];
type Given = { profileId: string; reach: number | null };

/** The commands of a profile, with their parameters. */
export function ProfileCommands({ profileId, reach }: Given) {
  const maySee = may('svc-center-manager:command:list');
  const asked = useAsk('GET /manager/command/list_by_profile_id', maySee ? { profileId } : null);
  return maySee ? (
    <Definitions sort={commandsOf({ profileId, reach })} asked={asked} reach={reach} />
  ) : null;
}

function commandsOf({ profileId, reach }: Given): Sort<Command> {
  const { command: w, parameter } = definitionsWords();
  return {
    noun: 'command',
    words: w,
    columns: [profilesWords().code, w.type, w.call, w.timeout],
    nameOf: ({ commandName }) => commandName,
    cells: ({ commandCode, commandTypeFlag, callTypeFlag, timeout }) => [
      <bdi>{commandCode}</bdi>,
      w.types[commandTypeFlag],
      w.calls[callTypeFlag],
      <span class="tabular">{timeout}</span>,
    ],
    form: (given) => <CommandForm profileId={profileId} {...given} />,
    ...(may('svc-center-manager:command_param:list') && {
      parts: {
        word: parameter.title,
        of: ({ id }) => <CommandParameters commandId={id} reach={reach} />,
      },
    }),
  };
}

const { commandTypeFlag, callTypeFlag } = bounds['POST /manager/command/add'];

function CommandForm({ profileId, item, ...given }: FormOf<Command> & { profileId: string }) {
  const { command: w } = definitionsWords();
  const { code, codeHint, editOf, remark } = profilesWords();
  const form = useForm(item ? 'POST /manager/command/update' : 'POST /manager/command/add', {
    fields: {
      commandName: item?.commandName ?? '',
      commandCode: '',
      commandTypeFlag: item?.commandTypeFlag ?? 'CUSTOM',
      callTypeFlag: item?.callTypeFlag ?? 'SYNC',
      timeout: String(item?.timeout ?? 30),
      ...sharedOf(item),
    },
    needs: ['commandName', 'timeout'],
    input({ isEnabled, commandCode, timeout, ...values }) {
      const sent = { ...values, timeout: Number(timeout), enableFlag: flagOf({ isEnabled }) };
      if (Number.isNaN(sent.timeout)) return null;
      if (item) return { id: item.id, version: item.version, ...sent };
      return { profileId, ...sent, ...(commandCode !== '' && { commandCode }) };
    },
    done: (_, { commandName }) => savedAs(commandName, given),
    refused: given.changed,
  });
  return (
    <DefinitionDialog
      title={item ? editOf(item.commandName) : w.add}
      go={item ? null : w.add}
      form={form}
      {...given}
    >
      <TextField label={w.name} {...form.of('commandName')} />
      {!item && <TextField label={code} hint={codeHint} {...form.of('commandCode')} />}
      <Choice
        label={w.type}
        {...form.of('commandTypeFlag')}
        options={optionsIn(commandTypeFlag.values, w.types)}
      />
      <Choice
        label={w.call}
        {...form.of('callTypeFlag')}
        options={optionsIn(callTypeFlag.values, w.calls)}
      />
      <TextField label={w.timeout} {...form.of('timeout')} />
      <TextField label={remark} {...form.of('remark')} />
    </DefinitionDialog>
  );
}
