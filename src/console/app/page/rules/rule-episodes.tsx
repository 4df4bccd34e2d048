import { useState } from 'preact/hooks';

import type { Schemas } from '../../client/operations.ts';
import { Button } from '../../part/control/button.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { Link } from '../../part/link.tsx';
import { Amount } from '../../part/value/amount.tsx';
import { Chip, Note } from '../../part/value/mark.tsx';
import { levelState } from '../../part/value/state.ts';
import { Ago, lengthOf, Moment } from '../../part/value/time.tsx';
import { rulePreviewWords } from '../../word/rule-preview.ts';
import { ruleWarningWords } from '../../word/rule-warning.ts';
import type { Draft } from './draft/rule-entered.ts';
import { lengthIn } from './draft/rule-length.ts';
import { lengthWords } from './rule-row.tsx';

type Found = Schemas['RulePreview'];
type Episode = Found['episodes'][number];
type Change = (given: Partial<Draft>) => void;

/** Why a rule may not do what is meant. */
export const Warnings = ({ of }: { of: Pick<Found, 'warnings'> }) =>
  of.warnings.map((what) => (
    <Note key={what} tone="warning" shape="triangle">
      {ruleWarningWords()[what]}
    </Note>
  ));

type AnswerGiven = { found: Found; target: Draft['target']; span: string; change: Change };

/** How often the rule would have fired, and the alarms; beside them what the stored rule did raise. */
export function Answer({ found, target, span, change }: AnswerGiven) {
  const w = rulePreviewWords();
  const isEmpty = found.values === 0 && found.count === 0 && (found.stored?.count ?? 0) === 0;
  // Without an outage or an event no rule on these fires.
  if (isEmpty && target === 'POINT') return <Empty title={w.noValues} />;
  const isPart = found.cut.length > 0;
  return (
    <>
      <div role="status">
        <p class="change">{w.would(found.count, isPart ? w.part : w.last(span))}</p>
        {found.stored && (
          <p>
            {w.did(found.stored.count)}{' '}
            <span class="quiet">
              {w.changed} <Ago at={found.stored.changeTime} />
            </span>
          </p>
        )}
        {found.worst.at !== null && found.worst.count > 1 && (
          <p>
            {w.worst(found.worst.count)} <Moment at={found.worst.at} />
          </p>
        )}
        <p class="quiet">{w.looked[target](found.values, found.devices)}</p>
      </div>
      <Suggested {...found.suggested} unit={found.unit} change={change} />
      <Warnings of={found} />
      {found.cut.map((what) => (
        <Note key={what} tone="warning" shape="triangle">
          {w.cut[what]} {what === 'VALUES' && <Moment at={found.from} />}
        </Note>
      ))}
      {found.unknown.map((what) => (
        <p key={what} class="quiet">
          {w.unknown[what]} {what === 'DELETED' && <Moment at={found.from} />}
        </p>
      ))}
      <div class="fields">
        <Side title={w.after} {...found} unit={found.unit} />
        {found.stored && <Side title={w.before} {...found.stored} unit={found.unit} />}
      </div>
    </>
  );
}

/** What would leave fewer alarms, each with a button that enters it. */
function Suggested({
  hold,
  recovery,
  unit,
  change,
}: Found['suggested'] & { unit: string; change: Change }) {
  const w = rulePreviewWords();
  return (
    <>
      {hold && (
        <div class="row">
          <span>{w.holds(lengthWords(hold.duration), hold.count)}</span>
          <Button onPress={() => change({ held: lengthIn(hold.duration) })}>{w.enterHold}</Button>
        </div>
      )}
      {recovery && (
        <div class="row">
          <span>
            {w.recovers(recovery.operator, recovery.count)}{' '}
            <Amount value={recovery.threshold} unit={unit} />
          </span>
          <Button
            onPress={() =>
              change({
                ends: 'own',
                endOperator: recovery.operator,
                endLimit: String(recovery.threshold),
              })
            }
          >
            {w.enterRecovery}
          </Button>
        </div>
      )}
    </>
  );
}

type SideGiven = { title: string; count: number; episodes: readonly Episode[]; unit: string };

const FIRST = 8;

function Side({ title, count, episodes, unit }: SideGiven) {
  const w = rulePreviewWords();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? episodes : episodes.slice(0, FIRST);
  return (
    <section class="stack">
      <h3>{title}</h3>
      {episodes.length === 0 && <p class="quiet">{w.none}</p>}
      <ol class="list">
        {shown.map((episode) => (
          <li key={`${episode.deviceId} ${episode.entityId} ${episode.from} ${episode.alarmId}`}>
            <Line episode={episode} unit={unit} />
          </li>
        ))}
      </ol>
      {episodes.length > FIRST && (
        <div>
          <Button isOpen={isWhole} onPress={() => setWhole(!isWhole)}>
            {isWhole ? w.fewer : w.show(episodes.length)}
          </Button>
        </div>
      )}
      {isWhole && count > episodes.length && <p class="quiet">{w.more(count)}</p>}
    </section>
  );
}

function Line({ episode, unit }: { episode: Episode; unit: string }) {
  const w = rulePreviewWords();
  const { alarmId, deviceName, entityName, from, to, extreme, level, matches } = episode;
  const when = <Moment at={from} seconds />;
  return (
    <>
      <div class="row">
        <Chip {...levelState(level)} />
        {alarmId === '0' ? when : <Link to={`/alarms/${alarmId}`}>{when}</Link>}
        <span class="quiet">
          {to === null ? w.still : w.lasted(lengthOf((Date.parse(to) - Date.parse(from)) / 1_000))}
        </span>
      </div>
      <small class="quiet">
        <bdi>{deviceName || entityName}</bdi>
        {deviceName !== '' && entityName !== deviceName && (
          <>
            {' · '}
            <bdi>{entityName}</bdi>
          </>
        )}
        {matches > 1 && ` · ${w.matches(matches)}`}
        {extreme !== null && (
          <>
            {' · '}
            {w.extreme} <Amount value={extreme} unit={unit} />
          </>
        )}
      </small>
    </>
  );
}
