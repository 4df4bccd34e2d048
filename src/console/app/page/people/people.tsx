import { useState } from 'preact/hooks';

import { useAct, useAsk } from '../../client/ask.ts';
import { call } from '../../client/call.ts';
import type { Schemas } from '../../client/operations.ts';
import { query } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Choice, optionsOf, TextField } from '../../part/control/field.tsx';
import { List, pageIn } from '../../part/control/list.tsx';
import { Empty, wrongOf } from '../../part/control/loaded.tsx';
import { Opener } from '../../part/control/opener.tsx';
import { Search } from '../../part/control/search.tsx';
import { Link } from '../../part/link.tsx';
import { Disabled } from '../../part/value/mark.tsx';
import { peopleWords } from '../../word/people.ts';
import { SettingsPage } from '../settings/frame.tsx';
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
  const mayAdd = may('svc-center-auth:user:add') && may('svc-center-auth:local_credential:add');
  return (
    <SettingsPage
      actions={
        mayAdd && (
          <Opener word={w.add} closed={asked.again}>
            {(close) => <NewPerson onClose={close} />}
          </Opener>
        )
      }
    >
      <div class="row filters">
        <Search label={w.search} name="name" page="page" />
      </div>
      <List
        asked={asked}
        page="page"
        rows={4}
        sorts={{ name: (row) => row.nickName || row.userName, user: (row) => row.userName }}
        none={<Empty title={wanted === '' ? w.none : w.noneFound} />}
      >
        {(person) => <Row key={person.id} person={person} />}
      </List>
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
        <Disabled of={person} />
      </div>
    </li>
  );
}

const MOST = 100;

/** Adds a person with a first password, which has to be changed at the first login, and a role. */
function NewPerson({ onClose }: { onClose(): void }) {
  const w = peopleWords();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState('');
  const [principalId, setPrincipalId] = useState<string | null>(null);
  const roles = useAsk(
    'POST /auth/role/list',
    may('svc-center-auth:role:list') ? { page: { current: 1, size: MOST } } : null,
  );
  const add = useAct('POST /auth/user_profile/add');
  const login = useAct('POST /auth/local_credential/add');
  const bind = useAct('POST /auth/role_principal/add');
  /** What was made stays: a second press goes on where the first was refused. */
  const go = async (): Promise<void> => {
    const made = principalId ?? (await person());
    if (made === null) return;
    const isLogin = await login.run({ principalId: made, loginName: name, password });
    if (isLogin === null) return;
    if (role !== '' && (await bind.run({ roleId: role, principalId: made })) === null) return;
    onClose();
  };
  async function person(): Promise<string | null> {
    const id = await add.run({ userName: name, nickName: name });
    if (id === null) return null;
    const made = (await call('GET /auth/user_profile/get_by_id', { id })).principalId;
    setPrincipalId(made);
    return made;
  }
  const failure = add.failure ?? login.failure ?? bind.failure;
  const isBusy = add.isRunning || login.isRunning || bind.isRunning;
  return (
    <FormDialog
      title={w.add}
      go={w.add}
      isRunning={isBusy}
      isOff={name === '' || password === ''}
      failure={failure}
      onGo={() => void go()}
      onClose={onClose}
    >
      <TextField
        label={w.name}
        value={name}
        onChange={setName}
        wrong={wrongOf(add.failure, 'userName') ?? wrongOf(login.failure, 'loginName')}
        autocomplete="off"
      />
      <TextField
        label={w.first}
        hint={w.firstHint}
        type="password"
        value={password}
        onChange={setPassword}
        wrong={wrongOf(login.failure, 'password')}
        autocomplete="new-password"
      />
      {roles.data && (
        <Choice
          label={w.role}
          value={role}
          onChange={setRole}
          options={optionsOf(['', w.noRole], roles.data.records, 'roleName')}
        />
      )}
    </FormDialog>
  );
}
