import { may } from '../../client/session.ts';
import { Check } from '../../part/control/field.tsx';
import { Facts } from '../../part/page.tsx';
import { rolesWords } from '../../word/roles.ts';
import type { Center, Right } from './right.ts';
import type { Changes } from './use-changes.ts';

type Given = { center: Center; changes: Changes; mayChange: boolean; isOpen: boolean };

/** The rights in one part of the platform: as boxes to be marked, or said in words. */
export function CenterRights({ center, changes, mayChange, isOpen }: Given) {
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
