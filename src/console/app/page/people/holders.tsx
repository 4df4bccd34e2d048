import { useAsk } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { Link } from '../../route/link.tsx';
import { rolesWords } from '../../word/roles.ts';

const SHOWN = 100;

/** The people and programs that have a role. */
export function Holders({ roleId }: { roleId: string }) {
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
