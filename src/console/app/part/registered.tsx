import { useState } from 'preact/hooks';

import { useAct, useAsk } from '../client/ask.ts';
import type { AnswerOf } from '../client/call.ts';
import { may } from '../client/session.ts';
import { useAgainOn, useEvery } from '../client/use-live.ts';
import { registeredWords } from '../word/registered.ts';
import { announce } from './announce.tsx';
import { FormDialog } from './control/dialog.tsx';
import { Check, TextField } from './control/field.tsx';
import { Loaded, wrongOf } from './control/loaded.tsx';
import { Opener } from './control/opener.tsx';
import { Section } from './page.tsx';
import { Ago } from './value/time.tsx';

const EVERY_MS = 5_000;
const MAKES = ['profile:add', 'point:add', 'point_attribute_config:add', 'device:update'] as const;

/** What a device registered at its driver, and points of it; nothing for one that registered nothing. */
export function RegisteredObjects({ deviceId, made }: { deviceId: string; made(): void }) {
  const w = registeredWords();
  const asked = useAsk(
    'GET /manager/device/registration/get_by_device_id',
    may('svc-center-manager:device:get') ? { deviceId } : null,
  );
  // Its driver reports what it registered a moment after it came.
  useAgainOn(['device'], asked.again);
  useEvery(EVERY_MS, asked.again);
  const { data } = asked;
  if (data === null || data.registerTime === null) return null;
  const mayMake = MAKES.every((right) => may(`svc-center-manager:${right}`));
  return (
    <Section
      title={w.title}
      actions={
        mayMake &&
        possibleIn(data).length > 0 && (
          <Opener word={w.make}>
            {(close) => (
              <MakePoints
                deviceId={deviceId}
                said={data}
                onClose={close}
                made={() => {
                  asked.again();
                  made();
                }}
              />
            )}
          </Opener>
        )
      }
    >
      <p>
        {w.lead(data.objects.length + data.leftOut)} <Ago at={data.registerTime} />
      </p>
      <ul class="list">
        {data.objects.map((object) => (
          <li key={`${object.objectId} ${object.instanceId}`}>
            <div class="row">
              <bdi class="strong">{nameOf(object)}</bdi>
              <span class="quiet tabular">
                /{object.objectId}
                {object.instanceId !== null && `/${object.instanceId}`}
              </span>
              <span class="quiet">{summaryOf(object)}</span>
            </div>
          </li>
        ))}
      </ul>
      {data.leftOut > 0 && <p class="quiet">{w.more(data.leftOut)}</p>}
    </Section>
  );
}

/** What of it is a point, or is suggested to be one. */
function summaryOf({ objectName, resources }: Registered['objects'][number]): string {
  const w = registeredWords();
  if (objectName === '') return w.unknown;
  const shown = resources.filter(({ suggested, pointIds }) => suggested || pointIds.length > 0);
  if (shown.length === 0) return '';
  return shown
    .map(
      ({ resourceName, pointIds }) =>
        `${resourceName} (${pointIds.length > 0 ? w.isPoint : w.suggested})`,
    )
    .join(', ');
}

type MakeGiven = { deviceId: string; said: Registered; made(): void; onClose(): void };

/** Makes points of what a device registered: which ones, in which profile. */
function MakePoints({ deviceId, said, made, onClose }: MakeGiven) {
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

type Registered = AnswerOf<'GET /manager/device/registration/get_by_device_id'>;
type SaidObject = Registered['objects'][number];
type ReportedResource = SaidObject['resources'][number];

/** In words, with its instance where that is not the first. */
const nameOf = ({ objectName, objectId, instanceId }: SaidObject): string => {
  const name = objectName || registeredWords().object(objectId);
  return instanceId ? `${name} ${instanceId}` : name;
};

/** What can become a point, with the name of its object: what is none yet, or in a new profile everything. */
const possibleIn = ({ objects }: Registered, isNew = false) =>
  objects.flatMap((object) =>
    object.resources
      .filter(({ possible, pointIds }) => possible && (isNew || pointIds.length === 0))
      .map((resource) => ({ name: `${nameOf(object)}: ${resource.resourceName}`, resource })),
  );
