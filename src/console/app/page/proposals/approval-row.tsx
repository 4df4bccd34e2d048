import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { AskFirst } from '../../part/control/ask-first.tsx';
import { Button } from '../../part/control/button.tsx';
import { Facts } from '../../part/page.tsx';
import { Chip, type State } from '../../part/value/mark.tsx';
import { Ago, Moment } from '../../part/value/time.tsx';
import { approvalsWords } from '../../word/proposal/approvals.ts';

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
export function Row({ approval, again }: { approval: Approval; again(): void }) {
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
