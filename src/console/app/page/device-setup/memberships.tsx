import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { call } from '../../client/call.ts';
import { type Failure, failureOf } from '../../client/failure.ts';
import { may } from '../../client/session.ts';
import { useUnsaved } from '../../client/unsaved.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { Checks, Choice, optionsOf } from '../../part/control/field.tsx';
import { Loaded, RefusedNote } from '../../part/control/loaded.tsx';
import { Link } from '../../part/link.tsx';
import { Section } from '../../part/page.tsx';
import { titleOf } from '../../part/pages.ts';
import { editDeviceWords } from '../../word/device-edit.ts';

const MANY = { current: 1, size: 100 };
const TYPE = 'DEVICE';
const NONE = '';

const mayBind = (noun: 'group' | 'label'): boolean =>
  may(`svc-center-manager:${noun}:list`) && may(`svc-center-manager:${noun}_bind:list`);

/** The group that a device is in, and its labels. */
export function Memberships({ deviceId }: { deviceId: string }) {
  const w = editDeviceWords();
  if (!mayBind('group') && !mayBind('label')) return null;
  return (
    <Section title={w.sorted} actions={<Link to="/groups">{titleOf('/groups')}</Link>}>
      <div class="panel">
        {mayBind('group') && <Group deviceId={deviceId} />}
        {mayBind('label') && <Labels deviceId={deviceId} />}
      </div>
    </Section>
  );
}

/** Saves what is chosen, and asks again for what is stored after each answer. */
function useSaving(again: () => void) {
  const w = editDeviceWords();
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const save = async (what: () => Promise<unknown>): Promise<void> => {
    setRunning(true);
    setFailure(null);
    try {
      await what();
      announce(w.sortedNow);
    } catch (error) {
      setFailure(failureOf(error));
    } finally {
      setRunning(false);
      again();
    }
  };
  return { save, isRunning, failure };
}

function Group({ deviceId }: { deviceId: string }) {
  const w = editDeviceWords();
  const groups = useAsk('POST /manager/group/list', { groupTypeFlag: TYPE, page: MANY });
  const binds = useAsk('POST /manager/group_bind/list', {
    entityTypeFlag: TYPE,
    entityId: deviceId,
    page: { current: 1, size: 1 },
  });
  const bind = binds.data?.records[0];
  const is = bind?.groupId ?? NONE;
  const [entered, setEntered] = useState<string | null>(null);
  const chosen = entered ?? is;
  useUnsaved(chosen !== is);
  const { save, isRunning, failure } = useSaving(() => {
    binds.again();
    setEntered(null);
  });
  const go = () =>
    save(() => {
      if (!bind)
        return call('POST /manager/group_bind/add', {
          entityTypeFlag: TYPE,
          entityId: deviceId,
          groupId: chosen,
        });
      const { id, version } = bind;
      return chosen === NONE
        ? call('POST /manager/group_bind/delete', { id })
        : call('POST /manager/group_bind/update', { id, version, groupId: chosen });
    });
  return (
    <Loaded asked={binds} rows={1}>
      {() => (
        <>
          <Choice
            label={w.group}
            value={chosen}
            onChange={setEntered}
            options={optionsOf([NONE, w.noGroup], groups.data?.records, 'groupName')}
          />
          <RefusedNote failure={failure} />
          <div class="row">
            <Button isBusy={isRunning} isOff={chosen === is} onPress={() => void go()}>
              {w.saveGroup}
            </Button>
          </div>
        </>
      )}
    </Loaded>
  );
}

function Labels({ deviceId }: { deviceId: string }) {
  const w = editDeviceWords();
  const labels = useAsk('POST /manager/label/list', { entityTypeFlag: TYPE, page: MANY });
  const binds = useAsk('POST /manager/label_bind/list', {
    entityTypeFlag: TYPE,
    entityId: deviceId,
    page: MANY,
  });
  const bound = binds.data?.records ?? [];
  const has = bound.map(({ labelId }) => labelId);
  const [entered, setEntered] = useState<readonly string[] | null>(null);
  const chosen = entered ?? has;
  const added = chosen.filter((id) => !has.includes(id));
  const dropped = bound.filter(({ labelId }) => !chosen.includes(labelId));
  const isSame = added.length + dropped.length === 0;
  useUnsaved(!isSame);
  const { save, isRunning, failure } = useSaving(() => {
    binds.again();
    setEntered(null);
  });
  const go = () =>
    save(async () => {
      for (const labelId of added)
        await call('POST /manager/label_bind/add', {
          entityTypeFlag: TYPE,
          entityId: deviceId,
          labelId,
        });
      for (const { id } of dropped) await call('POST /manager/label_bind/delete', { id });
    });
  return (
    <Loaded asked={labels} rows={1}>
      {({ records }) =>
        records.length > 0 && (
          <>
            <fieldset>
              <legend>{w.labels}</legend>
              <Checks
                value={chosen}
                onChange={setEntered}
                options={records.map(({ id, labelName }) => [id, labelName] as const)}
              />
            </fieldset>
            <RefusedNote failure={failure} />
            <div class="row">
              <Button isBusy={isRunning} isOff={isSame} onPress={() => void go()}>
                {w.saveLabels}
              </Button>
            </div>
          </>
        )
      }
    </Loaded>
  );
}
