import { useState } from 'preact/hooks';

import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { query, setQuery } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { Button } from '../../part/control/button.tsx';
import { AskFirst } from '../../part/control/dialog.tsx';
import { Check } from '../../part/control/field.tsx';
import { List } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { Facts, Page } from '../../part/page.tsx';
import { Chip, type State } from '../../part/value/mark.tsx';
import { Ago, Moment } from '../../part/value/time.tsx';
import { approvalsWords } from '../../word/approvals.ts';
import { Make } from './make-approval.tsx';

/** `/approvals`: writes of agents that people have approved beforehand, with what is left of each. */
export function Approvals() {
  const w = approvalsWords();
  const isAll = query.value.get('ended') === 'yes';
  const asked = useAsk('POST /agentic/approval/list', isAll ? {} : { active: true });
  const enabled = useAsk('GET /agentic/approval/switch/get', {});
  useAgainOn(['action'], asked.again);
  const [isMaking, setMaking] = useState(false);
  const isOn = enabled.data?.on === true;
  return (
    <Page
      title={w.title}
      state={
        enabled.data &&
        (isOn ? (
          <Chip tone="good" shape="disc" word={w.on} />
        ) : (
          <Chip tone="idle" shape="bar" word={w.off} />
        ))
      }
      actions={
        isOn &&
        may('svc-center-agentic:approval:add') && (
          <Button onPress={() => setMaking(true)}>{w.make}</Button>
        )
      }
    >
      <p class="quiet">{w.lead}</p>
      {enabled.data && <Turn isOn={isOn} again={enabled.again} />}
      <Check
        label={w.ended}
        value={isAll}
        onChange={(isWanted) => setQuery({ ended: isWanted ? 'yes' : null })}
      />
      <List asked={asked} rows={4} tall none={<Empty title={w.none} />}>
        {(each) => <Row key={each.approvalId} approval={each} again={asked.again} />}
      </List>
      {isMaking && (
        <Make
          onClose={() => {
            setMaking(false);
            asked.again();
          }}
        />
      )}
    </Page>
  );
}

type TurnGiven = { isOn: boolean; again(): void };

/** The switch of the tenant: an administrator's. */
function Turn({ isOn, again }: TurnGiven) {
  const w = approvalsWords();
  const set = useAct('POST /agentic/approval/switch/set');
  const [isAsking, setAsking] = useState(false);
  if (!may('svc-center-agentic:approval:enable')) return null;
  const go = async (): Promise<void> => {
    const done = await set.run({ on: !isOn });
    again();
    if (done) setAsking(false);
  };
  return (
    <div class="row">
      <Button onPress={() => setAsking(true)}>{isOn ? w.turnOff : w.turnOn}</Button>
      {isAsking && (
        <AskFirst
          title={isOn ? w.turnOff : w.turnOn}
          go={isOn ? w.turnOff : w.turnOn}
          isRunning={set.isRunning}
          failure={set.failure}
          onGo={() => void go()}
          onClose={() => setAsking(false)}
        >
          <p>{isOn ? w.offMeans : w.onMeans}</p>
        </AskFirst>
      )}
    </div>
  );
}

type Approval = Schemas['StandingApproval'];

const STATES = {
  ACTIVE: { tone: 'good', shape: 'disc' },
  USED_UP: { tone: 'idle', shape: 'bar' },
  EXPIRED: { tone: 'idle', shape: 'bar' },
  REVOKED: { tone: 'idle', shape: 'cross' },
  VOID: { tone: 'warning', shape: 'diamond' },
} as const;

const stateOf = (status: Approval['status']): State => ({
  ...STATES[status],
  word: approvalsWords().status[status],
});

/** One standing approval: what it lets whom do, how much of it is left, and its end. */
function Row({ approval, again }: { approval: Approval; again(): void }) {
  const w = approvalsWords();
  const [isAsking, setAsking] = useState(false);
  const revoke = useAct('POST /agentic/approval/revoke');
  const isActive = approval.status === 'ACTIVE';
  const go = async (): Promise<void> => {
    const done = await revoke.run({ approvalId: approval.approvalId });
    again();
    if (done) setAsking(false);
  };
  return (
    <li>
      <div class="row">
        <Chip {...stateOf(approval.status)} />
        <bdi class="strong">{approval.agentName}</bdi>
        <span class="quiet tabular">{w.left(approval.left, approval.maxUses)}</span>
        {isActive && may('svc-center-agentic:approval:delete') && (
          <div class="actions">
            <Button kind="danger" onPress={() => setAsking(true)}>
              {w.revoke}
            </Button>
          </div>
        )}
      </div>
      <p lang="en">{approval.say}</p>
      <Facts
        of={[
          [w.maker, <bdi>{approval.makerName}</bdi>],
          [w.until, <Moment at={approval.until} />],
          [w.made, <Ago at={approval.createTime} />],
          [w.reason, approval.reason && <bdi>{approval.reason}</bdi>],
          [w.end, approval.endedWhy && <bdi>{approval.endedWhy}</bdi>],
        ]}
      />
      {isAsking && (
        <AskFirst
          title={w.question(approval.agentName)}
          go={w.revoke}
          isRunning={revoke.isRunning}
          failure={revoke.failure}
          onGo={() => void go()}
          onClose={() => setAsking(false)}
        >
          <p>{w.revokeMeans}</p>
        </AskFirst>
      )}
    </li>
  );
}
