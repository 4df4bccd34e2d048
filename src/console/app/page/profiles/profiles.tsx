import { useAsk } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import { navigate } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { List, pageIn } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { Opener } from '../../part/control/opener.tsx';
import { Order, orderIn } from '../../part/control/order.tsx';
import { Link } from '../../part/link.tsx';
import { Page } from '../../part/page.tsx';
import { Disabled } from '../../part/value/mark.tsx';
import { groupsWords } from '../../word/groups.ts';
import { profilesWords } from '../../word/profiles.ts';

const ORDERS = bounds['POST /manager/profile/list'].orderBy.values;
const SIZE = 50;

/** `/profiles`: the kinds of devices of the tenant. */
export function Profiles() {
  const w = profilesWords();
  const asked = useAsk('POST /manager/profile/list', {
    orderBy: orderIn(ORDERS),
    page: pageIn('page', SIZE),
  });
  return (
    <Page
      actions={
        <>
          {may('svc-center-manager:profile:add') && (
            <Opener word={w.add}>{(close) => <NewProfile onClose={close} />}</Opener>
          )}
          <Link to="/devices">{groupsWords().toDevices}</Link>
        </>
      }
    >
      <p class="quiet">{w.lead}</p>
      <div class="row filters">
        <Order orders={ORDERS} page="page" />
      </div>
      <List asked={asked} page="page" rows={6} none={<Empty title={w.none}>{w.next}</Empty>}>
        {(profile) => (
          <li key={profile.id}>
            <div class="row">
              <Link to={`/profiles/${profile.id}`} class="strong">
                <bdi>{profile.profileName}</bdi>
              </Link>
              <Disabled of={profile} />
              <span class="quiet">
                <bdi>{profile.remark}</bdi>
              </span>
            </div>
          </li>
        )}
      </List>
    </Page>
  );
}

/** Adds a profile, which has no points yet. */
function NewProfile({ onClose }: { onClose(): void }) {
  const w = profilesWords();
  const form = useForm('POST /manager/profile/add', {
    fields: { profileName: '', profileCode: '', remark: '' },
    input: ({ profileCode, ...given }) => ({
      ...given,
      ...(profileCode !== '' && { profileCode }),
    }),
    done(id, { profileName }) {
      announce(w.saved(profileName));
      navigate(`/profiles/${id}`);
    },
  });
  return (
    <FormDialog title={w.add} go={w.add} {...form.sends} onClose={onClose}>
      <TextField label={w.name} {...form.of('profileName')} />
      <TextField label={w.code} hint={w.codeHint} {...form.of('profileCode')} />
      <TextField label={w.remark} {...form.of('remark')} />
    </FormDialog>
  );
}
