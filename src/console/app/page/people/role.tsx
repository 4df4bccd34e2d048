import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { navigate, type Parameters } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { AskButton, Opener } from '../../part/control/opener.tsx';
import { Link } from '../../part/link.tsx';
import { Facts, Section } from '../../part/page.tsx';
import { titleOf } from '../../part/pages.ts';
import { Disabled } from '../../part/value/mark.tsx';
import { rolesWords } from '../../word/roles.ts';
import { SettingsPage } from '../settings/frame.tsx';
import { Rights } from './rights.tsx';
import { BUILT_IN } from './roles.tsx';

/** `/settings/roles/:id`: one role: its name, its rights, and those that have it. */
export function Role({ id = '' }: Parameters) {
  const w = rolesWords();
  const asked = useAsk('GET /auth/role/get_by_id', { id });
  const remove = useAct('POST /auth/role/delete');
  const role = asked.data;
  const isOwn = role !== null && role.tenantId !== BUILT_IN;
  return (
    <SettingsPage
      title={role?.roleName ?? titleOf('/settings/roles')}
      state={
        <>
          {role && !isOwn && <span class="quiet">{w.builtIn}</span>}
          <Disabled of={role} word={w.disabled} />
        </>
      }
      actions={
        isOwn && (
          <>
            {may('svc-center-auth:role:update') && (
              <Opener word={w.rename}>
                {(close) => <Rename role={role} changed={asked.again} onClose={close} />}
              </Opener>
            )}
            {may('svc-center-auth:role:delete') && (
              <AskButton
                title={w.question(role.roleName)}
                act={remove}
                run={() => remove.run({ id })}
                done={() => {
                  announce(w.deleted(role.roleName));
                  navigate('/settings/roles', { replace: true });
                }}
              >
                <p>{w.means}</p>
              </AskButton>
            )}
          </>
        )
      }
    >
      <Loaded asked={asked} rows={6}>
        {(found) => (
          <>
            {!isOwn && <p class="quiet">{w.fixed}</p>}
            <Facts of={[[w.code, <bdi key="code">{found.roleCode}</bdi>]]} />
            <Holders roleId={id} />
            <Rights key={id} roleId={id} isOwn={isOwn} />
          </>
        )}
      </Loaded>
    </SettingsPage>
  );
}

type Given = { role: Schemas['Role']; changed(): void; onClose(): void };

/** Gives a role another name; its code stays. */
function Rename({ role: { id, roleName }, changed, onClose }: Given) {
  const w = rolesWords();
  const form = useForm('POST /auth/role/update', {
    fields: { roleName },
    needs: ['roleName'],
    input: (given) => (given.roleName === roleName ? null : { id, ...given }),
    done() {
      announce(w.renamed);
      changed();
      onClose();
    },
  });
  return (
    <FormDialog title={w.rename} go={w.rename} {...form.sends} onClose={onClose}>
      <TextField label={w.name} {...form.of('roleName')} />
    </FormDialog>
  );
}

const SHOWN = 100;

function Holders({ roleId }: { roleId: string }) {
  const w = rolesWords().holders;
  const maySee = may('svc-center-auth:role_principal_bind:list');
  const asked = useAsk('GET /auth/role_principal/list_user_by_role', maySee ? { roleId } : null);
  if (!maySee) return null;
  return (
    <Section title={w.title}>
      <Loaded asked={asked} rows={1}>
        {(people) => (
          <>
            {people.length === 0 && <Empty title={w.none}>{w.next}</Empty>}
            <ul class="row">
              {people.slice(0, SHOWN).map((person) => (
                <li key={person.id}>
                  <Link to={`/settings/people/${person.id}`}>
                    <bdi>{person.nickName || person.userName}</bdi>
                  </Link>
                </li>
              ))}
            </ul>
            {people.length > SHOWN && <p class="quiet">{w.first(SHOWN, people.length)}</p>}
          </>
        )}
      </Loaded>
      <Programs roleId={roleId} />
    </Section>
  );
}

/** Nothing where no program has it. */
function Programs({ roleId }: { roleId: string }) {
  const w = rolesWords().holders;
  const binds = useAsk('POST /auth/role_principal/list', {
    roleId,
    principalType: 'SERVICE_ACCOUNT',
    page: { current: 1, size: SHOWN },
  });
  const { records = [], total = 0 } = binds.data ?? {};
  const ids = records.map(({ principalId }) => principalId);
  const names = useAsk(
    'POST /auth/principal/list_by_ids',
    ids.length > 0 && may('svc-center-auth:principal:list') ? { ids } : null,
  );
  if (ids.length === 0) return null;
  return (
    <>
      <h3>{w.programs}</h3>
      <Loaded asked={names} rows={1}>
        {(programs) => (
          <ul class="row">
            {programs.map(({ id, displayName, principalName }) => (
              <li key={id}>
                <bdi>{displayName || principalName}</bdi>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {total > SHOWN && <p class="quiet">{w.first(SHOWN, total)}</p>}
    </>
  );
}
