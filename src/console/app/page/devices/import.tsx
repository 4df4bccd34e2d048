import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { query, setQuery } from '../../client/route.ts';
import { useEvery } from '../../client/use-live.ts';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { SaveButton } from '../../part/control/save-button.tsx';
import { Link } from '../../part/link.tsx';
import { Page, Section } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { importWords } from '../../word/import.ts';
import { importState, Running } from './import-running.tsx';
import { Upload } from './import-upload.tsx';
import { type Chosen, isChosen, OfTable } from './of-table.tsx';

/** `/devices/import`: devices from a table; what it would do is shown before anything is done. */
export function Import() {
  const w = importWords();
  const of: Chosen = {
    driverId: query.value.get('driverId') ?? '',
    profileId: query.value.get('profileId') ?? '',
  };
  const table = isChosen(of) ? of : null;
  const importId = query.value.get('import');
  const [turn, setTurn] = useState(0);
  return (
    <Page title={w.title}>
      <Section title={w.which}>
        <p class="quiet">{w.lead}</p>
        <OfTable
          of={of}
          onChange={({ driverId, profileId }) => setQuery({ driverId, profileId })}
        />
        <div class="row">
          <SaveButton
            operation="GET /manager/device/import/template"
            input={table}
            name="devices-template.csv"
          >
            {w.template}
          </SaveButton>
          <SaveButton operation="GET /manager/device/export" input={table} name="devices.csv">
            {w.export}
          </SaveButton>
        </div>
        <p class="quiet">{w.format}</p>
      </Section>
      {table && (
        <Upload
          key={`${table.driverId} ${table.profileId} ${turn}`}
          table={table}
          begun={(id) => {
            setQuery({ import: id }, false);
            setTurn(turn + 1);
          }}
        />
      )}
      {importId !== null && <Running key={importId} importId={importId} />}
      <Earlier key={importId} />
    </Page>
  );
}

const EVERY_MS = 2_000;

/** The imports that are kept, the newest first. */
function Earlier() {
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
                    <Ago at={createTime} isQuiet />
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
