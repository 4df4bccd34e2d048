import { randomUUID } from 'node:crypto';

import type { Selectable } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound } from '../../core/errors.ts';
import { flag, nameOf, EnableFlag } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, type ByIds, Ext, GivenCode, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Name, Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import type { ProfileTable } from '../../db/schema/manager.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { tellDrivers } from '../driver/driver-updates.ts';
import { byKey, type Entity, entityOf, expectVersion, nextVersion, Version } from '../entity.ts';
import { EntityType, members, membership, unbind } from '../group/entity-type.ts';
import { lockUnused } from '../in-use.ts';

const ProfileShare = { TENANT: 0, DRIVER: 1, USER: 2 } as const;
const ProfileType = { SYSTEM: 0, DRIVER: 1, USER: 2 } as const;

export type Profile = Entity & {
  profileName: string;
  profileCode: string;
  profileShareFlag: keyof typeof ProfileShare;
  profileTypeFlag: keyof typeof ProfileType;
  profileExt: Record<string, unknown>;
};

const profileOf = (row: Selectable<ProfileTable>): Profile => ({
  ...entityOf(row),
  profileName: row.profileName,
  profileCode: row.profileCode,
  profileShareFlag: nameOf(ProfileShare, row.profileShareFlag),
  profileTypeFlag: nameOf(ProfileType, row.profileTypeFlag),
  profileExt: row.profileExt,
});

const fields = {
  ...shared,
  profileShareFlag: flag(ProfileShare).optional(),
  profileTypeFlag: flag(ProfileType).optional(),
  profileExt: Ext.optional(),
};

export const AddProfile = input({ ...fields, profileName: Name, profileCode: GivenCode });
type AddProfile = z.infer<typeof AddProfile>;

export const UpdateProfile = input({
  ...fields,
  id: Id,
  version: Version,
  profileName: Name.optional(),
});
type UpdateProfile = z.infer<typeof UpdateProfile>;

export const ProfileQuery = input({
  ...membership,
  page: Page,
  profileName: Text(64).optional(),
  profileCode: Text(64).optional(),
  profileShareFlag: flag(ProfileShare).optional(),
  profileTypeFlag: flag(ProfileType).optional(),
  enableFlag: flag(EnableFlag).optional(),
  deviceId: Id.optional(),
});
type ProfileQuery = z.infer<typeof ProfileQuery>;

export const ByDevice = input({ deviceId: Id });
type ByDevice = z.infer<typeof ByDevice>;

/** Throws NotFound, also for another tenant's (docs/specification/tenant-isolation.md 2). */
export async function requireProfile(q: Queries, tenantId: string, id: string): Promise<Profile> {
  const row = await q
    .selectFrom('svc_profile')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw new NotFound('Profile');
  return profileOf(row);
}

/** Keeps the profile from being deleted until this transaction ends; throws NotFound. */
export async function holdProfile(q: Queries, tenantId: string, id: string): Promise<void> {
  const row = await q
    .selectFrom('svc_profile')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst();
  if (!row) throw new NotFound('Profile');
}

export const add: Operation<AddProfile, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, (q) =>
    q
      .insertInto('svc_profile')
      .values({
        ...given,
        profileCode: given.profileCode ?? randomUUID(),
        tenantId,
        ...created(app, caller),
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return (await conflictIfTaken('profile', adding)).id;
};

export const update: Operation<UpdateProfile, void> = async (app, caller, given) => {
  const { id, version, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    expectVersion(version, (await lock(q, tenantId, id)).version);
    await q
      .updateTable('svc_profile')
      .set({ ...change, ...touched(app, caller), version: nextVersion })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });
  await conflictIfTaken('profile', updating);
  await tellDrivers(app, tenantId, { profileId: id });
};

/** Refused with Conflict while devices use it or it has points, commands or events. */
export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await lockUnused(q, 'svc_profile', tenantId, id);
    await unbind(q, tenantId, EntityType.PROFILE, id);
    await q
      .deleteFrom('svc_profile')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });

async function lock(q: Queries, tenantId: string, id: string): Promise<{ version: number }> {
  const row = await q
    .selectFrom('svc_profile')
    .select('version')
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw new NotFound('Profile');
  return row;
}

export const byId: Operation<ById, Profile> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, (q) => requireProfile(q, tenantId, id));

export const byIds: Operation<ByIds, Record<string, Profile>> = (app, { tenantId }, { ids }) =>
  inTenant(app.db, tenantId, async (q) => {
    const rows = await q
      .selectFrom('svc_profile')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('id', 'in', ids.length > 0 ? ids : ['0'])
      .execute();
    return byKey(rows.map(profileOf));
  });

/** The one profile of a device, as the list that existing clients expect. */
export const byDevice: Operation<ByDevice, Profile[]> = (app, { tenantId }, { deviceId }) =>
  inTenant(app.db, tenantId, async (q) => {
    const device = await q
      .selectFrom('svc_device')
      .select('profileId')
      .where('tenantId', '=', tenantId)
      .where('id', '=', deviceId)
      .executeTakeFirst();
    if (!device) throw new NotFound('Device');
    return [await requireProfile(q, tenantId, device.profileId)];
  });

export const page: Operation<ProfileQuery, Paged<Profile>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_profile').selectAll().where('tenantId', '=', tenantId);
    for (const ids of members(q, tenantId, EntityType.PROFILE, given))
      query = query.where('id', 'in', ids);
    if (given.profileName) query = query.where('profileName', 'ilike', contains(given.profileName));
    if (given.profileCode) query = query.where('profileCode', 'ilike', contains(given.profileCode));
    if (given.profileShareFlag !== undefined)
      query = query.where('profileShareFlag', '=', given.profileShareFlag);
    if (given.profileTypeFlag !== undefined)
      query = query.where('profileTypeFlag', '=', given.profileTypeFlag);
    if (given.enableFlag !== undefined) query = query.where('enableFlag', '=', given.enableFlag);
    if (given.deviceId)
      query = query.where('id', 'in', (eb) =>
        eb
          .selectFrom('svc_device')
          .select('profileId')
          .where('tenantId', '=', tenantId)
          .where('id', '=', given.deviceId ?? '0'),
      );
    return pageOf(query.orderBy('createTime', 'desc').orderBy('id', 'desc'), given.page, profileOf);
  });
