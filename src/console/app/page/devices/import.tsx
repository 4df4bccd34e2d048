import { useState } from 'preact/hooks';

import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { query, setQuery } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { useEvery } from '../../client/use-live.ts';
import { Button } from '../../part/control/button.tsx';
import { Empty, Loaded, RefusedNote } from '../../part/control/loaded.tsx';
import { SaveButton } from '../../part/control/save-button.tsx';
import { Link } from '../../part/link.tsx';
import { Facts, Page, Section } from '../../part/page.tsx';
import { Chip, type State } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { importWords } from '../../word/import.ts';
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
    <Page>
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
      <Loaded asked={asked} none={<Empty title={w.none} />}>
        {(imports) => (
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
        )}
      </Loaded>
    </Section>
  );
}

function addressOf(importId: string): string {
  const next = new URLSearchParams(query.value);
  next.set('import', importId);
  return `/devices/import?${next.toString()}`;
}

const PROGRESS_MS = 1_000;

/** How far an import is, and what it refused. */
function Running({ importId }: { importId: string }) {
  const w = importWords();
  const asked = useAsk('GET /manager/device/import/get', { importId });
  useEvery(PROGRESS_MS, () => {
    if (asked.data === null || asked.data.status === 'RUNNING') asked.again();
  });
  return (
    <Section title={w.progress}>
      <Loaded asked={asked}>{(of) => <Progress of={of} again={asked.again} />}</Loaded>
    </Section>
  );
}

type Given = { of: Schemas['DeviceImportWithRefusals']; again(): void };

function Progress({ of, again }: Given) {
  const w = importWords();
  const cancel = useAct('POST /manager/device/import/cancel', again);
  const { importId, status, why, total, done, refusals } = of;
  return (
    <>
      <div class="row" aria-live="polite">
        <Chip {...importState(status)} />
        <span class="tabular">{w.done(done, total)}</span>
      </div>
      <progress value={done} max={Math.max(1, total)} aria-label={w.progress} />
      {why !== '' && <bdi lang="en">{why}</bdi>}
      <Facts
        of={[
          [w.ended.ADD, String(of.added)],
          [w.ended.CHANGE, String(of.changed)],
          [w.ended.UNCHANGED, String(of.unchanged)],
          [w.ended.REFUSED, String(of.refused)],
        ]}
      />
      <ul class="list">
        {refusals.map(({ row, deviceName, column, reason }) => (
          <li key={row}>
            <div class="row">
              <span class="quiet tabular">{w.row(row)}</span>
              <bdi class="strong">{deviceName}</bdi>
            </div>
            <p>
              {column !== '' && <bdi class="strong">{column}: </bdi>}
              <bdi lang="en">{reason}</bdi>
            </p>
          </li>
        ))}
      </ul>
      {refusals.length < of.refused && <p class="quiet">{w.first(refusals.length)}</p>}
      <RefusedNote failure={cancel.failure} />
      <div class="row">
        {status === 'RUNNING' && may('svc-center-manager:device:update') && (
          <Button isBusy={cancel.isRunning} onPress={() => void cancel.run({ importId })}>
            {w.cancel}
          </Button>
        )}
        <SaveButton
          operation="GET /manager/device/import/report"
          input={{ importId }}
          name="import-report.csv"
        >
          {w.report}
        </SaveButton>
      </div>
    </>
  );
}

type Status = Schemas['DeviceImport']['status'];

const STATES: Record<Status, Omit<State, 'word'>> = {
  RUNNING: { tone: 'info', shape: 'half' },
  DONE: { tone: 'good', shape: 'check' },
  CANCELLED: { tone: 'idle', shape: 'bar' },
  FAILED: { tone: 'danger', shape: 'cross' },
};

const importState = (status: Status): State => ({
  ...STATES[status],
  word: importWords().status[status],
});
