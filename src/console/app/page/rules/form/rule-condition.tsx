import { bounds } from '../../../client/bounds.ts';
import type { Schemas } from '../../../client/operations.ts';
import { Choice, optionsIn, TextField } from '../../../part/control/field.tsx';
import { wrongOf } from '../../../part/control/loaded.tsx';
import { ruleFormWords } from '../../../word/rule-form.ts';
import { rulesWords } from '../../../word/rules.ts';
import type { Target } from '../draft/rule-entered.ts';
import {
  comparesWith,
  endingsOf,
  FORMULA,
  hasGap,
  operatorsOf,
  PARAMETER,
  unitIn,
} from '../draft/rule-fit.ts';
import { Other } from './rule-other.tsx';
import { Peers } from './rule-peers.tsx';
import type { Part } from './rule-place.tsx';
import { LengthField, WindowFields } from './rule-window.tsx';

const FIELDS = {
  POINT: ['value', 'rawValue', 'formula', 'deviation', 'deviationPercent'],
  EVENT: ['eventCode', 'eventType', 'eventLevel', 'message'],
  DEVICE: ['statusName', 'message'],
  DRIVER: ['statusName', 'message'],
} as const satisfies Record<Target, readonly string[]>;
const ENDS = bounds['POST /data/rule/add']['ruleExt.content.recovery.operator'].values;
const CONDITION = 'ruleExt.content.condition';

type Given = Part & {
  unit: string;
  /** Of the point that it watches, where that is known. */
  type: Schemas['Point']['pointTypeFlag'] | null;
  point: Schemas['Point'] | null;
};

/** What the value has to be, for how long, and when that is over. */
export function Condition({ draft, change, failure, unit, type, point }: Given) {
  const w = ruleFormWords();
  const { operators } = rulesWords();
  if (draft.other)
    return (
      <>
        <p>{w.notShown}</p>
        <Ends {...{ draft, change, failure, unit }} />
      </>
    );
  const known: readonly string[] = FIELDS[draft.target];
  const isParameter = draft.field.startsWith(PARAMETER);
  const others = draft.target === 'EVENT' ? [PARAMETER] : [];
  const isKnown = isParameter || known.includes(draft.field);
  const fields = [...known, ...others, ...(isKnown ? [] : [draft.field])];
  const isSilence = draft.operator === 'nodata';
  const sensible = operatorsOf(draft, type);
  const offered = [...new Set([draft.operator, ...sensible])].toSorted(
    (a, b) => sensible.indexOf(a) - sensible.indexOf(b),
  );
  return (
    <>
      <div class="fields">
        {!isSilence && (
          <Choice
            label={w.field}
            wrong={wrongOf(failure, `${CONDITION}.field`)}
            value={isParameter ? PARAMETER : draft.field}
            onChange={(field) => change({ field })}
            options={fields.map((field) => [field, nameOf(field)] as const)}
          />
        )}
        {draft.field === FORMULA && (
          <TextField
            label={w.formula}
            hint={w.formulaHint}
            value={draft.formula}
            wrong={wrongOf(failure, CONDITION)}
            autocomplete="off"
            onChange={(formula) => change({ formula })}
          />
        )}
        <Peers {...{ draft, change, failure }} />
        {isParameter && (
          <TextField
            label={w.parameter}
            value={draft.field.slice(PARAMETER.length)}
            wrong={wrongOf(failure, CONDITION)}
            autocomplete="off"
            onChange={(name) => change({ field: PARAMETER + name })}
          />
        )}
        <Choice
          label={w.operator}
          value={draft.operator}
          onChange={(operator) => change({ operator })}
          options={optionsIn(offered, operators)}
        />
        <Compared {...{ draft, change, failure, unit }} />
        <WindowFields {...{ draft, change, failure, type }} />
        {draft.target !== 'EVENT' && (
          <LengthField
            label={isSilence ? w.silentFor : w.held}
            hint={isSilence ? undefined : w.heldHint}
            wrong={wrongOf(failure, 'ruleExt.content.window')}
            value={draft.held}
            onChange={(held) => change({ held })}
          />
        )}
        {hasGap(draft) && (
          <LengthField
            label={w.gap}
            hint={w.gapHint}
            wrong={wrongOf(failure, 'ruleExt.content.window.maxGap')}
            value={draft.gap}
            onChange={(gap) => change({ gap })}
          />
        )}
      </div>
      <Other {...{ draft, change, failure, point }} />
      {!isSilence && <Ends {...{ draft, change, failure, unit }} />}
    </>
  );
}

/** The name of a field of a fact; another one, such as a parameter of an event, as it is. */
function nameOf(field: string): string {
  const { fields, parameter } = ruleFormWords();
  if (field === PARAMETER) return parameter;
  return Object.entries(fields).find(([name]) => name === field)?.[1] ?? field;
}

/** What it is compared with: a limit with its unit, a range or a text. */
function Compared({ draft, change, failure, unit }: Part & { unit: string }) {
  const w = ruleFormWords();
  const kind = comparesWith(draft.operator);
  const own = unitIn(draft, unit);
  const whole = wrongOf(failure, CONDITION);
  const number = (key: 'limit' | 'low' | 'high', label: string, wrong: string | undefined) => (
    <TextField
      label={own === '' ? label : `${label} (${own})`}
      type="number"
      step="any"
      value={draft[key]}
      wrong={wrong}
      onChange={(value) => change({ [key]: value })}
    />
  );
  const ofLimit = wrongOf(failure, `${CONDITION}.attribute`);
  if (kind === 'limit')
    return (
      <>
        {number('limit', w.limit, ofLimit === undefined ? whole : undefined)}
        {draft.target === 'POINT' && (
          <TextField
            label={w.attribute}
            hint={w.attributeHint}
            value={draft.attribute}
            wrong={ofLimit}
            autocomplete="off"
            onChange={(attribute) => change({ attribute })}
          />
        )}
      </>
    );
  if (kind === 'range')
    return (
      <>
        {number('low', w.low, whole)}
        {number('high', w.high, undefined)}
      </>
    );
  if (kind === 'nothing') return null;
  return (
    <TextField
      label={w.text}
      value={draft.text}
      wrong={whole}
      autocomplete="off"
      onChange={(text) => change({ text })}
    />
  );
}

function Ends({ draft, change, failure, unit }: Part & { unit: string }) {
  const w = ruleFormWords();
  const { operators } = rulesWords();
  const wrong = wrongOf(failure, 'ruleExt.content.recovery');
  const isOwn = draft.ends === 'own';
  const kinds = endingsOf(draft);
  const own = unitIn(draft, unit);
  const isBelow = draft.operator.startsWith('<');
  return (
    <div class="fields">
      <Choice
        label={w.ends}
        value={draft.ends}
        onChange={(ends) => change({ ends, endOperator: isBelow ? '>' : '<' })}
        options={optionsIn(kinds, w.endings)}
      />
      {isOwn && (
        <>
          <Choice
            label={w.endOperator}
            value={draft.endOperator}
            onChange={(endOperator) => change({ endOperator })}
            options={optionsIn(ENDS, operators)}
          />
          <TextField
            label={own === '' ? w.endLimit : `${w.endLimit} (${own})`}
            type="number"
            step="any"
            value={draft.endLimit}
            wrong={wrong}
            onChange={(endLimit) => change({ endLimit })}
          />
        </>
      )}
      {draft.ends !== 'never' && draft.target !== 'EVENT' && (
        <LengthField
          label={w.endHeld}
          wrong={isOwn ? undefined : wrong}
          value={draft.endHeld}
          onChange={(endHeld) => change({ endHeld })}
        />
      )}
    </div>
  );
}
