import { Facts } from '../app/part/page.tsx';
import { Chip } from '../app/part/value/mark.tsx';
import { levelState } from '../app/part/value/state.ts';
import { Moment } from '../app/part/value/time.tsx';
import { alarmCardWords } from '../app/word/alarm-card.ts';
import { ruleWarningWords } from '../app/word/rule-warning.ts';
import type { Action } from './action.ts';
import { NoteLine } from './notes.tsx';
import { PageLink } from './page-link.tsx';

type Alarm = NonNullable<Action['alarm']>;
type Rule = Extract<Alarm, { backtest: unknown }>;
type Maintenance = Extract<Alarm, { does: 'MAINTENANCE' }>;

/** What would be done to rules or alarms, and how often a rule would have fired. */
export function AlarmCard({ alarm }: { alarm: Alarm }) {
  const w = alarmCardWords();
  return (
    <section class="panel">
      <h2>{w.title[alarm.does]}</h2>
      {alarm.does === 'SILENCE' ? (
        <>
          <Facts
            of={[
              [w.alarm, <AlarmLink {...alarm} />],
              [w.place, alarm.place !== '' && <bdi>{alarm.place}</bdi>],
              [w.hours, w.length(alarm.hours)],
              [
                w.already,
                alarm.already && (
                  <>
                    <bdi>{alarm.already.by}</bdi> · <Moment at={alarm.already.until} />
                  </>
                ),
              ],
            ]}
          />
          <p>{w.silences}</p>
        </>
      ) : alarm.does === 'CONFIRM' ? (
        <ol class="list">
          {alarm.alarms.map((one) => (
            <li key={one.alarmId}>
              <div class="row">
                <Chip {...levelState(one.level)} />
                <AlarmLink {...one} />
                <bdi class="quiet">{one.place}</bdi>
              </div>
            </li>
          ))}
        </ol>
      ) : alarm.does === 'MAINTENANCE' ? (
        <MaintenanceFacts of={alarm} />
      ) : (
        <RuleFacts rule={alarm} />
      )}
    </section>
  );
}

const AlarmLink = ({ alarmId, what }: { alarmId: string; what: string }) => (
  <PageLink to={`/alarms/${alarmId}`}>
    <bdi lang="en">{what}</bdi>
  </PageLink>
);

function MaintenanceFacts({ of: card }: { of: Maintenance }) {
  const w = alarmCardWords();
  return (
    <Facts
      of={[
        [w.maintenance, <bdi class="strong">{card.maintenanceName}</bdi>],
        [
          w.place,
          card.scope === 'PLANT' ? (
            w.plant
          ) : (
            <ul class="list">
              {card.places.map((name) => (
                <li key={name}>
                  <bdi>{name}</bdi>
                </li>
              ))}
            </ul>
          ),
        ],
        [w.begin, card.begin === null ? w.confirmation : <Moment at={card.begin} />],
        [w.end, <Moment at={card.end} />],
        [w.effect, w.modes[card.mode]],
        [w.covers, <span class="tabular">{w.covered(card.devices, card.firing)}</span>],
      ]}
    />
  );
}

function RuleFacts({ rule }: { rule: Rule }) {
  const w = alarmCardWords();
  const { backtest, watches } = rule;
  const before = rule.does === 'CHANGE_RULE' ? rule.instructionBefore : rule.instruction;
  return (
    <>
      <Facts
        of={[
          [
            w.rule,
            rule.does === 'CHANGE_RULE' ? (
              <PageLink to={`/rules/${rule.ruleId}`}>
                <bdi class="strong">{rule.ruleName}</bdi>
              </PageLink>
            ) : (
              <bdi class="strong">{rule.ruleName}</bdi>
            ),
          ],
          [w.watches, watches === '' ? w.every : <bdi>{watches}</bdi>],
          [
            w.now,
            rule.does === 'CHANGE_RULE' && (
              <Demand condition={rule.conditionBefore} level={rule.levelBefore} />
            ),
          ],
          [w.proposed, <Demand condition={rule.condition} level={rule.level} />],
          ...rule.terms.map(
            ({ of, words, wordsBefore }) =>
              [
                w.terms[of],
                <FromTo
                  was={rule.does === 'CHANGE_RULE' ? wordsBefore : words}
                  is={words}
                  lang="en"
                />,
              ] as const,
          ),
          [
            w.instruction,
            (rule.instruction !== '' || before !== '') && (
              <FromTo was={before} is={rule.instruction} />
            ),
          ],
          [w.policy, rule.notifyName === '' ? w.unnotified : <bdi>{rule.notifyName}</bdi>],
          [
            w.tried,
            backtest && (
              <span>
                <span class="strong tabular">{w.counts(backtest.before, backtest.after)}</span>{' '}
                <small class="quiet">{w.on(backtest.values, backtest.devices)}</small>
              </span>
            ),
          ],
        ]}
      />
      {backtest === null && <p class="quiet">{w.untried}</p>}
      {backtest !== null && backtest.leftOut.length > 0 && <p class="quiet">{w.cut}</p>}
      <ul class="stack">
        {backtest?.warnings.map((code) => (
          <NoteLine key={code} tone="warning" shape="diamond">
            {ruleWarningWords()[code]}
          </NoteLine>
        ))}
        {backtest?.unknown.map((code) => (
          <NoteLine key={code} tone="info" shape="diamond">
            {w.unknown[code]}
          </NoteLine>
        ))}
      </ul>
    </>
  );
}

/** What it says, after what it said before where that differs. */
function FromTo({ was, is, lang }: { was: string; is: string; lang?: string | undefined }) {
  const w = alarmCardWords();
  const shown = (text: string) =>
    text === '' ? (
      <span class="quiet">{w.unset}</span>
    ) : (
      <bdi class="typed" lang={lang}>
        {text}
      </bdi>
    );
  if (was === is) return shown(is);
  return (
    <span>
      {shown(was)} → <strong>{shown(is)}</strong>
    </span>
  );
}

const Demand = ({ condition, level }: { condition: string; level: string }) => (
  <span>
    <bdi lang="en">{condition}</bdi> · {level}
  </span>
);
