import type { Asked } from '../../client/ask.ts';
import type { AnswerOf } from '../../client/call.ts';
import { pageIn, Pager } from '../../part/control/pager.tsx';
import { Empty, Loaded } from '../../part/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { query } from '../../route/route.ts';
import { firmwareWords } from '../../word/device/firmware.ts';
import { RolloutRow } from './rollout-row.tsx';

type Given = { asked: Asked<AnswerOf<'POST /manager/firmware/rollout/list'>>; size: number };

/** Roll-outs, those under way with their progress. */
export function Rollouts({ asked, size }: Given) {
  const w = firmwareWords();
  return (
    <Section title={w.rollouts}>
      <Loaded asked={asked} rows={2}>
        {({ records, total }) => (
          <>
            {records.length === 0 && <Empty title={w.noRollout}>{w.noRolloutNext}</Empty>}
            <ul class="list">
              {records.map((one) => (
                <RolloutRow key={one.id} one={one} changed={asked.again} />
              ))}
            </ul>
            <Pager
              name="rollouts"
              current={pageIn(query.value, 'rollouts')}
              size={size}
              shown={records.length}
              total={total}
            />
          </>
        )}
      </Loaded>
    </Section>
  );
}
