import { may } from '../client/session.ts';
import { Link } from '../route/link.tsx';
import { pages, titleIn } from '../route/pages.ts';
import { path } from '../route/route.ts';
import { shellWords } from '../word/shell.ts';

/** Links to the pages that the person may see: at the side, at the bottom of a phone. */
export function Navigation() {
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
