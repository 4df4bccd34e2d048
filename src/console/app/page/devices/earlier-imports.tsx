import { useAsk } from '../../client/ask.ts';
import { useEvery } from '../../client/use-live.ts';
import { Empty, Loaded } from '../../part/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { Link } from '../../route/link.tsx';
import { query } from '../../route/route.ts';
import { importWords } from '../../word/import.ts';
import { importState } from './import-state.ts';

const EVERY_MS = 2_000;

/** The imports that are kept, the newest first. */
export function Earlier() {
  const w = importWords();
  const asked = useAsk('POST /manager/device/import/list', {});
  useEvery(EVERY_MS, () => {
    if (asked.data?.some(({ status }) => status === 'RUNNING')) asked.again();
  });
  return (
    <Section title={w.earlier}>
      <Loaded asked={asked}>
        {(imports) =>
          imports.length === 0 ? (
            <Empty title={w.none} />
          ) : (
            <ul class="list">
              {imports.map(({ importId, status, total, creatorName, createTime }) => (
                <li key={importId}>
                  <div class="row">
                    <Chip {...importState(status)} />
                    <Link to={addressOf(importId)} isHere={query.value.get('import') === importId}>
                      {w.of(total)}
                    </Link>
                    <bdi>{creatorName}</bdi>
                    <span class="quiet">
                      <Ago at={createTime} />
                    </span>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function addressOf(importId: string): string {
  const next = new URLSearchParams(query.value);
  next.set('import', importId);
  return `/devices/import?${next.toString()}`;
}
