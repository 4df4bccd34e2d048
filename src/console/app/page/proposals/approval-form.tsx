import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { Choice, TextField } from '../../part/control/field.tsx';
import { limitsOf } from '../../part/value/limits.ts';
import { approvalsWords } from '../../word/proposal/approvals.ts';
import type { Draft } from './approval-draft.ts';

const MOST = 100;

type Given = { draft: Draft; change(given: Partial<Draft>): void };

/** Which agent, which point, how far, how often, until when. */
export function Form({ draft, change }: Given) {
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
        value={draft.deviceId}
        onChange={(deviceId) => change({ deviceId, pointId: '' })}
        options={[
          ['', w.choose],
          ...(devices.data?.records ?? []).map(({ id, deviceName }) => [id, deviceName] as const),
        ]}
      />
      <Choice
        label={w.point}
        hint={point && limitsOf(point)}
        value={draft.pointId}
        onChange={(pointId) => change({ pointId })}
        options={[['', w.choose], ...writable.map(({ id, pointName }) => [id, pointName] as const)]}
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
