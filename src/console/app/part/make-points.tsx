import { useState } from 'preact/hooks';

import { useAct } from '../client/act.ts';
import { useAsk } from '../client/ask.ts';
import { registeredWords } from '../word/registered.ts';
import { announce } from './announce.tsx';
import { Check, TextField } from './control/field.tsx';
import { FormDialog } from './control/form-dialog.tsx';
import { Loaded, wrongOf } from './control/loaded.tsx';
import { possibleIn, type Registered, type ReportedResource } from './registration.ts';

type Given = { deviceId: string; said: Registered; made(): void; onClose(): void };

/** Makes points of what a device registered: which ones, in which profile. */
export function MakePoints({ deviceId, said, made, onClose }: Given) {
  const w = registeredWords().form;
  const proposal = useAsk('POST /manager/device/registration/propose_profile', { deviceId });
  /** By path, what differs from what is suggested. */
  const [picked, setPicked] = useState<Readonly<Record<string, boolean>>>({});
  const [given, setName] = useState<string | null>(null);
  const [replace, setReplace] = useState(false);
  const act = useAct('POST /manager/device/registration/make_profile');
  const profileName = given ?? proposal.data?.profileName ?? '';
  const leaves = proposal.data?.leaves ?? false;
  const free = possibleIn(said, leaves);
  const isOn = ({ path, suggested }: ReportedResource): boolean => picked[path] ?? suggested;
  const paths = free.flatMap(({ resource }) => (isOn(resource) ? [resource.path] : []));
  const make = async (): Promise<void> => {
    const chosen = { deviceId, paths, profileName };
    const answer = await act.run(leaves ? { ...chosen, replace } : chosen);
    if (answer === null) return;
    announce(w.made(answer.pointIds.length));
    made();
    onClose();
  };
  const box = ({ name, resource }: (typeof free)[number]) => (
    <Check
      key={resource.path}
      label={name}
      hint={hintOf(resource)}
      value={isOn(resource)}
      onChange={(on) => setPicked({ ...picked, [resource.path]: on })}
    />
  );
  const others = free.filter(({ resource }) => !resource.suggested);
  return (
    <FormDialog
      title={w.title}
      go={w.go(paths.length)}
      isRunning={act.isRunning}
      isOff={paths.length === 0 || profileName === '' || (leaves && !replace)}
      failure={act.failure}
      isWide
      onGo={() => void make()}
      onClose={onClose}
    >
      <p>{w.lead}</p>
      <Loaded asked={proposal} rows={1}>
        {() => (
          <>
            <TextField
              label={w.name}
              hint={w.nameHint}
              value={profileName}
              onChange={setName}
              wrong={wrongOf(act.failure, 'profileName')}
              autocomplete="off"
            />
            {leaves && (
              <Check
                label={w.replace}
                hint={w.replaceMeans}
                value={replace}
                onChange={setReplace}
              />
            )}
          </>
        )}
      </Loaded>
      <fieldset class="choices">
        <legend>{w.points}</legend>
        {free.filter(({ resource }) => resource.suggested).map(box)}
      </fieldset>
      {others.length > 0 && (
        <details>
          <summary>{w.others}</summary>
          <p class="quiet">{w.othersHint}</p>
          {others.map(box)}
        </details>
      )}
    </FormDialog>
  );
}

function hintOf({ path, operations, unit }: ReportedResource): string {
  const can = registeredWords().can[operations];
  return [path, can, unit].filter((part) => part !== '').join(' · ');
}
