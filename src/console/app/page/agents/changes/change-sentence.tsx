import type { Schemas } from '../../../client/operations.ts';
import { type Difference, differencesIn, fieldWord, valueWord } from '../../../part/difference.ts';
import { changeNouns } from '../../../word/change-nouns.ts';
import { changesWords } from '../../../word/changes.ts';

type Change = Schemas['Change'];

/** What one row may say; what is more is counted. */
const SHOWN = 8;
/** What was configured, as a sentence, and each field that differs. */
export function Configured({ change }: { change: Change }) {
  const w = changesWords();
  const { operation, entityType, entityName, pointName, deviceName, changes } = change;
  // Of what is in a group or has a label the verb is all: the thing follows, and the group as a field.
  const isMember = isMembership(entityType);
  const verbs = isMember ? w.memberships[entityType] : w.did;
  const did = Object.entries(verbs).find(([each]) => each === operation)?.[1] ?? verbs.UPDATE;
  const noun = isMember
    ? ''
    : (Object.entries(changeNouns().nouns).find(([each]) => each === entityType)?.[1] ??
      entityType.replaceAll('_', ' '));
  const differences = differencesIn(changes).filter(isTelling);
  const isOfPoint = pointName !== '' && entityName !== pointName;
  const isOfDevice = pointName === '' && deviceName !== '' && entityName !== deviceName;
  return (
    <>
      <p>
        {did} {noun} {entityName !== '' && <bdi class="strong">{entityName}</bdi>}
        {isOfPoint && (
          <>
            {' '}
            {w.ofPoint} <bdi class="strong">{pointName}</bdi>
          </>
        )}
        {isOfDevice && (
          <>
            {' '}
            {w.ofDevice} <bdi class="strong">{deviceName}</bdi>
          </>
        )}
      </p>
      {differences.slice(0, SHOWN).map(({ field, from, to }) => (
        <p key={field}>
          <span class="quiet">{fieldWord(field, entityType)}:</span>{' '}
          {from !== null && (
            <>
              <bdi class="quiet tabular">{valueWord(field, from)}</bdi>
              {' → '}
            </>
          )}
          <bdi class="strong tabular">{to === null ? w.nothing : valueWord(field, to)}</bdi>
        </p>
      ))}
      {differences.length > SHOWN && <p class="quiet">{w.more(differences.length - SHOWN)}</p>}
    </>
  );
}

/** Of a new row an id says nothing without its name, nor of any beside it, and an empty field is as in every new row. */
const isTelling = ({ field, from, to }: Difference, _: number, all: Difference[]): boolean => {
  const isId = field.endsWith('_id');
  if (from === null) return !(isId || to === '' || to === '{}' || field === 'enable_flag');
  return !isId || all.every((other) => other.field !== field.replace(/_id$/, '_name'));
};

const isMembership = (
  entityType: string,
): entityType is keyof ReturnType<typeof changesWords>['memberships'] =>
  Object.hasOwn(changesWords().memberships, entityType);
