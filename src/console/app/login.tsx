import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { call } from './client/call.ts';
import { type Failure, failureOf, Refused } from './client/failure.ts';
import { begin } from './client/session.ts';
import { store, stored } from './client/storage/stored.ts';
import { Check, TextField } from './part/control/field.tsx';
import { messageOf, wrongOf } from './part/control/loaded.tsx';
import { Choices } from './part/theme.tsx';
import { Note } from './part/value/mark.tsx';
import { shellWords } from './word/shell.ts';

const TENANT = 'svc-tenant';
/** The code of an answer that asks for a new password first (docs/specification/login.md). */
const MUST_CHANGE = 'R4031';

/** Asks for tenant, name and password, and for a new password where the platform demands one. */
export function Login({ isEnded }: { isEnded: boolean }) {
  const w = shellWords();
  const [tenant, setTenant] = useState(stored(TENANT) ?? 'default');
  // The first login of a platform, whose name its start prints as well.
  const [name, setName] = useState(stored(TENANT) === null ? 'admin' : '');
  const [password, setPassword] = useState('');
  const [fresh, setFresh] = useState<string | null>(null);
  const [isShown, setShown] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isBusy, setBusy] = useState(false);

  async function go(): Promise<void> {
    if (isBusy) return;
    setBusy(true);
    setFailure(null);
    try {
      if (fresh !== null)
        await call('POST /auth/token/change_password', {
          tenant,
          name,
          password,
          newPassword: fresh,
        });
      await begin(tenant, name, fresh ?? password);
      store(TENANT, tenant);
    } catch (error) {
      const failed = failureOf(error);
      if (failed instanceof Refused && failed.code === MUST_CHANGE) setFresh('');
      else setFailure(failed);
    } finally {
      setBusy(false);
    }
  }

  return (
    <div class="alone">
      <form
        class="login"
        onSubmit={(event) => {
          event.preventDefault();
          void go();
        }}
      >
        <p class="quiet">{w.product}</p>
        <h1>{w.login.title}</h1>
        {isEnded && <p role="status">{w.login.ended}</p>}
        <TextField
          label={w.login.tenant}
          value={tenant}
          onChange={setTenant}
          autocomplete="organization"
          autocapitalize="none"
          required
        />
        <TextField
          label={w.login.name}
          value={name}
          onChange={setName}
          autocomplete="username"
          autocapitalize="none"
          required
        />
        <TextField
          label={w.login.password}
          type="password"
          value={password}
          onChange={setPassword}
          autocomplete="current-password"
          required
        />
        {fresh !== null && (
          <>
            <TextField
              label={w.login.newPassword}
              hint={w.login.change}
              wrong={wrongOf(failure, 'newPassword')}
              type={isShown ? 'text' : 'password'}
              value={fresh}
              onChange={setFresh}
              autocomplete="new-password"
              required
            />
            <Check label={w.login.show} value={isShown} onChange={setShown} />
          </>
        )}
        {failure && (
          <Note tone="danger" shape="cross" role="alert">
            {messageOf(failure).text}
          </Note>
        )}
        <button class="primary" type="submit" aria-busy={isBusy ? 'true' : 'false'}>
          {fresh === null ? w.login.go : w.login.save}
        </button>
        <small class="quiet">{w.login.hint}</small>
      </form>
      <Choices />
    </div>
  );
}

function refuse(event: KeyboardEvent): void {
  if (event.key === 'Escape') event.preventDefault();
}

/** Asks for the login above a page whose session ended: the page stays as it is, and is neither seen nor reached. */
export function SessionEnded() {
  const shown = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    shown.current?.showModal();
    // It would close this, and then what is open below it.
    document.addEventListener('keydown', refuse, true);
    return () => {
      document.removeEventListener('keydown', refuse, true);
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={shown}
      class="over"
      aria-label={shellWords().login.title}
      onCancel={(event) => event.preventDefault()}
      // A device's back key closes it all the same.
      onClose={({ currentTarget }) => currentTarget.showModal()}
    >
      <Login isEnded />
    </dialog>
  );
}
