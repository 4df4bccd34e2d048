import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may, restore } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Choice, optionsOf } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { List } from '../../part/control/list.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { AskButton, Opener } from '../../part/control/opener.tsx';
import { Link } from '../../part/link.tsx';
import { Section } from '../../part/page.tsx';
import { Disabled, Note } from '../../part/value/mark.tsx';
import { peopleWords } from '../../word/people.ts';
import { isSelf, type User } from './user.ts';

const BUILT_IN = '0';

export function HeldRoles({ person }: { person: User }) {
  const w = peopleWords().roles;
  const maySee = may('svc-center-auth:role_principal_bind:list');
  const { principalId } = person;
  const asked = useAsk(
    'GET /auth/role_principal/list_role_by_principal',
    maySee ? { principalId } : null,
  );
  if (!maySee) return null;
  const mayGive =
    may('svc-center-auth:role_principal_bind:add') && may('svc-center-auth:role:list');
  /** Of one's own, what the pages offer changes with them. */
  const changed = (): void => {
    asked.again();
    if (isSelf(person)) void restore();
  };
  return (
    <Section
      title={w.title}
      actions={
        mayGive && (
          <Opener word={w.add}>
            {(close) => (
              <GiveRole person={person} held={asked.data ?? []} changed={changed} onClose={close} />
            )}
          </Opener>
        )
      }
    >
      <List asked={asked} rows={2} none={<Empty title={w.none}>{w.next}</Empty>}>
        {(role) => <Held key={role.id} role={role} person={person} changed={changed} />}
      </List>
    </Section>
  );
}

type HeldGiven = { role: Schemas['Role']; person: User; changed(): void };

function Held({ role, person, changed }: HeldGiven) {
  const w = peopleWords().roles;
  const find = useAct('POST /auth/role_principal/list');
  const remove = useAct('POST /auth/role_principal/delete');
  const act = {
    isRunning: find.isRunning || remove.isRunning,
    failure: find.failure ?? remove.failure,
    forgive() {
      find.forgive();
      remove.forgive();
    },
  };
  const take = async () => {
    const { principalId } = person;
    const found = await find.run({ principalId, roleId: role.id, page: { current: 1, size: 1 } });
    const bind = found?.records[0];
    // Another person may have taken it away: the list then says so.
    return bind ? remove.run({ id: bind.id }) : found;
  };
  return (
    <li>
      <div class="row">
        <Link to={`/settings/roles/${role.id}`} class="strong">
          <bdi>{role.roleName}</bdi>
        </Link>
        {role.tenantId === BUILT_IN && <span class="quiet">{w.builtIn}</span>}
        <Disabled of={role} word={w.disabled} />
        {may('svc-center-auth:role_principal_bind:delete') && (
          <div class="actions">
            <AskButton
              word={w.take}
              kind="plain"
              label={`${w.take}: ${role.roleName}`}
              title={w.question(role.roleName)}
              act={act}
              run={take}
              done={() => {
                announce(w.taken(role.roleName));
                changed();
              }}
            >
              <p>{w.takeMeans}</p>
              {isSelf(person) && (
                <Note tone="warning" shape="triangle">
                  {w.own}
                </Note>
              )}
            </AskButton>
          </div>
        )}
      </div>
    </li>
  );
}

const MOST = 100;

type Given = {
  person: User;
  held: readonly Schemas['Role'][];
  changed(): void;
  onClose(): void;
};

function GiveRole({ person, held, changed, onClose }: Given) {
  const w = peopleWords().roles;
  const roles = useAsk('POST /auth/role/list', { page: { current: 1, size: MOST } });
  const free = (roles.data?.records ?? []).filter(({ id }) => !held.some((has) => has.id === id));
  const form = useForm('POST /auth/role_principal/add', {
    fields: { roleId: '' },
    input: ({ roleId }) => ({ roleId, principalId: person.principalId }),
    done(_, { roleId }) {
      announce(w.given(free.find(({ id }) => id === roleId)?.roleName ?? ''));
      changed();
      onClose();
    },
  });
  return (
    <FormDialog title={w.add} go={w.add} {...form.sends} onClose={onClose}>
      <Loaded asked={roles} rows={1}>
        {() =>
          free.length === 0 ? (
            <p>{w.all}</p>
          ) : (
            <Choice
              label={peopleWords().role}
              hint={w.means}
              {...form.of('roleId')}
              options={optionsOf(['', w.choose], free, 'roleName')}
            />
          )
        }
      </Loaded>
    </FormDialog>
  );
}
