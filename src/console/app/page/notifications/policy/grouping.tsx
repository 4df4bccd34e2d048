import { bounds } from '../../../client/bounds.ts';
import { Checks, Choice, optionsIn } from '../../../part/control/field.tsx';
import { policiesWords } from '../../../word/policies.ts';
import { MINUTE_MS, type PolicyContent } from './content.ts';
import { Amount, ListField } from './entered.tsx';
import { zoneOfPlant } from './hours-text.ts';

type Digest = NonNullable<PolicyContent['digest']>;
type Given = { content: PolicyContent; put(part: Partial<PolicyContent>): void };

const SECOND_MS = 1_000;
const FLOOD_MS = 10 * MINUTE_MS;
const BOUNDS = bounds['POST /data/notify/add'];
const GROUPS = BOUNDS['notifyExt.content.grouping.by'].values;
const DIGESTED = BOUNDS['notifyExt.content.digest.levels'].values;
const DIGESTS = ['none', 'at', 'every'] as const;
const NEW: Digest = { levels: ['P2', 'P3'] };

/** How several alarms become one message. */
export function GroupingFields({ content: { grouping, flood, digest }, put }: Given) {
  const w = policiesWords();
  const kind = digest ? (digest.at ? 'at' : 'every') : 'none';
  const { everyMs: _every, at: _at, ...others } = digest ?? NEW;
  const choose = {
    none: undefined,
    at: { timezone: zoneOfPlant(), ...others, at: ['07:00'] },
    every: { ...others, everyMs: 60 * MINUTE_MS },
  };
  return (
    <fieldset>
      <legend>{w.together}</legend>
      <div class="fields">
        <Amount
          label={w.waits}
          hint={w.waitsHint}
          bound={BOUNDS['notifyExt.content.grouping.waitMs']}
          unit={SECOND_MS}
          value={grouping && (grouping.waitMs ?? 30_000)}
          onChange={(waitMs) =>
            put({ grouping: waitMs === undefined ? undefined : { ...grouping, waitMs } })
          }
        />
        <Amount
          label={w.flood}
          hint={w.floodHint}
          bound={BOUNDS['notifyExt.content.flood.count']}
          value={flood?.count}
          onChange={(count) =>
            put({ flood: count === undefined ? undefined : { perMs: FLOOD_MS, ...flood, count } })
          }
        />
        {flood && (
          <Amount
            label={w.floodPer}
            bound={BOUNDS['notifyExt.content.flood.perMs']}
            unit={MINUTE_MS}
            value={flood.perMs}
            onChange={(perMs = FLOOD_MS) => put({ flood: { ...flood, perMs } })}
          />
        )}
      </div>
      {grouping && (
        <div class="row" role="group" aria-label={w.only}>
          <small class="quiet">{w.only}</small>
          <Checks
            value={grouping.by ?? []}
            onChange={(by) => put({ grouping: { ...grouping, by } })}
            options={optionsIn(GROUPS, w.by)}
          />
        </div>
      )}
      <div class="fields">
        <Choice
          label={w.digest}
          value={kind}
          onChange={(given) => put({ digest: choose[given] })}
          options={optionsIn(DIGESTS, w.digests)}
        />
        {digest?.at && (
          <ListField
            label={w.digestAt}
            hint={w.digestAtHint}
            value={digest.at}
            onChange={(at) => put({ digest: { ...digest, at } })}
          />
        )}
        {kind === 'every' && digest && (
          <Amount
            label={w.digestEvery}
            bound={BOUNDS['notifyExt.content.digest.everyMs']}
            unit={MINUTE_MS}
            value={digest.everyMs}
            onChange={(everyMs) => put({ digest: { ...digest, everyMs } })}
          />
        )}
      </div>
      {digest && (
        <div class="row" role="group" aria-label={w.digestLevels}>
          <small class="quiet">{w.digestLevels}</small>
          <Checks
            value={digest.levels}
            onChange={(levels) => put({ digest: { ...digest, levels } })}
            options={DIGESTED.map((level) => [level, level] as const)}
          />
        </div>
      )}
    </fieldset>
  );
}
