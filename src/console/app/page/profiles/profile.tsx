import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { navigate, type Parameters } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { Loaded } from '../../part/control/loaded.tsx';
import { AskButton, Opener } from '../../part/control/opener.tsx';
import { Link } from '../../part/link.tsx';
import { Manuals } from '../../part/manuals.tsx';
import { Facts, Page } from '../../part/page.tsx';
import { Disabled } from '../../part/value/mark.tsx';
import { type Columns, enteredOf, History, wasText } from '../../part/version.tsx';
import { devicesWords } from '../../word/devices.ts';
import { profilesWords } from '../../word/profiles.ts';
import {
  DefinitionDialog,
  flagOf,
  type FormOf,
  savedAs,
  type Shared,
  SHARED_COLUMNS,
  sharedOf,
} from './definition-dialog.tsx';
import { ProfileCommands } from './profile-commands.tsx';
import { ProfileEvents } from './profile-events.tsx';
import { ProfilePoints } from './profile-points.tsx';

type Profile = Schemas['Profile'];

/** `/profiles/:id`: a profile with its points, commands and events, each of which can be changed. */
export function Profile({ id = '' }: Parameters) {
  const w = profilesWords();
  const asked = useAsk('GET /manager/profile/get_by_id', { id });
  const devices = useAsk(
    'POST /manager/device/list',
    may('svc-center-manager:device:list') ? { profileId: id, page: { current: 1, size: 1 } } : null,
  );
  const reach = devices.data?.total ?? null;
  const profile = asked.data;
  return (
    <Page
      title={profile?.profileName ?? w.one}
      state={<Disabled of={profile} />}
      actions={
        <>
          {profile && <Actions profile={profile} reach={reach} changed={asked.again} />}
          <History entityType="profile" entityId={profile?.id} />
          <Link to="/profiles">{w.toAll}</Link>
        </>
      }
    >
      <Loaded asked={asked} rows={6} elsewhere={<Link to="/profiles">{w.toAll}</Link>}>
        {(found) => (
          <>
            <Facts
              of={[
                [w.code, <bdi key="code">{found.profileCode}</bdi>],
                [w.remark, found.remark !== '' && <bdi key="remark">{found.remark}</bdi>],
                [
                  w.devices,
                  reach !== null && (
                    <Link key="devices" to={`/devices?profileId=${id}`}>
                      {devicesWords().total(reach)}
                    </Link>
                  ),
                ],
              ]}
            />
            <ProfilePoints profileId={id} reach={reach} />
            <ProfileCommands profileId={id} reach={reach} />
            <ProfileEvents profileId={id} reach={reach} />
            <Manuals of={{ profileId: id }} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

type Given = { profile: Profile; reach: number | null; changed(): void };

function Actions({ profile, reach, changed }: Given) {
  const w = profilesWords();
  const remove = useAct('POST /manager/profile/delete');
  const { id, profileName } = profile;
  return (
    <>
      {may('svc-center-manager:profile:update') && (
        <Opener word={w.edit}>
          {(close) => (
            <EditProfile profile={profile} reach={reach} changed={changed} onClose={close} />
          )}
        </Opener>
      )}
      {may('svc-center-manager:profile:delete') && (
        <AskButton
          title={w.deleteAsk(profileName)}
          act={remove}
          run={() => remove.run({ id })}
          done={() => {
            announce(w.gone(profileName));
            navigate('/profiles', { replace: true });
          }}
        >
          <p>{w.deleteMeans}</p>
        </AskButton>
      )}
    </>
  );
}

/** What an earlier version of a profile is in the form. */
export const PROFILE_COLUMNS: Columns<{ profileName: string } & Shared> = {
  ...SHARED_COLUMNS,
  profile_name: (was) => ({ profileName: wasText(was) }),
};

/** The dialog of a profile: its name, its remark, and whether it is enabled. */
export function EditProfile({
  profile,
  ...given
}: Omit<FormOf<Profile>, 'item'> & { profile: Profile }) {
  const w = profilesWords();
  const { id, version, profileName } = profile;
  const form = useForm('POST /manager/profile/update', {
    fields: { profileName, ...sharedOf(profile) },
    entered: enteredOf(given.version ?? null, PROFILE_COLUMNS),
    needs: ['profileName'],
    input: ({ isEnabled, ...values }) => ({
      id,
      version,
      ...values,
      enableFlag: flagOf({ isEnabled }),
    }),
    done: (_, values) => savedAs(values.profileName, given),
    refused: given.changed,
  });
  return (
    <DefinitionDialog
      title={w.editOf(profileName)}
      go={null}
      form={form}
      hint={w.enabledHint}
      {...given}
    >
      <TextField label={w.name} {...form.of('profileName')} />
      <TextField label={w.remark} {...form.of('remark')} />
    </DefinitionDialog>
  );
}
