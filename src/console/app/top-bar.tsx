import { useState } from 'preact/hooks';

import { type Failure, failureOf } from './client/failure.ts';
import { link } from './client/live.ts';
import { end, holder } from './client/session.ts';
import { openPalette } from './palette.tsx';
import { Button } from './part/control/button.tsx';
import { Dialog } from './part/control/dialog.tsx';
import { Failed } from './part/control/loaded.tsx';
import { Choices } from './part/theme.tsx';
import { Chip, type State } from './part/value/mark.tsx';
import { shellWords } from './word/shell.ts';
import { stateWords } from './word/state.ts';

/** Where one is: the tenant, whether what is shown is live, the search, and the person. */
export function TopBar() {
  const w = shellWords();
  const [isOpen, setOpen] = useState(false);
  const now = holder.value;
  return (
    <header class="top">
      <p class="strong">
        <bdi>{now?.tenant.tenantName}</bdi>
      </p>
      <Chip {...linkState()} />
      <div class="actions">
        <Button onPress={openPalette}>
          {w.search} <kbd>Ctrl K</kbd>
        </Button>
        <Button onPress={() => setOpen(true)} isOpen={isOpen}>
          <bdi>{now?.person.displayName || now?.person.loginName}</bdi>
        </Button>
      </div>
      {isOpen && <Person onClose={() => setOpen(false)} />}
    </header>
  );
}

function Person({ onClose }: { onClose(): void }) {
  const w = shellWords();
  const now = holder.value;
  const [failure, setFailure] = useState<Failure | null>(null);
  return (
    <Dialog
      title={now?.person.displayName || now?.person.loginName || ''}
      onClose={onClose}
      actions={
        <Button onPress={() => void end().catch((error: unknown) => setFailure(failureOf(error)))}>
          {w.logout}
        </Button>
      }
    >
      <p class="quiet">
        <bdi>{now?.person.loginName}</bdi> · <bdi>{now?.tenant.tenantCode}</bdi>
      </p>
      <Choices />
      {failure && <Failed failure={failure} />}
    </Dialog>
  );
}

const LINKS = {
  off: { tone: 'idle', shape: 'bar' },
  opening: { tone: 'idle', shape: 'ring' },
  live: { tone: 'good', shape: 'disc' },
  away: { tone: 'warning', shape: 'triangle' },
} as const;

const linkState = (): State => ({ ...LINKS[link.value], word: stateWords().link[link.value] });
