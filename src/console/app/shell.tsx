import { useState } from 'preact/hooks';

import { AlarmWatch, AlertChoices } from './alarm-watch.tsx';
import { type Failure, failureOf } from './client/failure.ts';
import { path } from './client/route.ts';
import { end, holder, may, restore, standing } from './client/session.ts';
import { giveUp, leaving } from './client/unsaved.ts';
import { CurrentPage } from './current-page.tsx';
import { Login, SessionEnded } from './login.tsx';
import { openPalette, Palette, usePaletteKey } from './palette.tsx';
import { Announcements } from './part/announce.tsx';
import { Button } from './part/control/button.tsx';
import { AskFirst, Dialog } from './part/control/dialog.tsx';
import { Failed, Skeleton } from './part/control/loaded.tsx';
import { linkState } from './part/link-state.ts';
import { Link } from './part/link.tsx';
import { pages, titleIn } from './part/pages.ts';
import { Choices } from './part/theme.tsx';
import { Chip } from './part/value/mark.tsx';
import { shellWords } from './word/shell.ts';

/** The whole console: the login, or the pages inside their frame. */
export function Shell() {
  const now = standing.value;
  const whose = holder.value;
  if (now.is === 'none' && whose === null)
    return (
      <main>
        <Login isEnded={now.isEnded} />
      </main>
    );
  if (now.is === 'unknown')
    return (
      <main class="alone">
        {now.failure ? (
          <Failed failure={now.failure} again={() => void restore()} />
        ) : (
          <Skeleton rows={4} />
        )}
      </main>
    );
  return (
    <>
      <Frame key={whose && `${whose.tenant.tenantCode} ${whose.person.loginName}`} />
      {now.is === 'none' && <SessionEnded />}
    </>
  );
}

function Frame() {
  usePaletteKey();
  // Of a screen on a wall the whole is read, and nothing of it is pressed.
  const isBare = path.value === '/wall';
  return (
    <div class={isBare ? 'frame bare' : 'frame'}>
      {!isBare && (
        <>
          <a class="skip" href="#content">
            {shellWords().skip}
          </a>
          <TopBar />
          <Navigation />
        </>
      )}
      <main id="content" tabIndex={-1}>
        <CurrentPage />
      </main>
      <Palette />
      <Leaving />
      <AlarmWatch />
      <Announcements />
    </div>
  );
}

/** Asks before something entered is lost. */
function Leaving() {
  const w = shellWords().leaving;
  if (leaving.value === null) return null;
  return (
    <AskFirst
      title={w.title}
      go={w.go}
      isRunning={false}
      failure={null}
      onGo={giveUp}
      onClose={() => {
        leaving.value = null;
      }}
    >
      <p>{w.text}</p>
    </AskFirst>
  );
}

/** Links to the pages that the person may see: at the side, at the bottom of a phone. */
function Navigation() {
  return (
    <nav class="navigation" aria-label={shellWords().navigation}>
      <ul>
        {pages.map(({ pattern, title, group, needs }) =>
          group !== 'navigation' || !title || (needs !== undefined && !may(needs)) ? null : (
            <li key={pattern}>
              <Link to={pattern} isHere={isBelow(pattern)}>
                {titleIn(title)}
              </Link>
            </li>
          ),
        )}
      </ul>
    </nav>
  );
}

const isBelow = (pattern: string): boolean =>
  path.value === pattern || (pattern !== '/' && path.value.startsWith(`${pattern}/`));

/** Where one is: the tenant, whether what is shown is live, the search, and the person. */
function TopBar() {
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
      <AlertChoices />
      {failure && <Failed failure={failure} />}
    </Dialog>
  );
}
