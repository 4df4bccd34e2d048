import { holder, restore, standing } from '../client/session.ts';
import { Announcements } from '../part/announce.tsx';
import { Failed, Skeleton } from '../part/control/loaded.tsx';
import { shellWords } from '../word/shell.ts';
import { CurrentPage } from './current-page.tsx';
import { Login } from './login.tsx';
import { Navigation } from './navigation.tsx';
import { Palette, usePaletteKey } from './palette.tsx';
import { SessionEnded } from './session-ended.tsx';
import { TopBar } from './top-bar.tsx';

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
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {shellWords().skip}
      </a>
      <TopBar />
      <Navigation />
      <main id="content" tabIndex={-1}>
        <CurrentPage />
      </main>
      <Palette />
      <Announcements />
    </div>
  );
}
