import { type Selectable, sql } from 'kysely';

import type { AttributeType } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import type { PointTable } from '../../db/schema/manager.ts';
import type { BadRequest } from '../../kernel/errors.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { ValueType } from '../../manager/entity/value-type.ts';
import { hasPoints, namesIn } from '../condition/points.ts';
import type { RuleContent } from '../kind/rule-ext.ts';
import { refusalOf } from './wrong.ts';

type Point = Pick<Selectable<PointTable>, 'profileId' | 'pointTypeFlag'>;
type Named = { content: RuleContent; types: ReadonlyMap<string, AttributeType> };

/**
 * What a rule says, with the points that it names, and their types by that name: points of the profile of the point
 * that it watches. Throws BadRequest for a name that the profile does not have, and where no one point is watched.
 */
export async function withNamedPoints(
  q: Queries,
  tenantId: string,
  given: RuleContent,
  watched: Point | null,
): Promise<Named> {
  const { points: _, ...content } = given;
  if (!hasPoints(content)) return { content, types: new Map() };
  if (!watched) throw refused('several points are those of one device: choose the point to watch');
  const names = namesIn(content);
  const rows = await q
    .selectFrom('svc_point')
    .select(['id', 'pointCode', 'pointName', 'pointTypeFlag'])
    .where('tenantId', '=', tenantId)
    .where('profileId', '=', watched.profileId)
    .where((eb) =>
      eb.or([
        eb('pointCode', '=', eb.fn.any(eb.val(names))),
        eb('pointName', '=', eb.fn.any(eb.val(names))),
        eb(sql<string>`id::text`, '=', eb.fn.any(eb.val(names))),
      ]),
    )
    .execute();
  const points: Record<string, string> = {};
  const types = new Map<string, AttributeType>();
  for (const name of names) {
    const found =
      rows.find(({ pointCode }) => pointCode === name) ??
      rows.find(({ pointName }) => pointName === name) ??
      rows.find(({ id }) => id === name);
    if (!found) throw refused(`the profile of the point has no point ${quoted(name)}`);
    points[name] = found.id;
    types.set(name, nameOf(ValueType, found.pointTypeFlag));
  }
  return { content: { ...content, points }, types };
}

const refused = (why: string): BadRequest => refusalOf({ at: 'condition', why });
