import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { query, setQuery } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { Check, TextField } from '../../part/control/field.tsx';
import { Empty, Loaded, RefusedNote } from '../../part/control/loaded.tsx';
import { Facts, Section } from '../../part/page.tsx';
import { rightsWords } from '../../word/rights.ts';
import { rolesWords } from '../../word/roles.ts';
import { ALL, type Center, centersOf, narrowedTo, type Right } from './right.ts';
import { type Changes, useChanges } from './use-changes.ts';

type Given = { roleId: string; isOwn: boolean };

/** The rights of a role in words: those it holds, and of a role of the tenant those it may get. */
export function Rights({ roleId, isOwn }: Given) {
  const w = rolesWords().rights;
  const maySee = may('svc-center-auth:role_resource_bind:list');
  const mayChange =
    isOwn &&
    may('svc-center-auth:resource:list') &&
    may('svc-center-auth:role_resource_bind:add') &&
    may('svc-center-auth:role_resource_bind:delete');
  const held = useAsk('GET /auth/role_resource/list_resource_by_role', maySee ? { roleId } : null);
  const all = useAsk('POST /auth/resource/list_tree', maySee && mayChange ? {} : null);
  const changes = useChanges(roleId, new Set((held.data ?? []).map(({ id }) => id)));
  if (!maySee) return null;
  return (
    <Section title={w.title}>
      <Loaded asked={held} rows={6}>
        {(list) =>
          mayChange ? (
            <Loaded asked={all} rows={6}>
              {(offered) => <Shown resources={offered} changes={changes} mayChange />}
            </Loaded>
          ) : (
            <Shown resources={list} changes={changes} mayChange={false} />
          )
        }
      </Loaded>
      {mayChange && <Pending changes={changes} again={held.again} />}
    </Section>
  );
}

type ShownGiven = {
  resources: readonly Schemas['Resource'][];
  changes: Changes;
  mayChange: boolean;
};

/** Narrowed by words and to those that are held; both are kept in the address. */
function Shown({ resources, changes, mayChange }: ShownGiven) {
  const w = rolesWords().rights;
  const text = query.value.get('right') ?? '';
  const isOnly = query.value.get('held') === 'yes';
  const centers = narrowedTo(
    centersOf(resources, rightsWords()),
    text,
    ({ resourceId }) => !isOnly || changes.has(resourceId),
  );
  const every = resources.find(({ resourceCode }) => resourceCode === ALL);
  if (resources.length === 0) return <Empty title={w.none} />;
  return (
    <>
      {every && !mayChange && <p class="strong">{rightsWords().all}</p>}
      {every && mayChange && (
        <Check
          label={rightsWords().all}
          value={changes.has(every.id)}
          isOff={!may(ALL)}
          onChange={(isOn) => changes.turn(every.id, isOn)}
        />
      )}
      {(mayChange || resources.length > 1) && (
        <div class="row filters">
          <TextField
            label={w.search}
            type="search"
            value={text}
            onChange={(right) => setQuery({ right })}
          />
          {mayChange && (
            <Check
              label={w.only}
              value={isOnly}
              onChange={(isWanted) => setQuery({ held: isWanted ? 'yes' : null })}
            />
          )}
        </div>
      )}
      {mayChange && !may(ALL) && <p class="quiet">{w.notYours}</p>}
      {centers.length === 0 && (text !== '' || isOnly) && (
        <Empty title={text === '' ? w.none : w.noneFound} />
      )}
      {centers.map((center) => (
        <CenterRights
          key={`${center.center} ${text === '' && !isOnly}`}
          center={center}
          changes={changes}
          mayChange={mayChange}
          isOpen={!mayChange || text !== '' || isOnly}
        />
      ))}
    </>
  );
}

/** What is marked and not saved yet. */
function Pending({ changes, again }: { changes: Changes; again(): void }) {
  const w = rolesWords().rights;
  const [partly, setPartly] = useState<string | null>(null);
  const { adds, removes } = changes;
  const save = async (): Promise<void> => {
    const done = await changes.save();
    const left = adds + removes - done;
    setPartly(left === 0 ? null : w.partly(done, left));
    if (left === 0) announce(w.saved);
    again();
  };
  if (adds + removes === 0) return null;
  return (
    <div class="pending" role="group" aria-label={w.changes(adds, removes)}>
      <div class="row">
        <span class="strong">{w.changes(adds, removes)}</span>
        <div class="actions">
          <Button onPress={changes.undo}>{w.undo}</Button>
          <Button kind="primary" isBusy={changes.isSaving} onPress={() => void save()}>
            {w.save}
          </Button>
        </div>
      </div>
      <p class="quiet">{w.means}</p>
      {changes.failure && partly !== null && <p>{partly}</p>}
      <RefusedNote failure={changes.failure} />
    </div>
  );
}

type CenterGiven = { center: Center; changes: Changes; mayChange: boolean; isOpen: boolean };

/** The rights in one part of the platform: as boxes to be marked, or said in words. */
function CenterRights({ center, changes, mayChange, isOpen }: CenterGiven) {
  const w = rolesWords().rights;
  const all = center.subjects.flatMap(({ rights }) => rights);
  const held = all.filter(({ resourceId }) => changes.has(resourceId));
  return (
    <details class="rights" open={isOpen}>
      <summary>
        <span class="strong">{center.name}</span>{' '}
        <span class="quiet tabular">
          {mayChange ? w.count(held.length, all.length) : String(all.length)}
        </span>
      </summary>
      {mayChange ? (
        <div class="subjects">
          {center.subjects.map(({ noun, name, rights }) => (
            <fieldset key={noun}>
              <legend>
                <bdi>{name}</bdi>
              </legend>
              <div class="row">
                {rights.map((right) => (
                  <Box key={right.resourceId} right={right} changes={changes} />
                ))}
              </div>
            </fieldset>
          ))}
        </div>
      ) : (
        <Facts
          of={center.subjects.map(({ name, rights }) => [
            name,
            rights.map(({ verb }) => verb).join(', '),
          ])}
        />
      )}
    </details>
  );
}

const Box = ({ right, changes }: { right: Right; changes: Changes }) => (
  <Check
    label={right.verb}
    {...(right.isDisabled && { hint: rolesWords().rights.disabled })}
    value={changes.has(right.resourceId)}
    isOff={!may(right.code)}
    onChange={(isOn) => changes.turn(right.resourceId, isOn)}
  />
);
