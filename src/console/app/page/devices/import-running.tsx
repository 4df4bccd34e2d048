import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { useEvery } from '../../client/use-live.ts';
import { Button } from '../../part/control/button.tsx';
import { Loaded, RefusedNote } from '../../part/control/loaded.tsx';
import { SaveButton } from '../../part/control/save-button.tsx';
import { Facts, Section } from '../../part/page.tsx';
import { Chip, type State } from '../../part/value/mark.tsx';
import { importWords } from '../../word/import.ts';

const EVERY_MS = 1_000;

/** How far an import is, and what it refused. */
export function Running({ importId }: { importId: string }) {
  const w = importWords();
  const asked = useAsk('GET /manager/device/import/get', { importId });
  useEvery(EVERY_MS, () => {
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

export const importState = (status: Status): State => ({
  ...STATES[status],
  word: importWords().status[status],
});
