import { path } from './client/route.ts';
import { holder, may, restore, standing } from './client/session.ts';
import { CurrentPage } from './current-page.tsx';
import { Login, SessionEnded } from './login.tsx';
import { Palette, usePaletteKey } from './palette.tsx';
import { Announcements } from './part/announce.tsx';
import { Failed, Skeleton } from './part/control/loaded.tsx';
import { Link } from './part/link.tsx';
import { pages, titleIn } from './part/pages.ts';
import { TopBar } from './top-bar.tsx';
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
