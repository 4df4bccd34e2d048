import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { acrossTenantsWithin, inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { AnswerExt, AnswerId, named, stored } from '../../kernel/entity/answer.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { Conflict, NotFound, Unprocessable } from '../../kernel/errors.ts';
import { EnableFlag, flag, nameOf } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, Ext, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Code, Name, Text } from '../../kernel/input/text.ts';
import { audit, changesOf, entriesOf } from '../audit/audit.ts';
import { join } from './account.ts';
import { demandMayChange, requireMember } from './member.ts';
import { setEnabled } from './principal.ts';
import { removeAccount } from './remove-account.ts';

/** The profile of a person; the login is a local credential. */
export const User = stored('User', {
  principalId: AnswerId,
  userName: z.string().meta({ examples: ['anna.berg'] }),
  nickName: z.string().meta({ examples: ['Anna Berg'] }),
  phone: z.string().meta({ examples: ['+4915112345678'] }),
  email: z.string().meta({ examples: ['anna.berg@plant.example'] }),
  socialExt: AnswerExt,
  identityExt: AnswerExt,
  enableFlag: named(EnableFlag),
});
export type User = z.output<typeof User.schema>;

/** E.164, with or without its plus; empty clears the field. */
const Phone = Text(16).regex(/^(\+?[1-9]\d{6,14})?$/, 'must be 7 to 15 digits after a plus');
/** Any script, any number of labels; empty clears the field. */
const Email = Text(254).regex(
  /^([^\s@<>()[\]",;:\\]{1,64}@[^\s@<>()[\]",;:\\.]+(\.[^\s@<>()[\]",;:\\.]+)+)?$/,
  'must be an e-mail address',
);

const fields = {
  ...shared,
  phone: Phone.optional(),
  email: Email.optional(),
  socialExt: Ext.optional(),
  identityExt: Ext.optional(),
};
const UserName = Code.transform((name) => name.toLowerCase());

export const AddUser = input({
  ...fields,
  userName: UserName,
  nickName: Name,
  principalId: Id.optional(),
});
export const UpdateUser = input({
  ...fields,
  id: Id,
  userName: UserName.optional(),
  nickName: Name.optional(),
});
export const UserQuery = input({
  page: Page,
  principalId: Id.optional(),
  userName: Text(64).optional(),
  nickName: Text(64).optional(),
  phone: Text(64).optional(),
  email: Text(64).optional(),
  enableFlag: flag(EnableFlag).optional(),
});
export const ByName = input({ name: Text(64).meta({ examples: ['anna.weber'] }) });

/** Profiles of the members of a tenant. */
export const usersOf = (q: Queries, tenantId: string) =>
  q
    .selectFrom('svc_user')
    .innerJoin(
      'svc_tenant_membership as membership',
      'membership.principalId',
      'svc_user.principalId',
    )
    .selectAll('svc_user')
    .where('membership.tenantId', '=', tenantId);

async function required(q: Queries, tenantId: string, id: string) {
  const user = await usersOf(q, tenantId).where('svc_user.id', '=', id).executeTakeFirst();
  if (!user) throw new NotFound('User');
  return user;
}

const entry = entriesOf('USER', 'userName');

/**
 * Adds a user to the tenant, able to log in once it has a credential; or the profile of a principal that
 * has none yet. Throws Conflict (409) for a taken user name.
 */
export const add: Operation<z.infer<typeof AddUser>, string> = (app, caller, given) => {
  const { tenantId } = caller;
  const { principalId, enableFlag = EnableFlag.ENABLE, ...profile } = given;
  const adding = inTenant(app.db, tenantId, async (q) => {
    const owner = principalId
      ? await personWithout(q, caller, principalId)
      : await newPerson(app, q, caller, { ...profile, enableFlag });
    const { id } = await q
      .insertInto('svc_user')
      .values({ ...profile, enableFlag, principalId: owner, ...created(app, caller) })
      .returning('id')
      .executeTakeFirstOrThrow();
    await audit(app, q, caller, entry('CREATE', { id, userName: profile.userName }));
    return id;
  });
  return conflictIfTaken('user', adding);
};

async function personWithout(q: Queries, caller: Caller, principalId: string): Promise<string> {
  const principal = await requireMember(q, caller.tenantId, principalId);
  if (principal.principalType !== 'USER') throw new Unprocessable('The principal is no person');
  await demandMayChange(q, caller, principalId);
  return principalId;
}

function newPerson(
  app: App,
  q: Queries,
  caller: Caller,
  { userName, nickName, enableFlag }: { userName: string; nickName: string; enableFlag: number },
): Promise<string> {
  return acrossTenantsWithin(q, 'account', async () => {
    const { id } = await q
      .insertInto('svc_principal')
      .values({
        principalType: 'USER',
        principalName: userName,
        displayName: nickName,
        enableFlag,
        ...created(app, caller),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await join(app, q, { tenantId: caller.tenantId, principalId: id, principalType: 'USER' });
    return id;
  });
}

/** Changes the given fields; a user may change the own profile, any other needs all its permissions. */
export const update: Operation<z.infer<typeof UpdateUser>, void> = async (app, caller, given) => {
  const { id, enableFlag, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    const user = await required(q, tenantId, id);
    const { principalId } = user;
    if (principalId !== caller.principalId) await demandMayChange(q, caller, principalId);
    await q
      .updateTable('svc_user')
      .set({ ...change, ...touched(app, caller) })
      .where('id', '=', id)
      .execute();
    const { userName, nickName } = change;
    await q
      .updateTable('svc_principal')
      .set({
        ...(userName === undefined ? {} : { principalName: userName }),
        ...(nickName === undefined ? {} : { displayName: nickName }),
        ...touched(app, caller),
      })
      .where('id', '=', principalId)
      .execute();
    if (enableFlag !== undefined && enableFlag !== user.enableFlag) {
      await setEnabled(app, q, caller, principalId, nameOf(EnableFlag, enableFlag));
    }
    await audit(app, q, caller, {
      ...entry('UPDATE', user),
      detail: changesOf(user, { ...change, enableFlag }),
    });
  });
  await conflictIfTaken('user', updating);
};

/** Deletes a user with credential, memberships and roles; 409 for the caller, the last admin, an owner. */
export const remove: Operation<ById, true> = async (app, caller, { id }) => {
  const { tenantId } = caller;
  await inTenant(app.db, tenantId, async (q) => {
    const user = await required(q, tenantId, id);
    if (user.principalId === caller.principalId) throw new Conflict('You cannot delete yourself');
    await removeAccount(q, caller, user.principalId);
    await audit(app, q, caller, entry('DELETE', user));
  });
  return true;
};

/** One user of the tenant; NotFound (404). */
export const byId: Operation<ById, User> = (app, { tenantId }, { id }) =>
  inOneTrip(app.db, tenantId, async (q) => User.of(await required(q, tenantId, id)));

/** The user of that name; NotFound (404) when the tenant has none. */
export const byName: Operation<z.infer<typeof ByName>, User> = async (app, caller, { name }) => {
  const user = await inOneTrip(app.db, caller.tenantId, (q) =>
    usersOf(q, caller.tenantId)
      .where('svc_user.userName', '=', name.trim().toLowerCase())
      .executeTakeFirst(),
  );
  if (!user) throw new NotFound('User');
  return User.of(user);
};

/** The users of the tenant, newest first. */
export const page: Operation<z.infer<typeof UserQuery>, Paged<User>> = (app, caller, asked) =>
  inOneTrip(app.db, caller.tenantId, (q) => {
    const { principalId } = asked;
    let found = narrowed(usersOf(q, caller.tenantId).orderBy('svc_user.id', 'desc'), asked, {
      like: ['userName', 'nickName', 'phone', 'email'],
      equal: ['enableFlag'],
    });
    // A membership has this column too.
    if (principalId) found = found.where('svc_user.principalId', '=', principalId);
    return pageOf(found, asked.page, User.of);
  });
