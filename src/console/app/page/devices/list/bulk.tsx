import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

import { useAsk } from '../../../client/ask.ts';
import { may } from '../../../client/session.ts';
import { useUnsaved } from '../../../client/unsaved.ts';
import { Button } from '../../../part/control/button.tsx';
import { Dialog } from '../../../part/control/dialog.tsx';
import { Choice, optionsOf } from '../../../part/control/field.tsx';
import { Link } from '../../../part/link.tsx';
import { titleOf } from '../../../part/pages.ts';
import { Note } from '../../../part/value/mark.tsx';
import { bulkWords } from '../../../word/bulk.ts';
import { partWords } from '../../../word/part.ts';
import {
  countOf,
  intoGroup,
  type Progress,
  removed,
  runBulk,
  turned,
  type Which,
  withLabel,
  type Work,
} from './bulk-run.ts';
import { BULK, type BulkWhat, isBulkWhat } from './may-bulk.ts';

type Given = { which: Which; done(): void };

/** A button for each thing that can be done with the chosen devices. */
export function BulkActions({ which, done }: Given) {
  const w = bulkWords();
  const [what, setWhat] = useState<BulkWhat | null>(null);
  return (
    <>
      {Object.entries(w.what).map(([each, word]) =>
        isBulkWhat(each) && may(BULK[each]) ? (
          <Button
            key={each}
            kind={each === 'remove' ? 'danger' : 'plain'}
            onPress={() => setWhat(each)}
          >
            {word}
          </Button>
        ) : null,
      )}
      {what !== null && (
        <Bulk
          what={what}
          which={which}
          onClose={(hasRun) => {
            setWhat(null);
            if (hasRun) done();
          }}
        />
      )}
    </>
  );
}

type BulkGiven = { what: BulkWhat; which: Which; onClose(hasRun: boolean): void };

/** Asks, does it with a bar, and says what became of it; what was refused is named. */
function Bulk({ what, which, onClose }: BulkGiven) {
  const w = bulkWords();
  const [to, setTo] = useState('');
  const [progress, setProgress] = useState<Progress | null>(null);
  const stop = useRef(new AbortController());
  const isRunning = progress?.ended === 'running';
  useUnsaved(isRunning);
  const work = workOf(what, to);
  const go = (): void => {
    if (work) void runBulk(which, work, stop.current.signal, setProgress);
  };
  const close = (): void => {
    stop.current.abort();
    onClose(progress !== null);
  };
  return (
    <Dialog
      title={w.title[what](countOf(which))}
      onClose={close}
      actions={
        progress === null ? (
          <>
            <Button onPress={close}>{partWords().cancel}</Button>
            <Button
              kind={what === 'remove' || what === 'disable' ? 'danger' : 'primary'}
              isOff={work === null}
              onPress={go}
            >
              {w.what[what]}
            </Button>
          </>
        ) : isRunning ? (
          <Button onPress={() => stop.current.abort()}>{w.stop}</Button>
        ) : (
          <Button onPress={close}>{partWords().close}</Button>
        )
      }
    >
      {progress === null ? (
        <>
          <p>{w.means[what]}</p>
          {what === 'group' && <GroupChoice value={to} onChange={setTo} />}
          {what === 'label' && <LabelChoice value={to} onChange={setTo} />}
        </>
      ) : (
        <How progress={progress} />
      )}
    </Dialog>
  );
}

const NO_GROUP = 'none';

function workOf(what: BulkWhat, to: string): Work | null {
  if (what === 'enable') return turned('ENABLE');
  if (what === 'disable') return turned('DISABLE');
  if (what === 'remove') return removed;
  if (to === '') return null;
  if (what === 'label') return withLabel(to);
  return intoGroup(to === NO_GROUP ? null : to);
}

const MANY = { current: 1, size: 100 };
type ChoiceGiven = { value: string; onChange(value: string): void };

function GroupChoice({ value, onChange }: ChoiceGiven) {
  const w = bulkWords();
  const groups = useAsk('POST /manager/group/list', { groupTypeFlag: 'DEVICE', page: MANY });
  return (
    <>
      <Choice
        label={w.group}
        value={value}
        onChange={onChange}
        options={[
          ...optionsOf(['', w.choose], groups.data?.records, 'groupName'),
          [NO_GROUP, w.noGroup],
        ]}
      />
      <Missing isNone={groups.data?.records.length === 0} />
    </>
  );
}

function LabelChoice({ value, onChange }: ChoiceGiven) {
  const w = bulkWords();
  const labels = useAsk('POST /manager/label/list', { entityTypeFlag: 'DEVICE', page: MANY });
  return (
    <>
      <Choice
        label={w.label}
        value={value}
        onChange={onChange}
        options={optionsOf(['', w.choose], labels.data?.records, 'labelName')}
      />
      <Missing isNone={labels.data?.records.length === 0} />
    </>
  );
}

const Missing = ({ isNone }: { isNone: boolean }): ComponentChildren =>
  isNone && (
    <p>
      {bulkWords().none} <Link to="/groups">{titleOf('/groups')}</Link>
    </p>
  );

/** How far it is, or what became of it. */
function How({ progress: { total, done, refused, ended } }: { progress: Progress }) {
  const w = bulkWords();
  return (
    <>
      <p role="status" class="tabular">
        {ended === 'running' ? w.running(done, total) : w.ended(done - refused.length, total)}
      </p>
      <progress value={done} max={Math.max(1, total)} aria-label={w.progress} />
      {ended === 'stopped' && <p>{w.stopped}</p>}
      {ended === 'unknown' && (
        <Note tone="danger" shape="cross" role="alert">
          {w.unknown}
        </Note>
      )}
      {refused.length > 0 && (
        <>
          <Note tone="warning" shape="triangle" role="alert">
            {w.refused(refused.length)}
          </Note>
          <ul class="list">
            {refused.map(({ id, deviceName, why }) => (
              <li key={id}>
                <bdi class="strong">{deviceName}</bdi> <bdi lang="en">{why}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
