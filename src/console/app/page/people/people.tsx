import { useEffect, useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { Button } from '../../part/control/button.tsx';
import { TextField } from '../../part/control/field.tsx';
import { pageIn, Pager } from '../../part/control/pager.tsx';
import { Empty, Loaded } from '../../part/loaded.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Link } from '../../route/link.tsx';
import { query, setQuery } from '../../route/route.ts';
import { may } from '../../session/session.ts';
import { peopleWords } from '../../word/settings/people.ts';
import { SettingsPage } from '../settings/frame.tsx';
import { NewPerson } from './new-person.tsx';
import { isSelf } from './user.ts';

const SIZE = 20;
const PAUSE_MS = 200;

/** `/settings/people`: the people of the tenant. */
export function People() {
  const w = peopleWords();
  const current = pageIn(query.value, 'page');
  const wanted = query.value.get('name') ?? '';
  const asked = useAsk('POST /auth/user_profile/list', {
    ...(wanted !== '' && { userName: wanted }),
    page: { current, size: SIZE },
  });
  const [isAdding, setAdding] = useState(false);
  const mayAdd = may('svc-center-auth:user:add') && may('svc-center-auth:local_credential:add');
  return (
    <SettingsPage
      title={w.title}
      actions={mayAdd && <Button onPress={() => setAdding(true)}>{w.add}</Button>}
    >
      <Search />
      <Loaded asked={asked} rows={4}>
        {({ records, total }) => (
          <>
            {records.length === 0 && <Empty title={wanted === '' ? w.none : w.noneFound} />}
            <ul class="list">
              {records.map((person) => (
                <Row key={person.id} person={person} />
              ))}
            </ul>
            <Pager name="page" current={current} size={SIZE} shown={records.length} total={total} />
          </>
        )}
      </Loaded>
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

/** Narrows the list to a part of the user name; kept in the address. */
function Search() {
  const [name, setName] = useState(query.peek().get('name') ?? '');
  useEffect(() => {
    const timer = setTimeout(() => {
      if ((query.peek().get('name') ?? '') !== name) setQuery({ name, page: null });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [name]);
  return (
    <div class="row filters">
      <TextField label={peopleWords().search} type="search" value={name} onChange={setName} />
    </div>
  );
}
