import { useAsk } from '../../../client/ask.ts';
import type { Schemas } from '../../../client/operations.ts';
import { may } from '../../../client/session.ts';
import { Choice, optionsIn, optionsOf, TextField } from '../../../part/control/field.tsx';
import { ruleFormWords } from '../../../word/rule-form.ts';
import { rulesWords } from '../../../word/rules.ts';
import { hasSecond } from '../draft/rule-fit.ts';
import { COMPARED, type Second } from '../draft/rule-second.ts';
import type { Part } from './rule-place.tsx';

const HOW = ['none', 'all', 'any'] as const;

/** A second condition, on another point of the device. */
export function Other({ draft, change, point }: Part & { point: Schemas['Point'] | null }) {
  const w = ruleFormWords();
  const { operators } = rulesWords();
  const { second } = draft;
  // What would be sent is in sight, also where it fits no more.
  const isShown = point !== null && (hasSecond(draft) || second.how !== 'none');
  const points = useAsk(
    'GET /manager/point/list_by_profile_id',
    isShown && second.how !== 'none' && may('svc-center-manager:point:list')
      ? { profileId: point.profileId }
      : null,
  );
  if (!isShown) return null;
  const put = (given: Partial<Second>): void => change({ second: { ...second, ...given } });
  const found = (points.data ?? []).filter(({ id }) => id !== point.id);
  const named = found.map(({ pointCode, pointName }) => ({ id: pointCode, pointName }));
  const isKnown = second.point === '' || named.some(({ id }) => id === second.point);
  const all = isKnown ? named : [...named, { id: second.point, pointName: second.point }];
  return (
    <div class="fields">
      <Choice
        label={w.second}
        value={second.how}
        onChange={(how) => put({ how })}
        options={optionsIn(HOW, w.seconds)}
      />
      {second.how !== 'none' && (
        <>
          <Choice
            label={w.point}
            value={second.point}
            onChange={(given) => put({ point: given })}
            options={optionsOf(['', w.choose], all, 'pointName')}
          />
          <Choice
            label={w.operator}
            value={second.operator}
            onChange={(operator) => put({ operator })}
            options={optionsIn(COMPARED, operators)}
          />
          <TextField
            label={w.limit}
            hint={w.secondHint}
            value={second.text}
            autocomplete="off"
            onChange={(text) => put({ text })}
          />
        </>
      )}
    </div>
  );
}
