import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Opener } from '../../part/control/opener.tsx';
import { Link } from '../../part/link.tsx';
import { Facts, Section } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { peopleWords } from '../../word/people.ts';
import { type User, isSelf, nameOf } from './user.ts';

/** How a person logs in: the login name, the state of the password, and a new first one. */
export function Login({ person }: { person: User }) {
  const w = peopleWords().login;
  const maySee = may('svc-center-auth:local_credential:list');
  const { principalId } = person;
  const asked = useAsk(
    'POST /auth/local_credential/list',
    maySee ? { principalId, page: { current: 1, size: 1 } } : null,
  );
  if (!maySee) return null;
  const login = asked.data?.records[0];
  const maySet =
    asked.data !== null &&
    !isSelf(person) &&
    may(`svc-center-auth:local_credential:${login ? 'update' : 'add'}`);
  return (
    <Section
      title={w.title}
      actions={
        maySet && (
          <Opener word={login ? w.reset : w.add}>
            {(close) => (
              <FirstPassword
                person={person}
                login={login ?? null}
                onClose={close}
                changed={asked.again}
              />
            )}
          </Opener>
        )
      }
    >
      <Loaded asked={asked} rows={2}>
        {({ records: [found] }) =>
          found ? <Known login={found} /> : <Empty title={w.none}>{w.next}</Empty>
        }
      </Loaded>
      {isSelf(person) && <Link to="/settings">{w.own}</Link>}
    </Section>
  );
}

function Known({ login }: { login: Schemas['LocalCredential'] }) {
  const w = peopleWords();
  const isOff = login.enableFlag === 'DISABLE';
  const isFirst = login.requirePasswordChange === 'REQUIRED';
  return (
    <>
      {(isOff || isFirst) && (
        <div class="row">
          {isOff && <Chip tone="idle" shape="bar" word={w.login.disabled} />}
          {isFirst && <Chip tone="info" shape="ring" word={w.login.mustChange} />}
        </div>
      )}
      <Facts
        of={[
          [w.name, <bdi key="name">{login.loginName}</bdi>],
          [w.login.set, <Ago key="set" at={login.passwordUpdatedTime} />],
          [
            w.login.ends,
            login.passwordExpireTime && <Ago key="ends" at={login.passwordExpireTime} />,
          ],
          [w.login.failed, login.failedAttempts > 0 && String(login.failedAttempts)],
        ]}
      />
    </>
  );
}

type Given = {
  person: User;
  /** Null where the person has none yet. */
  login: Schemas['LocalCredential'] | null;
  changed(): void;
  onClose(): void;
};

/** Sets a password that has to be changed at the next login, of a login that is there or made with it. */
function FirstPassword({ person, login, changed, onClose }: Given) {
  const w = peopleWords();
  const form = useForm(
    login ? 'POST /auth/local_credential/reset_password' : 'POST /auth/local_credential/add',
    {
      fields: { loginName: login?.loginName ?? person.userName, password: '' },
      needs: ['loginName', 'password'],
      input: ({ loginName, password }) =>
        login
          ? { id: login.id, password }
          : { principalId: person.principalId, loginName, password },
      done() {
        announce(w.login.resetDone);
        changed();
        onClose();
      },
    },
  );
  const label = login ? w.login.reset : w.login.add;
  return (
    <FormDialog
      title={login ? w.login.resetTitle(nameOf(person)) : label}
      go={label}
      kind={login ? 'danger' : 'primary'}
      {...form.sends}
      onClose={onClose}
    >
      <p>{login ? w.login.resetMeans : w.login.addMeans}</p>
      {!login && <TextField label={w.name} {...form.of('loginName')} />}
      <TextField
        label={login ? w.login.fresh : w.first}
        type="password"
        {...form.of('password')}
        autocomplete="new-password"
      />
    </FormDialog>
  );
}
