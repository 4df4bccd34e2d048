import { useAsk } from '../client/ask.ts';
import { query } from '../client/route.ts';
import { List } from '../part/control/list.tsx';
import { Empty } from '../part/control/loaded.tsx';
import { Search } from '../part/control/search.tsx';
import { Link } from '../part/link.tsx';
import { Manuals as Listed, Owner } from '../part/manuals.tsx';
import { Page, Section } from '../part/page.tsx';
import { manualsWords } from '../word/manuals.ts';

const WORDS = 'words';
const MAX_FOUND = 10;

/** `/manuals`: the documents of the tenant, of its profiles and devices, searched by words. */
export function Manuals() {
  const w = manualsWords();
  const words = query.value.get(WORDS) ?? '';
  const asked = useAsk(
    'POST /agentic/manual/search',
    /[\p{L}\p{N}]/u.test(words) ? { words, limit: MAX_FOUND } : null,
  );
  return (
    <Page>
      <p class="quiet">{w.lead}</p>
      <Search label={w.search} name={WORDS} />
      {words !== '' && (
        <Section title={w.found}>
          <List asked={asked} rows={3} label={w.found} none={<Empty title={w.notFound} />}>
            {(found) => (
              <li key={`${found.manualId} ${found.page}`}>
                <div class="row">
                  <Link to={`/manuals/${found.manualId}?page=${found.page}`}>
                    <bdi class="strong">{found.manualName}</bdi> {w.place(found.page, found.pages)}
                  </Link>
                  <Owner of={found} />
                </div>
                <p>
                  <bdi>{found.text}</bdi>
                </p>
              </li>
            )}
          </List>
        </Section>
      )}
      <Listed of={{}} />
    </Page>
  );
}
