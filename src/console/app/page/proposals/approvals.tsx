import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import { useAsk } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { AskFirst } from '../../part/control/ask-first.tsx';
import { Button } from '../../part/control/button.tsx';
import { Check } from '../../part/control/field.tsx';
import { List } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { Page } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { query, setQuery } from '../../route/route.ts';
import { approvalsWords } from '../../word/proposal/approvals.ts';
import { Row } from './approval-row.tsx';
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
