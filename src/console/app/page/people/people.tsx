import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { List } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { pageIn } from '../../part/control/pager.tsx';
import { Search } from '../../part/control/search.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Link } from '../../route/link.tsx';
import { query } from '../../route/route.ts';
import { peopleWords } from '../../word/people.ts';
import { SettingsPage } from '../settings/frame.tsx';
import { NewPerson } from './new-person.tsx';
import { isSelf } from './user.ts';

const SIZE = 20;

/** `/settings/people`: the people of the tenant. */
export function People() {
  const w = peopleWords();
  const wanted = query.value.get('name') ?? '';
  const asked = useAsk('POST /auth/user_profile/list', {
    ...(wanted !== '' && { userName: wanted }),
    page: pageIn('page', SIZE),
  });
  const [isAdding, setAdding] = useState(false);
  const mayAdd = may('svc-center-auth:user:add') && may('svc-center-auth:local_credential:add');
  return (
    <SettingsPage
      title={w.title}
      actions={mayAdd && <Button onPress={() => setAdding(true)}>{w.add}</Button>}
    >
      <div class="row filters">
        <Search label={w.search} name="name" page="page" />
      </div>
      <List
        asked={asked}
        page="page"
        rows={4}
        none={<Empty title={wanted === '' ? w.none : w.noneFound} />}
      >
        {(person) => <Row key={person.id} person={person} />}
      </List>
      {isAdding && (
        <NewPerson
          onClose={() => {
            setAdding(false);
            asked.again();
          }}
        />
      )}
    </SettingsPage>
  );
}

function Row({ person }: { person: Schemas['User'] }) {
  const w = peopleWords();
  return (
    <li>
      <div class="row">
        <Link to={`/settings/people/${person.id}`} class="strong">
          <bdi>{person.nickName || person.userName}</bdi>
        </Link>
        <bdi class="quiet">{person.userName}</bdi>
        <bdi class="quiet">{person.email}</bdi>
        {isSelf(person) && <span class="quiet">({w.you})</span>}
        {person.enableFlag === 'DISABLE' && <Chip tone="idle" shape="bar" word={w.disabled} />}
      </div>
    </li>
  );
}
