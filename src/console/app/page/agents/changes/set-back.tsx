import { type Asked, useAsk } from '../../../client/ask.ts';
import type { Schemas } from '../../../client/operations.ts';
import { may } from '../../../client/session.ts';
import { Button } from '../../../part/control/button.tsx';
import { Dialog } from '../../../part/control/dialog.tsx';
import { Loaded } from '../../../part/control/loaded.tsx';
import { Opener } from '../../../part/control/opener.tsx';
import { Link } from '../../../part/link.tsx';
import { isOfForm, useVersion, VersionNote } from '../../../part/version.tsx';
import { partWords } from '../../../word/part.ts';
import { versionWords } from '../../../word/version.ts';
import { DEVICE_COLUMNS, SETTING_COLUMNS } from '../../device-setup/edit-device.tsx';
import { POINT_COLUMNS, PointForm } from '../../profiles/point-form.tsx';
import { EditProfile, PROFILE_COLUMNS } from '../../profiles/profile.tsx';
import { RULE_COLUMNS } from '../../rules/rule.tsx';

type Change = Schemas['Change'];
type Given = { change: Change; changed(): void };

/** The right without which a thing is not set back. */
const RIGHTS = {
  device: 'svc-center-manager:device:update',
  rule: 'svc-center-data:rule:update',
  profile: 'svc-center-manager:profile:update',
  point: 'svc-center-manager:point:update',
  driver_attribute_config: 'svc-center-manager:driver_attribute_config:update',
  point_attribute_config: 'svc-center-manager:point_attribute_config:update',
} as const;
/** What the forms of a thing have of it. */
const COLUMNS = {
  device: DEVICE_COLUMNS,
  rule: RULE_COLUMNS,
  profile: PROFILE_COLUMNS,
  point: POINT_COLUMNS,
  driver_attribute_config: SETTING_COLUMNS,
  point_attribute_config: SETTING_COLUMNS,
};
type Kind = keyof typeof RIGHTS;

const isKind = (entityType: string): entityType is Kind => Object.hasOwn(RIGHTS, entityType);

/** The way to the form of a thing, filled in with what it was before a change; nothing where no form has that. */
export function SetBack({ change, changed }: Given) {
  const w = versionWords();
  const { entityType, entityId, entityName, operation, at } = change;
  if (operation !== 'UPDATE' || !isKind(entityType) || !may(RIGHTS[entityType])) return null;
  if (!isOfForm(change, COLUMNS[entityType])) return null;
  const label = w.backTo(entityName || entityId);
  if (entityType !== 'profile' && entityType !== 'point') {
    const page = { device: `/devices/${entityId}/edit?`, rule: `/rules/${entityId}?` };
    const setting = `/devices/${change.deviceId}/edit?setting=${entityType}:${entityId}&`;
    const isSetting = entityType !== 'device' && entityType !== 'rule';
    // Of a deleted device no setting is left.
    if (isSetting && !change.deviceName) return null;
    return (
      <Link
        to={`${isSetting ? setting : page[entityType]}back=${encodeURIComponent(at)}`}
        label={label}
      >
        {w.back}
      </Link>
    );
  }
  const Form = { profile: OfProfile, point: OfPoint }[entityType];
  return (
    <Opener word={w.back} kind="quiet" label={label}>
      {(close) => <Form change={change} changed={changed} onClose={close} />}
    </Opener>
  );
}

type FormGiven = Given & { onClose(): void };

function OfPoint({ change, ...given }: FormGiven) {
  const item = useAsk('GET /manager/point/get_by_id', { id: change.entityId });
  const reach = useReach(item.data?.profileId);
  const { version, note, waits } = useBefore(change, 'point');
  if (!item.data || !version)
    return <Waiting change={change} asked={[item, waits]} onClose={given.onClose} />;
  const { profileId } = item.data;
  return (
    <PointForm
      profileId={profileId}
      item={item.data}
      reach={reach}
      {...(typeof version !== 'string' && { version })}
      note={note}
      {...given}
    />
  );
}

function OfProfile({ change, ...given }: FormGiven) {
  const profile = useAsk('GET /manager/profile/get_by_id', { id: change.entityId });
  const reach = useReach(profile.data?.id);
  const { version, note, waits } = useBefore(change, 'profile');
  if (!profile.data || !version)
    return <Waiting change={change} asked={[profile, waits]} onClose={given.onClose} />;
  return (
    <EditProfile
      profile={profile.data}
      reach={reach}
      {...(typeof version !== 'string' && { version })}
      note={note}
      {...given}
    />
  );
}

function useBefore({ entityId, at }: Change, of: 'point' | 'profile') {
  const waits = useVersion({ entityType: of, entityId }, at);
  const version = waits.data;
  const has = Object.keys(COLUMNS[of]);
  return { version, note: version && <VersionNote of={of} version={version} has={has} />, waits };
}

/** How many devices a profile has; null where that is not known. */
function useReach(profileId: string | undefined): number | null {
  const devices = useAsk(
    'POST /manager/device/list',
    profileId !== undefined && may('svc-center-manager:device:list')
      ? { profileId, page: { current: 1, size: 1 } }
      : null,
  );
  return devices.data?.total ?? null;
}

type WaitingGiven = { change: Change; asked: readonly Asked<unknown>[]; onClose(): void };

/** Until it is known what to enter; where the thing is gone, that. */
const Waiting = ({ change, asked, onClose }: WaitingGiven) => (
  <Dialog
    title={versionWords().backTo(change.entityName || change.entityId)}
    onClose={onClose}
    actions={<Button onPress={onClose}>{partWords().close}</Button>}
  >
    {asked.map(
      (each, index) =>
        each.data === null && (
          <Loaded key={index} asked={each}>
            {() => null}
          </Loaded>
        ),
    )}
  </Dialog>
);
