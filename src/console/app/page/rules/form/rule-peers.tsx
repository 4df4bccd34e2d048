import { useAsk } from '../../../client/ask.ts';
import { may } from '../../../client/session.ts';
import { Choice, TextField } from '../../../part/control/field.tsx';
import { wrongOf } from '../../../part/control/loaded.tsx';
import { ruleFormWords } from '../../../word/rule-form.ts';
import { isDeviation } from '../draft/rule-fit.ts';
import type { Part } from './rule-place.tsx';

const PEERS = 'ruleExt.content.peers';
const MOST = 100;

/** The group of devices whose median a value is compared with. */
export function Peers({ draft, change, failure }: Part) {
  const w = ruleFormWords();
  const groups = useAsk(
    'POST /manager/group/list',
    isDeviation(draft) && may('svc-center-manager:group:list')
      ? { groupTypeFlag: 'DEVICE', page: { current: 1, size: MOST } }
      : null,
  );
  if (!isDeviation(draft)) return null;
  const known = groups.data?.records.map(({ id, groupName }) => [id, groupName] as const) ?? [];
  const isKnown = draft.groupId === '' || known.some(([id]) => id === draft.groupId);
  const stored = isKnown ? [] : [[draft.groupId, draft.groupId] as const];
  return (
    <>
      <Choice
        label={w.group}
        hint={w.groupHint}
        wrong={wrongOf(failure, `${PEERS}.groupId`) ?? wrongOf(failure, PEERS)}
        value={draft.groupId}
        onChange={(groupId) => change({ groupId })}
        options={[['', w.choose], ...stored, ...known]}
      />
      <TextField
        label={w.minDevices}
        type="number"
        min="3"
        value={draft.minDevices}
        wrong={wrongOf(failure, `${PEERS}.minDevices`)}
        onChange={(minDevices) => change({ minDevices })}
      />
    </>
  );
}
