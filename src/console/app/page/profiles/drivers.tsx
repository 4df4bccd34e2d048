import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { announce } from '../../part/announce.tsx';
import { Dialog } from '../../part/control/dialog.tsx';
import { TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { List, pageIn } from '../../part/control/list.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { AskButton, Opener } from '../../part/control/opener.tsx';
import { Table } from '../../part/control/table.tsx';
import { Link } from '../../part/link.tsx';
import { Page } from '../../part/page.tsx';
import { titleOf } from '../../part/pages.ts';
import { Chip, Disabled } from '../../part/value/mark.tsx';
import { deviceState } from '../../part/value/state.ts';
import { driversWords } from '../../word/drivers.ts';
import { newDeviceWords } from '../../word/new-device.ts';
import { partWords } from '../../word/part.ts';
import { profilesWords } from '../../word/profiles.ts';
import { DefinitionDialog, flagOf, savedAs, sharedOf } from './definition-dialog.tsx';

type Driver = Schemas['Driver'];
type Given = { driver: Driver; changed(): void };

const SIZE = 50;

/** `/drivers`: what connects the devices of the tenant, whether it is there, and which settings it wants. */
export function Drivers() {
  const w = driversWords();
  const page = pageIn('page', SIZE);
  const asked = useAsk('POST /manager/driver/list', { page });
  const states = useAsk(
    'POST /data/driver/status/list',
    may('svc-center-data:driver_status:list') ? { page } : null,
  );
  useAgainOn(['device'], states.again);
  return (
    <Page actions={<Link to="/devices">{titleOf('/devices')}</Link>}>
      <p class="quiet">{w.lead}</p>
      <List
        asked={asked}
        page="page"
        rows={4}
        sorts={{ name: (driver) => driver.driverName, code: (driver) => driver.driverCode }}
        none={<Empty title={w.none}>{w.next}</Empty>}
      >
        {(driver) => {
          const state = states.data?.[driver.id];
          return (
            <li key={driver.id}>
              <div class="row">
                <Link to={`/devices?driverId=${driver.id}`} class="strong">
                  <bdi>{driver.driverName}</bdi>
                </Link>
                {state && <Chip {...deviceState(state)} />}
                <Disabled of={driver} />
                <span class="quiet">
                  {w.types[driver.driverTypeFlag]} · <bdi>{driver.serviceName}</bdi>{' '}
                  <bdi>{driver.remark}</bdi>
                </span>
                <Actions driver={driver} changed={asked.again} />
              </div>
            </li>
          );
        }}
      </List>
    </Page>
  );
}

function Actions({ driver, changed }: Given) {
  const w = driversWords();
  const { edit, editOf, gone } = profilesWords();
  const remove = useAct('POST /manager/driver/delete');
  const { id, driverName } = driver;
  return (
    <div class="actions">
      <Opener word={w.settings} kind="quiet" label={`${w.settings}: ${driverName}`}>
        {(close) => <Settings driver={driver} onClose={close} />}
      </Opener>
      {may('svc-center-manager:driver:update') && (
        <Opener word={edit} kind="quiet" label={editOf(driverName)}>
          {(close) => <EditDriver driver={driver} changed={changed} onClose={close} />}
        </Opener>
      )}
      {may('svc-center-manager:driver:delete') && (
        <AskButton
          kind="quiet"
          label={`${partWords().delete}: ${driverName}`}
          title={w.deleteAsk(driverName)}
          act={remove}
          run={() => remove.run({ id })}
          done={() => {
            announce(gone(driverName));
            changed();
          }}
        >
          <p>{w.deleteMeans}</p>
        </AskButton>
      )}
    </div>
  );
}

function EditDriver({ driver, ...given }: Given & { onClose(): void }) {
  const { editOf, name, remark } = profilesWords();
  const { id, version, driverName } = driver;
  const devices = useAsk(
    'POST /manager/device/list',
    may('svc-center-manager:device:list') ? { driverId: id, page: { current: 1, size: 1 } } : null,
  );
  const form = useForm('POST /manager/driver/update', {
    fields: { driverName, ...sharedOf(driver) },
    needs: ['driverName'],
    input: ({ isEnabled, ...values }) => ({
      id,
      version,
      ...values,
      enableFlag: flagOf({ isEnabled }),
    }),
    done: (_, values) => savedAs(values.driverName, given),
    refused: given.changed,
  });
  return (
    <DefinitionDialog
      title={editOf(driverName)}
      go={null}
      form={form}
      hint={driversWords().enabledHint}
      reach={devices.data?.total || null}
      {...given}
    >
      <TextField label={name} {...form.of('driverName')} />
      <TextField label={remark} {...form.of('remark')} />
    </DefinitionDialog>
  );
}

const OF = ['driver', 'point', 'command', 'event'] as const;

/** What the driver asks of each device and of what its profile defines; it says so itself when it starts. */
function Settings({ driver, onClose }: { driver: Driver; onClose(): void }) {
  const w = driversWords();
  return (
    <Dialog title={w.settingsOf(driver.driverName)} isWide onClose={onClose}>
      {OF.filter((of) => may(`svc-center-manager:${of}_attribute:list`)).map((of) => (
        <SettingsOf key={of} of={of} driverId={driver.id} />
      ))}
    </Dialog>
  );
}

function SettingsOf({ of, driverId }: { of: (typeof OF)[number]; driverId: string }) {
  const w = driversWords();
  const { types } = newDeviceWords().point;
  const { name, code } = profilesWords();
  const asked = useAsk(`GET /manager/${of}_attribute/list_by_driver_id`, { driverId });
  return (
    <section class="stack">
      <h3>{w.of[of]}</h3>
      <Loaded asked={asked} rows={2} none={<p class="quiet">{w.noSettings}</p>}>
        {(attributes) => (
          <Table label={w.of[of]} columns={[[name], [code], [w.type], [w.default]]}>
            {attributes.map((attribute) => (
              <tr key={attribute.id}>
                <th scope="row">
                  <bdi>{attribute.attributeName}</bdi> <Disabled of={attribute} />
                </th>
                <td>
                  <bdi>{attribute.attributeCode}</bdi>
                </td>
                <td>{types[attribute.attributeTypeFlag]}</td>
                <td>
                  <bdi>{attribute.defaultValue || '–'}</bdi>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Loaded>
    </section>
  );
}
