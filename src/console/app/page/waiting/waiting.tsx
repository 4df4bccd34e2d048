import { useEffect, useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { useEvery } from '../../live/use-live.ts';
import { TextField } from '../../part/control/field.tsx';
import { pageIn, Pager } from '../../part/control/pager.tsx';
import { Empty, Loaded } from '../../part/loaded.tsx';
import { Page } from '../../part/page.tsx';
import { query, setQuery } from '../../route/route.ts';
import { isOfPlatform } from '../../session/session.ts';
import { waitingWords } from '../../word/device/waiting.ts';
import { Row } from './row.tsx';

const SIZE = 20;
const EVERY_MS = 10_000;
const PAUSE_MS = 200;

/** `/devices/waiting`: endpoints that were refused because no device has them. */
export function Waiting() {
  const w = waitingWords();
  const current = pageIn(query.value, 'page');
  const endpoint = query.value.get('endpoint') ?? '';
  const asked = useAsk('POST /manager/device/waiting/list', {
    page: { current, size: SIZE },
    ...(endpoint !== '' && { endpoint }),
  });
  useEvery(EVERY_MS, asked.again);
  const [text, setText] = useState(endpoint);
  useEffect(() => {
    const timer = setTimeout(() => {
      if ((query.peek().get('endpoint') ?? '') !== text) setQuery({ endpoint: text, page: '' });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <Page title={w.title}>
      <p class="quiet">
        {w.lead} {!isOfPlatform() && w.leadOthers}
      </p>
      <div class="row filters">
        <TextField label={w.search} type="search" value={text} onChange={setText} />
      </div>
      <Loaded asked={asked} rows={3}>
        {({ records, total }) => (
          <>
            {records.length === 0 && <Empty title={w.none}>{w.noneNext}</Empty>}
            <ul class="list">
              {records.map((one) => (
                <Row key={one.id} one={one} changed={asked.again} />
              ))}
            </ul>
            <Pager name="page" current={current} size={SIZE} shown={records.length} total={total} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
