import type { Asked } from '../../client/ask.ts';
import type { AnswerOf } from '../../client/call.ts';
import { List } from '../../part/control/list.tsx';
import { Empty } from '../../part/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { firmwareWords } from '../../word/firmware.ts';
import { RolloutRow } from './rollout-row.tsx';

type Given = { asked: Asked<AnswerOf<'POST /manager/firmware/rollout/list'>> };

/** Roll-outs, those under way with their progress. */
export function Rollouts({ asked }: Given) {
  const w = firmwareWords();
  return (
    <Section title={w.rollouts}>
      <List
        asked={asked}
        page="rollouts"
        rows={2}
        none={<Empty title={w.noRollout}>{w.noRolloutNext}</Empty>}
      >
        {(one) => <RolloutRow key={one.id} one={one} changed={asked.again} />}
      </List>
    </Section>
  );
}
