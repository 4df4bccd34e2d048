import { useId, useState } from 'preact/hooks';

import { useAct, useAsk } from '../client/ask.ts';
import { upload } from '../client/call.ts';
import { type Failure, failureOf } from '../client/failure.ts';
import type { Schemas } from '../client/operations.ts';
import { may } from '../client/session.ts';
import { manualsWords } from '../word/manuals.ts';
import { partWords } from '../word/part.ts';
import { announce } from './announce.tsx';
import { FormDialog } from './control/dialog.tsx';
import { TextField } from './control/field.tsx';
import { List, pageIn } from './control/list.tsx';
import { Empty } from './control/loaded.tsx';
import { AskButton, Opener } from './control/opener.tsx';
import { Link } from './link.tsx';
import { Section } from './page.tsx';
import { titleOf } from './pages.ts';
import { Ago } from './value/time.tsx';

const SIZE = 10;
const PAGE = 'manuals';

/** A device, with the manuals of its profile and of the tenant; a profile, with the tenant's; or all. */
type Of = { deviceId?: string; profileId?: string };

/** The manuals in reach: each is opened, and as far as the person may, added and deleted. */
export function Manuals({ of }: { of: Of }) {
  const w = manualsWords();
  const maySee = may('svc-center-agentic:manual:list');
  const asked = useAsk(
    'POST /agentic/manual/list',
    maySee ? { ...of, page: pageIn(PAGE, SIZE) } : null,
  );
  if (!maySee) return null;
  return (
    <Section
      title={titleOf('/manuals')}
      actions={
        may('svc-center-agentic:manual:add') && (
          <Opener word={w.add}>
            {(close) => <AddManual of={of} added={asked.again} onClose={close} />}
          </Opener>
        )
      }
    >
      <List
        asked={asked}
        page={PAGE}
        rows={2}
        label={titleOf('/manuals')}
        none={<Empty title={w.none}>{w.noneNext}</Empty>}
      >
        {(manual) => <Row key={manual.id} manual={manual} changed={asked.again} />}
      </List>
    </Section>
  );
}

type RowGiven = { manual: Schemas['Manual']; changed(): void };

function Row({ manual, changed }: RowGiven) {
  const w = manualsWords();
  const act = useAct('POST /agentic/manual/delete');
  const { id, manualName, pages, wholeFlag, createTime } = manual;
  return (
    <li>
      <div class="row">
        <Link to={`/manuals/${id}`}>
          <bdi class="strong">{manualName}</bdi>
        </Link>
        <span class="quiet">{w.pages(pages)}</span>
        <Owner of={manual} />
        {wholeFlag === 0 && <span class="quiet">{w.notWhole}</span>}
        <Ago at={createTime} isQuiet />
        {may('svc-center-agentic:manual:delete') && (
          <div class="actions">
            <AskButton
              kind="plain"
              label={`${partWords().delete}: ${manualName}`}
              title={w.removeAsk(manualName)}
              act={act}
              run={() => act.run({ id })}
              done={() => {
                announce(w.removed(manualName));
                changed();
              }}
            >
              <p>{w.removeMeans}</p>
            </AskButton>
          </div>
        )}
      </div>
    </li>
  );
}

type OwnerGiven = { of: Pick<Schemas['Manual'], 'deviceId' | 'profileId'> };

/** What a manual belongs to, with the way there. */
export function Owner({ of: { deviceId, profileId } }: OwnerGiven) {
  const w = manualsWords();
  if (deviceId !== '0') return <Link to={`/devices/${deviceId}`}>{w.ofDevice}</Link>;
  if (profileId !== '0') return <Link to={`/profiles/${profileId}`}>{w.ofProfile}</Link>;
  return <span class="quiet">{w.ofTenant}</span>;
}

/** Signs that a name may have; a file's name may have others. */
const nameOf = (file: string): string =>
  file
    .replace(/\.[^.]{1,8}$/, '')
    .replaceAll(/[^\p{L}\p{M}\p{N} \-_#@/.|()+,:'&°%·]/gu, ' ')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .slice(0, 64)
    .trim();

type AddGiven = { of: Of; added(): void; onClose(): void };

function AddManual({ of, added, onClose }: AddGiven) {
  const w = manualsWords();
  const id = useId();
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const go = async (): Promise<void> => {
    if (file === null) return;
    setBusy(true);
    setFailure(null);
    try {
      await upload('POST /agentic/manual/upload', { ...of, manualName: name, file }, file.name);
      announce(w.added(name));
      added();
      onClose();
    } catch (error) {
      setFailure(failureOf(error));
      setBusy(false);
    }
  };
  return (
    <FormDialog
      title={w.add}
      go={w.addGo}
      isRunning={isBusy}
      isOff={file === null || name === ''}
      failure={failure}
      onGo={() => void go()}
      onClose={onClose}
    >
      <div class="field">
        <label for={id}>{w.file}</label>
        <input
          id={id}
          type="file"
          aria-describedby={`${id}-said`}
          onChange={(event) => {
            const chosen = event.currentTarget.files?.[0] ?? null;
            setFile(chosen);
            if (chosen && name === '') setName(nameOf(chosen.name));
          }}
        />
        <small class="quiet" id={`${id}-said`}>
          {w.fileHint}
        </small>
      </div>
      <TextField label={w.name} value={name} onChange={setName} />
    </FormDialog>
  );
}
