import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerExt, named } from '../../kernel/entity/answer.ts';
import { byIdIn } from '../../kernel/entity/by-id.ts';
import { addRow, changeRow, deleteRow, Version } from '../../kernel/entity/change.ts';
import { inOrder, orders } from '../../kernel/entity/in-order.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { rowOf, rowsOf } from '../../kernel/entity/row.ts';
import { flag, EnableFlag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, type ByIds, Ext, GivenCode, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { tellDrivers } from '../driver/driver-updates.ts';
import { byKey, entity } from '../entity/answer.ts';
import { EntityType, members, membership, unbind } from '../entity/entity-type.ts';
import { lockUnused } from '../entity/in-use.ts';
import type { OfDevice } from '../entity/of.ts';

const ProfileShare = { TENANT: 0, DRIVER: 1, USER: 2 } as const;
const ProfileType = { SYSTEM: 0, DRIVER: 1, USER: 2 } as const;

export const Profile = entity('Profile', {
  profileName: z.string().meta({ examples: ['Boiler room'] }),
  profileCode: z.string().meta({ examples: ['boiler-room'] }),
  profileShareFlag: named(ProfileShare),
  profileTypeFlag: named(ProfileType),
  profileExt: AnswerExt,
});
export type Profile = z.output<typeof Profile.schema>;

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
  orderBy: orders('profileName', 'profileCode').optional(),
  page: Page,
  profileName: Text(64).optional(),
  profileCode: Text(64).optional(),
  profileShareFlag: flag(ProfileShare).optional(),
  profileTypeFlag: flag(ProfileType).optional(),
  enableFlag: flag(EnableFlag).optional(),
  deviceId: Id.optional(),
});
type ProfileQuery = z.infer<typeof ProfileQuery>;

/** Subquery for the profile of a device; it finds none for a device that does not exist. */
export const profileOf = (q: Queries, tenantId: string, deviceId: string) =>
  q
    .selectFrom('svc_device')
    .select('profileId')
    .where('tenantId', '=', tenantId)
    .where('id', '=', deviceId);

export const add: Operation<AddProfile, string> = (app, caller, given) => {
  const profileCode = given.profileCode ?? randomUUID();
  const adding = inTenant(app.db, caller.tenantId, (q) =>
    addRow(q, app, caller, 'svc_profile', { ...given, profileCode }),
  );
  return conflictIfTaken('profile', adding);
};

export const update: Operation<UpdateProfile, void> = async (app, caller, given) => {
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, (q) =>
    changeRow(q, app, caller, 'svc_profile', given),
  );
  await conflictIfTaken('profile', updating);
  await tellDrivers(app, tenantId, { profileId: given.id });
};

/** Refused with Conflict while devices use it or it has points, commands or events. */
export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await lockUnused(q, 'svc_profile', tenantId, id);
    await unbind(q, tenantId, EntityType.PROFILE, id);
    await deleteRow(q, 'svc_profile', tenantId, id);
  });

export const byId: Operation<ById, Profile> = byIdIn('svc_profile', Profile.of);

export const byIds: Operation<ByIds, Record<string, Profile>> = (app, { tenantId }, { ids }) =>
  inOneTrip(app.db, tenantId, async (q) =>
    byKey((await rowsOf(q, 'svc_profile', tenantId, ids)).map(Profile.of)),
  );

/** The one profile of a device, as the list that existing clients expect. */
export const byDevice: Operation<OfDevice, Profile[]> = (app, { tenantId }, { deviceId }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const found = q
      .selectFrom('svc_profile')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('id', '=', profileOf(q, tenantId, deviceId));
    const [, rows] = await Promise.all([
      rowOf(q, 'svc_device', tenantId, deviceId),
      found.execute(),
    ]);
    return rows.map(Profile.of);
  });

export const page: Operation<ProfileQuery, Paged<Profile>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    let query = narrowed(
      q.selectFrom('svc_profile').selectAll().where('tenantId', '=', tenantId),
      given,
      {
        like: ['profileName', 'profileCode'],
        equal: ['profileShareFlag', 'profileTypeFlag', 'enableFlag'],
      },
    );
    for (const ids of members(q, tenantId, EntityType.PROFILE, given))
      query = query.where('id', 'in', ids);
    if (given.deviceId) query = query.where('id', 'in', profileOf(q, tenantId, given.deviceId));
    return pageOf(inOrder(query, given.orderBy), given.page, Profile.of);
  });
