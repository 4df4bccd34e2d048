import { useAct, useAsk } from '../../client/ask.ts';
import type { Parameters } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { Loaded } from '../../part/control/loaded.tsx';
import { AskButton } from '../../part/control/opener.tsx';
import { Facts, Section } from '../../part/page.tsx';
import { titleOf } from '../../part/pages.ts';
import { Disabled } from '../../part/value/mark.tsx';
import { Moment } from '../../part/value/time.tsx';
import { peopleWords } from '../../word/people.ts';
import { SettingsPage } from '../settings/frame.tsx';
import { HeldRoles } from './held-roles.tsx';
import { Login } from './login.tsx';
import { isSelf, nameOf, type User } from './user.ts';

/** `/settings/people/:id`: one person: what is known, roles, login, access. */
export function Person({ id = '' }: Parameters) {
  const w = peopleWords();
  const asked = useAsk('GET /auth/user_profile/get_by_id', { id });
  const person = asked.data;
  return (
    <SettingsPage
      title={person === null ? titleOf('/settings/people') : nameOf(person)}
      state={
        person && (
          <>
            {isSelf(person) && <span class="quiet">({w.you})</span>}
            <Disabled of={person} />
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

/** Whether anything works in the name of a person: disabled and enabled. */
function Access({ person, again }: { person: User; again(): void }) {
  const w = peopleWords().turn;
  const enable = useAct('POST /auth/principal/enable');
  const disable = useAct('POST /auth/principal/disable');
  const isOn = person.enableFlag === 'ENABLE';
  const name = nameOf(person);
  const turn = isOn ? disable : enable;
  const mayTurn = may('svc-center-auth:principal:update') && !isSelf(person);
  return (
    <Section
      title={w.title}
      actions={
        mayTurn && (
          <AskButton
            word={isOn ? w.disable : w.enable}
            kind={isOn ? 'danger' : 'plain'}
            title={isOn ? w.disableTitle(name) : w.enableTitle(name)}
            act={turn}
            run={() => turn.run({ id: person.principalId })}
            done={() => {
              announce(isOn ? w.disabled(name) : w.enabled(name));
              again();
            }}
          >
            <p>{isOn ? w.disableMeans : w.enableMeans}</p>
          </AskButton>
        )
      }
    >
      <p class="quiet">{isSelf(person) ? w.own : isOn ? w.isOn : w.isOff}</p>
    </Section>
  );
}
