import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { query, setQuery } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { Check } from '../../part/control/field.tsx';
import { List } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { AskButton, Opener } from '../../part/control/opener.tsx';
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
  const isOn = enabled.data?.on === true;
  return (
    <Page
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
          <Opener word={w.make} closed={asked.again}>
            {(close) => <Make onClose={close} />}
          </Opener>
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
    </Page>
  );
}

type TurnGiven = { isOn: boolean; again(): void };

/** The switch of the tenant: an administrator's. */
function Turn({ isOn, again }: TurnGiven) {
  const w = approvalsWords();
  const set = useAct('POST /agentic/approval/switch/set', again);
  if (!may('svc-center-agentic:approval:enable')) return null;
  const word = isOn ? w.turnOff : w.turnOn;
  return (
    <div class="row">
      <AskButton kind="plain" word={word} title={word} act={set} run={() => set.run({ on: !isOn })}>
        <p>{isOn ? w.offMeans : w.onMeans}</p>
      </AskButton>
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
  const revoke = useAct('POST /agentic/approval/revoke', again);
  const isActive = approval.status === 'ACTIVE';
  return (
    <li>
      <div class="row">
        <Chip {...stateOf(approval.status)} />
        <bdi class="strong">{approval.agentName}</bdi>
        <span class="quiet tabular">{w.left(approval.left, approval.maxUses)}</span>
        {isActive && may('svc-center-agentic:approval:delete') && (
          <div class="actions">
            <AskButton
              word={w.revoke}
              title={w.question(approval.agentName)}
              act={revoke}
              run={() => revoke.run({ approvalId: approval.approvalId })}
            >
              <p>{w.revokeMeans}</p>
            </AskButton>
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
    </li>
  );
}
