import { useAsk } from '../../client/ask.ts';
import { Loaded } from '../../part/loaded.tsx';
import { Facts } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Moment } from '../../part/value/time.tsx';
import type { Parameters } from '../../route/route.ts';
import { peopleWords } from '../../word/people.ts';
import { SettingsPage } from '../settings/frame.tsx';
import { Access } from './access.tsx';
import { HeldRoles } from './held-roles.tsx';
import { Login } from './login.tsx';
import { isSelf, nameOf } from './user.ts';

/** `/settings/people/:id`: one person: what is known, roles, login, access. */
export function Person({ id = '' }: Parameters) {
  const w = peopleWords();
  const asked = useAsk('GET /auth/user_profile/get_by_id', { id });
  const person = asked.data;
  return (
    <SettingsPage
      title={person === null ? w.title : nameOf(person)}
      state={
        person && (
          <>
            {isSelf(person) && <span class="quiet">({w.you})</span>}
            {person.enableFlag === 'DISABLE' && <Chip tone="idle" shape="bar" word={w.disabled} />}
          </>
        )
      }
    >
      <Loaded asked={asked} rows={6}>
        {(found) => (
          <>
            <Facts
              of={[
                [w.user, <bdi key="user">{found.userName}</bdi>],
                [w.email, found.email && <bdi key="email">{found.email}</bdi>],
                [w.phone, found.phone && <bdi key="phone">{found.phone}</bdi>],
                [w.added, <Moment key="added" at={found.createTime} />],
              ]}
            />
            <HeldRoles person={found} />
            <Login person={found} />
            <Access person={found} again={asked.again} />
          </>
        )}
      </Loaded>
    </SettingsPage>
  );
}
