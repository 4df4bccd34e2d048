import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { type Parameters, query } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { Choice, optionsOf, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { isConflict, Loaded, RefusedNote } from '../../part/control/loaded.tsx';
import { Link } from '../../part/link.tsx';
import { Facts, Page, Section } from '../../part/page.tsx';
import { Note } from '../../part/value/mark.tsx';
import {
  AsOf,
  type Columns,
  enteredOf,
  History,
  type Unknown,
  useVersion,
  type Version,
  wasText,
} from '../../part/version.tsx';
import { editDeviceWords } from '../../word/device-edit.ts';
import { devicesWords } from '../../word/devices.ts';
import { partWords } from '../../word/part.ts';
import { useProfiles } from './facts.ts';
import { Memberships } from './memberships.tsx';
import { Settings } from './settings.tsx';

type Device = Schemas['Device'];
type Given = { device: Device; version: Version | Unknown | null; again(): void };

const NAME_COLUMNS: Columns<{ deviceName: string; remark: string }> = {
  device_name: (was) => ({ deviceName: wasText(was) }),
  remark: (was) => ({ remark: wasText(was) }),
};
const KIND_COLUMNS: Columns<{ profileId: string }> = {
  profile_id: (was) => ({ profileId: wasText(was) }),
};
export const DEVICE_COLUMNS = { ...NAME_COLUMNS, ...KIND_COLUMNS };
export const SETTING_COLUMNS: Columns<{ value: string }> = {
  config_value: (was) => ({ value: wasText(was) }),
};

/** The setting that the address names, as the change log has it: `point_attribute_config:7`. */
function settingIn(given: string | null) {
  const [, entityType, entityId = ''] =
    /^(driver_attribute_config|point_attribute_config):(\d{1,19})$/.exec(given ?? '') ?? [];
  if (entityType === 'driver_attribute_config') return { entityType, entityId } as const;
  return entityType === 'point_attribute_config' ? ({ entityType, entityId } as const) : null;
}

/** `/devices/:id/edit`: all of a device that can be changed, each part saved by itself. */
export function EditDevice({ id = '' }: Parameters) {
  const w = editDeviceWords();
  const asked = useAsk('GET /manager/device/get_by_id', { id });
  const at = query.value.get('back');
  const setting = settingIn(query.value.get('setting'));
  const thing = setting ?? { entityType: 'device' as const, entityId: id };
  const earlier = useVersion(thing, at);
  const again = (): void => {
    asked.again();
    earlier.again();
  };
  return (
    <Page
      title={asked.data ? w.titleOf(asked.data.deviceName) : w.one}
      actions={
        <>
          <History entityType="device" entityId={id} />
          <Link to={`/devices/${id}`}>{w.toDevice}</Link>
        </>
      }
    >
      <Loaded asked={asked} rows={8} elsewhere={<Link to="/devices">{devicesWords().toAll}</Link>}>
        {(device) => (
          <AsOf
            of={thing.entityType}
            at={at}
            asked={earlier}
            has={Object.keys(setting ? SETTING_COLUMNS : DEVICE_COLUMNS)}
          >
            {(version, note) => (
              <>
                {note}
                <Names device={device} version={setting ? null : version} again={again} />
                <Memberships deviceId={device.id} />
                <Settings
                  key={device.profileId}
                  device={device}
                  earlier={
                    setting && {
                      configId: setting.entityId,
                      value: enteredOf(version, SETTING_COLUMNS).value,
                    }
                  }
                  again={earlier.again}
                />
                <Kind device={device} version={setting ? null : version} again={again} />
              </>
            )}
          </AsOf>
        )}
      </Loaded>
    </Page>
  );
}

/** What a device is called. Where it was changed meanwhile, that is shown before it is replaced. */
function Names({ device, version: earlier, again }: Given) {
  const w = editDeviceWords();
  const { id, version, deviceName, remark } = device;
  const form = useForm('POST /manager/device/update', {
    fields: { deviceName, remark },
    entered: enteredOf(earlier, NAME_COLUMNS),
    needs: ['deviceName'],
    input: (values) => ({ id, version, ...values }),
    done(_, values) {
      announce(w.saved(values.deviceName));
      again();
    },
    refused: again,
  });
  const { isRunning, isOff, failure, onGo } = form.sends;
  return (
    <Section title={w.names}>
      <div class="panel">
        <div class="fields">
          <TextField label={w.name} {...form.of('deviceName')} />
          <TextField label={w.remark} {...form.of('remark')} />
        </div>
        {isConflict(failure) ? (
          <Note tone="warning" shape="triangle" role="alert">
            {w.changed} <bdi class="strong">{deviceName}</bdi>
            {remark !== '' && (
              <>
                {' · '}
                <bdi>{remark}</bdi>
              </>
            )}
            . {w.replace}
          </Note>
        ) : (
          <RefusedNote failure={failure} />
        )}
        <div class="row">
          <Button kind="primary" isBusy={isRunning} isOff={isOff || !form.isChanged} onPress={onGo}>
            {partWords().save}
          </Button>
        </div>
      </div>
    </Section>
  );
}

/** Which points a device has. What goes with the old ones is said before. */
function Kind({ device, version: earlier, again }: Given) {
  const w = editDeviceWords();
  const maySee = may('svc-center-manager:profile:list');
  const profiles = useProfiles(maySee);
  const configs = useAsk(
    'GET /manager/point_attribute_config/list_by_device_id',
    may('svc-center-manager:point_attribute_config:list') ? { deviceId: device.id } : null,
  );
  const { id, version, profileId } = device;
  const form = useForm('POST /manager/device/update', {
    fields: { profileId },
    entered: enteredOf(earlier, KIND_COLUMNS),
    input: (values) => ({ id, version, ...values }),
    done() {
      announce(w.saved(device.deviceName));
      again();
    },
    refused: again,
  });
  if (!maySee) return null;
  const { isRunning, isOff, failure, onGo } = form.sends;
  return (
    <Section title={w.kind}>
      <Loaded asked={profiles} rows={2}>
        {({ records }) => (
          <div class="panel">
            <Choice
              label={w.profile}
              {...form.of('profileId')}
              options={optionsOf(
                [profileId, nameIn(records, profileId)],
                others(records, profileId),
                'profileName',
              )}
            />
            {form.isChanged && (
              <>
                <Note tone="warning" shape="triangle">
                  {w.kindMeans}
                </Note>
                <Facts of={[[w.lost, configs.data && String(configs.data.length)]]} />
              </>
            )}
            <RefusedNote failure={failure} />
            <div class="row">
              <Button
                kind="danger"
                isBusy={isRunning}
                isOff={isOff || !form.isChanged}
                onPress={onGo}
              >
                {w.changeKind}
              </Button>
            </div>
          </div>
        )}
      </Loaded>
    </Section>
  );
}

type Profiles = readonly Schemas['Profile'][];
const nameIn = (profiles: Profiles, id: string): string =>
  profiles.find((each) => each.id === id)?.profileName ?? id;
const others = (profiles: Profiles, id: string) => profiles.filter((each) => each.id !== id);
