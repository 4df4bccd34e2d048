import { Link } from '../route/link.tsx';
import { path } from '../route/route.ts';
import { may } from '../session/session.ts';
import { shellWords } from '../word/shell.ts';
import { pages } from './pages.ts';

/** Links to the pages that the person may see: at the side, at the bottom of a phone. */
export function Navigation() {
  const w = shellWords();
  return (
    <nav class="navigation" aria-label={w.navigation}>
      <ul>
        {pages.map(({ pattern, name, isAside, needs }) =>
          name === undefined || isAside || (needs !== undefined && !may(needs)) ? null : (
            <li key={pattern}>
              <Link to={pattern} isHere={isBelow(pattern)}>
                {w.pages[name]}
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
