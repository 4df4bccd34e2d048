import { useId, useState } from 'preact/hooks';

import { type AnswerOf, sendTable } from '../../client/call.ts';
import { type Failure, failureOf } from '../../client/failure.ts';
import { may } from '../../client/session.ts';
import { type Encoding, ENCODINGS, tableOf } from '../../client/table/chosen-table.ts';
import { Button } from '../../part/control/button.tsx';
import { Check, Choice, optionsIn } from '../../part/control/field.tsx';
import { RefusedNote } from '../../part/control/loaded.tsx';
import { Facts, Section } from '../../part/page.tsx';
import { Chip, Note, type State } from '../../part/value/mark.tsx';
import { importWords } from '../../word/import.ts';

type Given = { table: { driverId: string; profileId: string }; begun(importId: string): void };
type Seen = AnswerOf<'POST /manager/device/import/preview'>;

/** A file, what it would do, and doing it. */
export function Upload({ table, begun }: Given) {
  const w = importWords();
  const id = useId();
  const [csv, setCsv] = useState<string | null>(null);
  const [seen, setSeen] = useState<Seen | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isUnread, setUnread] = useState(false);
  const act = async (what: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setFailure(null);
    await what().catch((error: unknown) => setFailure(failureOf(error)));
    setBusy(false);
  };
  const [isMaking, setMaking] = useState(false);
  const preview = (text: string, missing: 'make' | 'refuse'): Promise<Seen> =>
    sendTable('POST /manager/device/import/preview', { ...table, missing, csv: text });
  const run = (text: string): Promise<void> =>
    act(async () => {
      const missing = isMaking ? 'make' : 'refuse';
      begun(await sendTable('POST /manager/device/import/run', { ...table, missing, csv: text }));
    });
  const make = (text: string, isOn: boolean): Promise<void> =>
    act(async () => {
      setMaking(isOn);
      setSeen(await preview(text, isOn ? 'make' : 'refuse'));
    });
  const [file, setFile] = useState<File | undefined>();
  const [encoding, setEncoding] = useState<Encoding | null>(null);
  const take = async (given: File | undefined, wanted?: Encoding): Promise<void> => {
    setFile(given);
    setEncoding(null);
    setSeen(null);
    setFailure(null);
    setUnread(false);
    setCsv(null);
    setMaking(false);
    if (!given) return;
    await act(async () => {
      const read = await tableOf(given, wanted);
      setUnread(read === null);
      setCsv(read?.text ?? null);
      setEncoding(read?.encoding ?? null);
      if (read !== null) setSeen(await preview(read.text, 'refuse'));
    });
  };
  const changes = seen === null ? 0 : seen.add + seen.change;
  return (
    <Section title={w.file}>
      <div class="field">
        <label for={id}>{w.fileLabel}</label>
        <input
          id={id}
          type="file"
          accept=".csv,.tsv,.txt,.xlsx,text/csv,text/tab-separated-values"
          onChange={(event) => void take(event.currentTarget.files?.[0])}
        />
      </div>
      {encoding !== null && (
        <EncodingOf value={encoding} onChange={(wanted) => void take(file, wanted)} />
      )}
      {isBusy && seen === null && <p role="status">{w.looking}</p>}
      {isUnread && (
        <Note tone="danger" shape="cross" role="alert">
          {w.unread}
        </Note>
      )}
      <RefusedNote failure={failure} />
      {seen && (
        <>
          {csv !== null && (
            <MakeMissing
              of={seen.missing}
              isOn={isMaking}
              isOff={isBusy}
              onChange={(isOn) => void make(csv, isOn)}
            />
          )}
          <Preview of={seen} />
          {may('svc-center-manager:device:add') && csv !== null && (
            <div class="row">
              <Button
                kind="primary"
                isBusy={isBusy}
                isOff={changes === 0}
                onPress={() => void run(csv)}
              >
                {w.run}
              </Button>
              <span class="quiet">{changes === 0 ? w.nothing : w.runMeans(seen.refused)}</span>
            </div>
          )}
        </>
      )}
    </Section>
  );
}

/** A table that is no Unicode was read as a guess: the person sees which, and changes it. */
function EncodingOf({ value, onChange }: { value: Encoding; onChange(wanted: Encoding): void }) {
  const w = importWords();
  return (
    <>
      <Note tone="warning" shape="triangle" role="status">
        {w.notUnicode}
      </Note>
      <Choice
        label={w.encoding}
        value={value}
        onChange={onChange}
        options={optionsIn(ENCODINGS, w.encodings)}
      />
    </>
  );
}

type MissingGiven = {
  of: Seen['missing'];
  isOn: boolean;
  isOff: boolean;
  onChange(isOn: boolean): void;
};

/** Groups and labels that the table names and that are not there: made with the import, if the person says so. */
function MakeMissing({ of: { groups, labels }, isOn, isOff, onChange }: MissingGiven) {
  const w = importWords();
  const mayMake =
    (groups.length === 0 || may('svc-center-manager:group:add')) &&
    (labels.length === 0 || may('svc-center-manager:label:add'));
  if (groups.length + labels.length === 0) return null;
  return (
    <>
      {mayMake && (
        <Check
          label={w.make(groups.length, labels.length)}
          value={isOn}
          isOff={isOff}
          onChange={onChange}
        />
      )}
      <Facts
        of={[
          [w.missingGroups, groups.length > 0 && <bdi>{listOf(groups)}</bdi>],
          [w.missingLabels, labels.length > 0 && <bdi>{listOf(labels)}</bdi>],
        ]}
      />
    </>
  );
}

const NAMED = 20;
const listOf = (names: readonly string[]): string =>
  names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ' …' : '');

const STATES: Record<Seen['rows'][number]['verdict'], Omit<State, 'word'>> = {
  REFUSED: { tone: 'danger', shape: 'cross' },
  CHANGE: { tone: 'info', shape: 'half' },
  ADD: { tone: 'good', shape: 'disc' },
  UNCHANGED: { tone: 'idle', shape: 'bar' },
};

/** What an import would do, in counts and row by row. */
function Preview({ of: { rows, total, add, change, unchanged, refused } }: { of: Seen }) {
  const w = importWords();
  return (
    <>
      <Facts
        of={[
          [w.rows, String(total)],
          [w.verdict.ADD, String(add)],
          [w.verdict.CHANGE, String(change)],
          [w.verdict.UNCHANGED, String(unchanged)],
          [w.verdict.REFUSED, String(refused)],
        ]}
      />
      <ul class="list">
        {rows.map(({ row, deviceName, verdict, column, reason, changes }) => (
          <li key={row}>
            <div class="row">
              <Chip {...STATES[verdict]} word={w.verdict[verdict]} />
              <span class="quiet tabular">{w.row(row)}</span>
              <bdi class="strong">{deviceName}</bdi>
            </div>
            {reason !== '' && (
              <p>
                {column !== '' && <bdi class="strong">{column}: </bdi>}
                <bdi lang="en">{reason}</bdi>
              </p>
            )}
            {changes.map((each) => (
              <p key={each.column}>
                <bdi class="strong">{each.column}</bdi>: <bdi>{each.before || '–'}</bdi> →{' '}
                <bdi>{each.after || '–'}</bdi>
              </p>
            ))}
          </li>
        ))}
      </ul>
      {rows.length < total && <p class="quiet">{w.first(rows.length)}</p>}
    </>
  );
}
