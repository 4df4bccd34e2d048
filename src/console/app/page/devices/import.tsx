import { useState } from 'preact/hooks';

import { SaveButton } from '../../part/control/save-button.tsx';
import { type Chosen, isChosen, OfTable } from '../../part/of-table.tsx';
import { Page, Section } from '../../part/page.tsx';
import { query, setQuery } from '../../route/route.ts';
import { importWords } from '../../word/import.ts';
import { Earlier } from './earlier-imports.tsx';
import { Running } from './import-running.tsx';
import { Upload } from './import-upload.tsx';

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
