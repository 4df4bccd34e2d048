import { useLayoutEffect, useRef } from 'preact/hooks';

import { shellWords } from '../word/shell.ts';
import { Login } from './login.tsx';

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
