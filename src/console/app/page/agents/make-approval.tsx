import { useRef, useState } from 'preact/hooks';

import { useAct, useAsk } from '../../client/ask.ts';
import type { InputOf } from '../../client/call.ts';
import { now } from '../../client/clock.ts';
import { useUnsaved } from '../../client/unsaved.ts';
import { Button } from '../../part/control/button.tsx';
import { moreOf } from '../../part/control/device-filter.tsx';
import { Dialog } from '../../part/control/dialog.tsx';
import { Choice, optionsOf, TextField } from '../../part/control/field.tsx';
import { RefusedNote } from '../../part/control/loaded.tsx';
import { limitsOf } from '../../part/value/amount.tsx';
import { approvalsWords } from '../../word/approvals.ts';
import { partWords } from '../../word/part.ts';

/** Approves writes beforehand: what is asked for, then the card, and approving exactly that card. */
export function Make({ onClose }: { onClose(): void }) {
  const w = approvalsWords();
  const [draft, setDraft] = useState<Draft>(draftOf);
  const begun = useRef(draft);
  useUnsaved(isOther(draft, begun.current));
  const [card, setCard] = useState<{ say: string; digest: string } | null>(null);
  const preview = useAct('POST /agentic/approval/preview');
  const add = useAct('POST /agentic/approval/add');
  const look = async (): Promise<void> => {
    const seen = await preview.run(inputOf(draft));
    if (seen) setCard(seen);
  };
  const approve = async (digest: string): Promise<void> => {
    const done = await add.run({ ...inputOf(draft), digest });
    if (done) onClose();
  };
  return (
    <Dialog
      title={w.make}
      onClose={onClose}
      isWide
      actions={
        card === null ? (
          <>
            <Button onPress={onClose}>{partWords().cancel}</Button>
            <Button
              kind="primary"
              isBusy={preview.isRunning}
              isOff={!isWhole(draft)}
              onPress={() => void look()}
            >
              {w.look}
            </Button>
          </>
        ) : (
          <>
            <Button
              onPress={() => {
                setCard(null);
                add.forgive();
              }}
            >
              {w.change}
            </Button>
            <Button kind="primary" isBusy={add.isRunning} onPress={() => void approve(card.digest)}>
              {w.approve}
            </Button>
          </>
        )
      }
    >
      {card === null ? (
        <Form draft={draft} change={(given) => setDraft({ ...draft, ...given })} />
      ) : (
        <>
          <p class="outcome" lang="en">
            {card.say}
          </p>
          <p class="quiet">{w.means}</p>
        </>
      )}
      <RefusedNote failure={card === null ? preview.failure : add.failure} />
    </Dialog>
  );
}

const MOST = 100;

type Given = { draft: Draft; change(given: Partial<Draft>): void };

/** Which agent, which point, how far, how often, until when. */
function Form({ draft, change }: Given) {
  const w = approvalsWords().form;
  const page = { current: 1, size: MOST };
  const [name, setName] = useState('');
  const agents = useAsk('POST /auth/service_account/list', { enableFlag: 'ENABLE', page });
  const devices = useAsk('POST /manager/device/list', { deviceName: name || undefined, page });
  const points = useAsk(
    'GET /manager/point/list_by_device_id',
    draft.deviceId === '' ? null : { deviceId: draft.deviceId },
  );
  const writable = (points.data ?? []).filter(({ rwFlag }) => rwFlag === 'READ_WRITE');
  const point = writable.find(({ id }) => id === draft.pointId);
  const field = (key: keyof Draft, label: string, hint?: string) => (
    <TextField
      label={label}
      hint={hint}
      value={draft[key]}
      onChange={(value) => change({ [key]: value })}
      autocomplete="off"
    />
  );
  return (
    <div class="fields">
      <Choice
        label={w.agent}
        value={draft.principalId}
        onChange={(principalId) => change({ principalId })}
        options={[
          ['', w.choose],
          ...(agents.data?.records ?? []).map(
            (agent) => [agent.principalId, agent.serviceAccountName] as const,
          ),
        ]}
      />
      <TextField label={w.search} type="search" value={name} onChange={setName} />
      <Choice
        label={w.device}
        hint={moreOf(devices.data)}
        value={draft.deviceId}
        onChange={(deviceId) => change({ deviceId, pointId: '' })}
        options={optionsOf(['', w.choose], devices.data?.records, 'deviceName')}
      />
      <Choice
        label={w.point}
        hint={point && limitsOf(point)}
        value={draft.pointId}
        onChange={(pointId) => change({ pointId })}
        options={optionsOf(['', w.choose], writable, 'pointName')}
      />
      {field('min', w.min)}
      {field('max', w.max)}
      {field('maxStep', w.step, w.stepHint)}
      {field('maxPerHour', w.rate)}
      {field('hours', w.hours)}
      {field('maxUses', w.uses)}
      {field('reason', w.reason)}
    </div>
  );
}

/** What a person has entered so far; numbers as they were typed. */
type Draft = {
  principalId: string;
  deviceId: string;
  pointId: string;
  min: string;
  max: string;
  maxStep: string;
  maxPerHour: string;
  hours: string;
  maxUses: string;
  reason: string;
};

const HOUR_MS = 3_600_000;

const draftOf = (): Draft => ({
  principalId: '',
  deviceId: '',
  pointId: '',
  min: '',
  max: '',
  maxStep: '',
  maxPerHour: '4',
  hours: '8',
  maxUses: '10',
  reason: '',
});

/** Whether anything was entered: by what they hold, as an entry that was undone is a new draft too. */
const isOther = (draft: Draft, begun: Draft): boolean =>
  JSON.stringify(draft) !== JSON.stringify(begun);

/** Whether everything that is needed was entered; what is wrong with it the server says. */
const isWhole = ({ reason: _reason, ...needed }: Draft): boolean =>
  Object.values(needed).every((text) => text.trim() !== '');

const inputOf = (draft: Draft): InputOf<'POST /agentic/approval/preview'> => ({
  principalId: draft.principalId,
  points: [
    {
      deviceId: draft.deviceId,
      pointId: draft.pointId,
      min: Number(draft.min),
      max: Number(draft.max),
      maxStep: Number(draft.maxStep),
      maxPerHour: Number(draft.maxPerHour),
    },
  ],
  until: new Date(
    Math.floor(now() / 60_000) * 60_000 + Number(draft.hours) * HOUR_MS,
  ).toISOString(),
  maxUses: Number(draft.maxUses),
  reason: draft.reason,
});
