import { useId, useState } from 'preact/hooks';

import { upload } from '../../client/call.ts';
import { type Failure, failureOf } from '../../client/failure.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { TextField } from '../../part/control/field.tsx';
import { RefusedNote } from '../../part/control/refused.tsx';
import { Section } from '../../part/page.tsx';
import { firmwareWords } from '../../word/firmware.ts';

const EMPTY = { packageName: '', packageVersion: '', packageUri: '' };

/** A file, and what it is. */
export function Upload({ uploaded }: { uploaded(): void }) {
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
