import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { contains, onIndexedPage, pageOf } from '../../db/query-page.ts';
import { listTotal } from '../../db/tenant-total.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { NotFound } from '../../kernel/errors.ts';
import type { ById } from '../../kernel/input/input.ts';
import type { Paged } from '../../kernel/input/page.ts';
import { RwFlag } from '../entity/value-type.ts';
import { Point, type PointQuery, pointsIn } from './point.ts';

/** A point with the name of its profile. */
export type PointThere = Point & { profileName: string };

export type PointSearch = PointQuery & {
  /** Part of the code or remark, or of the name where nothing is meant. */
  text?: string | undefined;
  /** Ids of the points whose names have its words. */
  meant?: readonly string[] | undefined;
  /** Spellings of one unit, in lower case. */
  units?: readonly string[] | undefined;
  writable?: boolean | undefined;
};

/** A page of points, newest first. */
export const search: Operation<PointSearch, Paged<PointThere>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    const { text, meant = [], units, writable } = given;
    let query = withProfile(q, tenantId, given);
    if (units !== undefined) query = query.where(sql<boolean>`lower(unit) = any(${units})`);
    if (writable !== undefined)
      query = query.where('rwFlag', writable ? '!=' : '=', RwFlag.READ_ONLY);
    if (text !== undefined)
      query = query.where((eb) =>
        eb.or([
          eb('id', '=', eb.fn.any(eb.val([...meant]))),
          sql<boolean>`(point_code || ' ' || remark) ilike ${contains(text)}`,
          eb.and([eb.val(meant.length === 0), eb('pointName', 'ilike', contains(text))]),
        ]),
      );
    const newestFirst = query.orderBy('createTime', 'desc').orderBy('id', 'desc');
    const total = listTotal(query, { q, tenantId, table: 'svc_point', given });
    return pageOf(newestFirst, given.page, there, { total, rows: onIndexedPage });
  });

/** Throws NotFound. */
export const byId: Operation<ById, PointThere> = (app, { tenantId }, { id }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const page = { current: 1, size: 1 };
    const row = await withProfile(q, tenantId, { page }).where('id', '=', id).executeTakeFirst();
    if (!row) throw new NotFound('Point');
    return there(row);
  });

const withProfile = (q: Queries, tenantId: string, given: PointQuery) =>
  pointsIn(q, tenantId, given).select(
    sql<string>`(select profile_name from svc_profile p
      where p.tenant_id = svc_point.tenant_id and p.id = svc_point.profile_id)`.as('profileName'),
  );

type Row = Parameters<typeof Point.of>[0] & { profileName: string };

const there = ({ profileName, ...row }: Row): PointThere => ({ ...Point.of(row), profileName });
