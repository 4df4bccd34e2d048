import { useId, useState } from 'preact/hooks';

import { type Asked, useAsk } from '../../client/ask.ts';
import { type AnswerOf, upload } from '../../client/call.ts';
import { type Failure, failureOf } from '../../client/failure.ts';
import { may } from '../../client/session.ts';
import { useEvery } from '../../client/use-live.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { TextField } from '../../part/control/field.tsx';
import { List, pageIn } from '../../part/control/list.tsx';
import { Empty, RefusedNote } from '../../part/control/loaded.tsx';
import { Page, Section } from '../../part/page.tsx';
import { firmwareWords } from '../../word/firmware.ts';
import { NewRollout, Packages } from './firmware-packages.tsx';
import { RolloutRow } from './rollout-row.tsx';

const SIZE = 10;
/** Roll-outs move by themselves. */
const EVERY_MS = 2_000;

/** `/firmware`: packages, and their way to the devices. */
export function Firmware() {
  const w = firmwareWords();
  const packages = useAsk('POST /manager/firmware/list', {
    page: pageIn('packages', SIZE),
  });
  const rollouts = useAsk('POST /manager/firmware/rollout/list', {
    page: pageIn('rollouts', SIZE),
  });
  useEvery(EVERY_MS, rollouts.again);
  const [sent, setSent] = useState<{ id: string; name: string } | null>(null);
  return (
    <Page>
      <p class="quiet">{w.lead}</p>
      <Rollouts asked={rollouts} />
      <Packages asked={packages} onSend={(id, name) => setSent({ id, name })} />
      {may('svc-center-manager:firmware:add') && <Upload uploaded={packages.again} />}
      {sent && (
        <NewRollout
          packageId={sent.id}
          name={sent.name}
          begun={rollouts.again}
          onClose={() => setSent(null)}
        />
      )}
    </Page>
  );
}

type Given = { asked: Asked<AnswerOf<'POST /manager/firmware/rollout/list'>> };

/** Roll-outs, those under way with their progress. */
function Rollouts({ asked }: Given) {
  const w = firmwareWords();
  return (
    <Section title={w.rollouts}>
      <List
        asked={asked}
        page="rollouts"
        rows={2}
        none={<Empty title={w.noRollout}>{w.noRolloutNext}</Empty>}
      >
        {(one) => <RolloutRow key={one.id} one={one} changed={asked.again} />}
      </List>
    </Section>
  );
}

const EMPTY = { packageName: '', packageVersion: '', packageUri: '' };

function Upload({ uploaded }: { uploaded(): void }) {
  const w = firmwareWords();
  const id = useId();
  const [file, setFile] = useState<File | null>(null);
  const [given, setGiven] = useState(EMPTY);
  const [turn, setTurn] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const set = (field: keyof typeof EMPTY) => (value: string) =>
    setGiven({ ...given, [field]: value });
  const isWhole = file !== null && given.packageName !== '' && given.packageVersion !== '';
  const go = async (): Promise<void> => {
    if (file === null) return;
    setBusy(true);
    setFailure(null);
    const { packageUri, ...name } = given;
    const input = { ...name, ...(packageUri !== '' && { packageUri }), file };
    try {
      await upload('POST /manager/firmware/upload', input);
      announce(w.uploaded(`${given.packageName} ${given.packageVersion}`));
      setGiven(EMPTY);
      setFile(null);
      setTurn(turn + 1);
      uploaded();
    } catch (error) {
      setFailure(failureOf(error));
    }
    setBusy(false);
  };
  return (
    <Section title={w.upload}>
      <div class="field" key={turn}>
        <label for={id}>{w.file}</label>
        <input
          id={id}
          type="file"
          onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)}
        />
      </div>
      <TextField label={w.name} value={given.packageName} onChange={set('packageName')} />
      <TextField
        label={w.version}
        hint={w.versionHint}
        value={given.packageVersion}
        onChange={set('packageVersion')}
      />
      <TextField
        label={w.uri}
        hint={w.uriHint}
        type="url"
        value={given.packageUri}
        onChange={set('packageUri')}
      />
      <RefusedNote failure={failure} />
      <div class="row">
        <Button kind="primary" isBusy={isBusy} isOff={!isWhole} onPress={() => void go()}>
          {w.uploadGo}
        </Button>
      </div>
    </Section>
  );
}
