import { useEffect, useState } from 'preact/hooks';

import { removing, useAct, useAsk } from '../../client/ask.ts';
import { livePresence } from '../../client/live.ts';
import type { Schemas } from '../../client/operations.ts';
import { navigate, type Parameters } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { useAgainOn, useWatch } from '../../client/use-live.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { Loaded, RefusedNote } from '../../part/control/loaded.tsx';
import { AskButton } from '../../part/control/opener.tsx';
import { Link } from '../../part/link.tsx';
import { Manuals } from '../../part/manuals.tsx';
import { Facts, Page, Section } from '../../part/page.tsx';
import { titleOf } from '../../part/pages.ts';
import { RegisteredObjects } from '../../part/registered.tsx';
import { Chip, Disabled } from '../../part/value/mark.tsx';
import { deviceState } from '../../part/value/state.ts';
import { Ago, Moment } from '../../part/value/time.tsx';
import { editDeviceWords } from '../../word/device-edit.ts';
import { devicesWords } from '../../word/devices.ts';
import { traceWords } from '../../word/trace.ts';
import { Drill } from '../rules/rule-drill.tsx';
import { Commands } from './point/commands.tsx';
import { Points } from './point/points.tsx';
import { DeviceTrend } from './trend/trend.tsx';

const SEE = 'svc-center-data:point_value:list';

/** `/devices/:id`: how a device is, what its points have, and what was done with it. */
export function Device({ id = '' }: Parameters) {
  const w = devicesWords();
  const asked = useAsk('GET /manager/device/get_by_id', { id });
  const presence = useAsk(
    'GET /data/device/status/get_by_device_id',
    may('svc-center-data:device_status:list') ? { deviceId: id } : null,
  );
  // Beside the device and not after it: the trend waits for them.
  const maySeeTrend = may(SEE) && may('svc-center-manager:point:list');
  const points = useAsk(
    'GET /manager/point/list_by_device_id',
    maySeeTrend ? { deviceId: id } : null,
  );
  // Points that were made of what it registered are asked for anew.
  const [made, setMade] = useState(0);
  useWatch([], [id]);
  useAgainOn(['device'], presence.again);
  // A stream that begins says how the device is: what changed before it is no event of it.
  const heard = livePresence(id).value?.status;
  const known = presence.data?.status;
  useEffect(() => {
    if (heard !== undefined && known !== undefined && heard !== known) presence.again();
  }, [heard, known]);
  return (
    <Page
      title={asked.data?.deviceName ?? titleOf('/devices')}
      state={
        asked.data?.enableFlag === 'DISABLE' ? (
          <Disabled of={asked.data} />
        ) : (
          presence.data && <Chip {...deviceState(presence.data.status)} />
        )
      }
      actions={asked.data && <Manage device={asked.data} again={asked.again} />}
    >
      <Loaded asked={asked} rows={8} elsewhere={<Link to="/devices">{w.toAll}</Link>}>
        {(device) => (
          <>
            {presence.data && presence.data.status !== 'online' && (
              <Section title={w.away}>
                <Facts
                  of={[
                    [w.points.why, <span lang="en">{presence.data.statusReason}</span>],
                    [
                      w.since,
                      presence.data.offlineSince && <Ago at={presence.data.offlineSince} />,
                    ],
                    [w.report, presence.data.description && <bdi>{presence.data.description}</bdi>],
                  ]}
                />
              </Section>
            )}
            {may(SEE) && <Points key={made} deviceId={id} />}
            <DeviceTrend deviceId={id} deviceName={device.deviceName} points={points.data} />
            <Commands deviceId={id} />
            <Drill key={id} of={{ deviceId: id }} isLater />
            <Manuals of={{ deviceId: id }} />
            <RegisteredObjects
              deviceId={id}
              made={() => {
                setMade(made + 1);
                asked.again();
                points.again();
              }}
            />
            <Section title={w.facts.title}>
              <Facts
                of={[
                  [w.facts.code, <bdi>{device.deviceCode}</bdi>],
                  [w.facts.driver, <DriverName id={device.driverId} />],
                  [w.facts.profile, <ProfileName key={made} id={device.profileId} />],
                  [w.facts.remark, device.remark && <bdi>{device.remark}</bdi>],
                  [w.facts.made, <Moment at={device.createTime} />],
                ]}
              />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

type Id = { id: string };

const DriverName = ({ id }: Id) => {
  const { data } = useAsk(
    'GET /manager/driver/get_by_id',
    may('svc-center-manager:driver:get') ? { id } : null,
  );
  return <bdi>{data?.driverName ?? id}</bdi>;
};

const ProfileName = ({ id }: Id) => {
  const { data } = useAsk(
    'GET /manager/profile/get_by_id',
    may('svc-center-manager:profile:get') ? { id } : null,
  );
  return (
    <Link to={`/profiles/${id}`}>
      <bdi>{data?.profileName ?? id}</bdi>
    </Link>
  );
};

type Given = { device: Schemas['Device']; again(): void };

/** Enables, disables and deletes a device; asks before the last two. */
function Manage({ device, again }: Given) {
  const w = devicesWords().manage;
  const { id, version, deviceName, enableFlag } = device;
  const update = useAct('POST /manager/device/update');
  const remove = useAct('POST /manager/device/delete');
  const turn = (flag: 'ENABLE' | 'DISABLE') => update.run({ id, version, enableFlag: flag });
  const enable = async (): Promise<void> => {
    if ((await turn('ENABLE')) !== null) again();
  };
  return (
    <>
      {may('svc-center-manager:device_trace:get') && (
        <Link to={`/devices/${id}/trace`}>{traceWords().link}</Link>
      )}
      {may('svc-center-manager:device:update') && (
        <Link to={`/devices/${id}/edit`}>{editDeviceWords().edit}</Link>
      )}
      {may('svc-center-manager:device:update') &&
        (enableFlag === 'ENABLE' ? (
          <AskButton
            kind="plain"
            word={w.disable}
            title={w.disableAsk(deviceName)}
            act={update}
            run={() => turn('DISABLE')}
            done={again}
          >
            <p>{w.disableMeans}</p>
          </AskButton>
        ) : (
          <Button isBusy={update.isRunning} onPress={() => void enable()}>
            {w.enable}
          </Button>
        ))}
      {may('svc-center-manager:device:delete') && (
        <AskButton
          title={w.removeAsk(deviceName)}
          act={remove}
          run={() => removing(() => remove.run({ id }))}
          done={() => {
            announce(w.gone(deviceName));
            navigate('/devices', { replace: true });
          }}
        >
          <p>{w.removeMeans}</p>
        </AskButton>
      )}
      {enableFlag === 'DISABLE' && <RefusedNote failure={update.failure} />}
    </>
  );
}
