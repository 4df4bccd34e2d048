import { useAct } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { RefusedNote } from '../../part/control/loaded.tsx';
import { AskButton } from '../../part/control/opener.tsx';
import { Link } from '../../part/link.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { levelState } from '../../part/value/state.ts';
import { partWords } from '../../word/part.ts';
import { ruleFormWords } from '../../word/rule-form.ts';
import { rulesWords } from '../../word/rules.ts';
import { timeWords } from '../../word/state.ts';
import { contentOf } from './draft/rule-draft.ts';
import { lengthIn } from './draft/rule-length.ts';
import type { Content } from './draft/rule-second.ts';
import { isSet, type Plain, type SetPart } from './draft/rule-second.ts';

/** What a rule watches, by name; null where the name is not known. */
export type Watched = { what: string | null; where: string | null };
/** At how many places it fires; `isAll`: of all that fire, else of some. */
type Firing = { count: number; isAll: boolean };
type Given = { rule: Schemas['Rule']; watched: Watched; firing: Firing; again(): void };

/** One rule: what it watches, whether it is switched on, and where it fires. */
export function Row({ rule, watched, firing, again }: Given) {
  const w = rulesWords();
  const content = contentOf(rule);
  return (
    <li>
      <div class="row">
        <Chip {...levelState(content.severity ?? 'P2')} />
        <Enabled isOn={rule.enableFlag === 'ENABLE'} />
        {firing.count > 0 && (
          <Chip tone="danger" shape="triangle" word={w.firing(firing.count, firing.isAll)} />
        )}
      </div>
      <div class="row">
        <Link to={`/rules/${rule.id}`}>
          <bdi class="strong">{rule.ruleName}</bdi>
        </Link>
        <Turn rule={rule} again={again} />
      </div>
      <p>
        {watched.what !== null && <bdi>{watched.what} </bdi>}
        <bdi class="quiet">{demandOf(content)}</bdi>
      </p>
      {watched.where !== null && (
        <small class="quiet">
          <bdi>{watched.where}</bdi>
        </small>
      )}
    </li>
  );
}

export const Enabled = ({ isOn }: { isOn: boolean }) =>
  isOn ? (
    <Chip tone="good" shape="disc" word={rulesWords().on} />
  ) : (
    <Chip tone="idle" shape="bar" word={rulesWords().off} />
  );

/** Switches a rule on or off, or deletes it: asks first where alarms are closed by it. */
function Turn({ rule, again }: Pick<Given, 'rule' | 'again'>) {
  const w = rulesWords();
  const update = useAct('POST /data/rule/update', again);
  const remove = useAct('POST /data/rule/delete', again);
  const { id, ruleName, enableFlag } = rule;
  const isOn = enableFlag === 'ENABLE';
  const word = isOn ? w.turnOff : w.turnOn;
  const label = `${word}: ${ruleName}`;
  const turn = () => update.run({ id, enableFlag: isOn ? 'DISABLE' : 'ENABLE' });
  return (
    <div class="actions">
      {may('svc-center-data:rule:update') &&
        (isOn ? (
          <AskButton
            kind="plain"
            word={word}
            label={label}
            title={w.turnOffQuestion(ruleName)}
            act={update}
            run={turn}
          >
            <p>{w.turnOffMeans}</p>
          </AskButton>
        ) : (
          <Button isBusy={update.isRunning} label={label} onPress={() => void turn()}>
            {word}
          </Button>
        ))}
      {may('svc-center-data:rule:delete') && (
        <AskButton
          label={`${partWords().delete}: ${ruleName}`}
          title={w.removeQuestion(ruleName)}
          act={remove}
          run={() => remove.run({ id })}
          done={() => announce(w.removed(ruleName))}
        >
          <p>{w.removeMeans}</p>
        </AskButton>
      )}
      {!isOn && <RefusedNote failure={update.failure} />}
    </div>
  );
}

/** What a rule demands, in words: `above 85 °C for 60 s`. */
export function demandOf({ condition, window, aggregate }: Content): string {
  const w = rulesWords();
  const { mode = 'LAST', duration, hold } = window ?? {};
  const held = lengthWords(mode === 'LAST' ? duration : hold);
  if ('operator' in condition && condition.operator === 'nodata') return w.silent(held);
  const each = partOf(condition);
  const last = aggregate ? w.aggregated(each, aggregateWords(aggregate)) : each;
  const said =
    mode === 'LAST' ? last : w.over(last, ruleFormWords().modes[mode], lengthWords(duration));
  return held === '' ? said : w.held(said, held);
}

/** What is compared of the devices that are judged together: `mean of the devices`. */
function aggregateWords({ function: of, atLeast = 1 }: NonNullable<Content['aggregate']>): string {
  const w = rulesWords();
  return of === 'ANY' ? w.anyOf(atLeast) : w.aggregates[of];
}

/** One condition, or several in parentheses. */
function partOf(condition: Content['condition'] | SetPart): string {
  const w = rulesWords();
  if (isSet(condition)) {
    const [how, parts] =
      'all' in condition
        ? (['all', condition.all] as const)
        : 'any' in condition
          ? (['any', condition.any] as const)
          : (['not', condition.not] as const);
    return w.sets[how](parts.map(partOf).join('; '));
  }
  const said = `${w.operators[condition.operator]} ${comparedWith(condition)}`.trim();
  if ('formula' in condition) return `${condition.formula} ${said}`;
  return 'point' in condition && condition.point !== undefined
    ? `“${condition.point}” ${said}`
    : said;
}

export function lengthWords(duration: string | undefined): string {
  const { amount, unit } = lengthIn(duration);
  return amount === '' ? '' : timeWords()[unit](Number(amount));
}

function comparedWith(
  condition: Plain | Exclude<SetPart, { all: unknown } | { any: unknown } | { not: unknown }>,
): string {
  const unit = 'unit' in condition ? (condition.unit ?? '') : '';
  const shown = (value: number): string => `${value} ${unit}`.trim();
  const { orOwn, range } = rulesWords();
  const limitOf = (limit: string, attribute: string | undefined): string =>
    attribute === undefined ? limit : orOwn(limit, attribute);
  if ('threshold' in condition) return limitOf(shown(condition.threshold), condition.attribute);
  if ('low' in condition)
    return range(
      limitOf(String(condition.low), condition.lowAttribute),
      limitOf(shown(condition.high), condition.highAttribute),
    );
  return 'expected' in condition ? `“${condition.expected}”` : '';
}
