import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerExt, AnswerId, MaybeTime, named, stored } from '../../kernel/entity/answer.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { Conflict, NotFound, Unprocessable } from '../../kernel/errors.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { secret } from '../../kernel/input/secret.ts';
import { Code, Text } from '../../kernel/input/text.ts';
import { audit, changesOf, entriesOf } from '../audit/audit.ts';
import { demandGoodPassword, hashPassword, passwordExpiry } from '../credential/password.ts';
import { normalizeLogin, sourceOfCaller } from '../login/checks.ts';
import { keepingAnAdmin } from './last-admin.ts';
import { demandMayChange, requireMember, revokeIn } from './member.ts';

const ChangeRequired = { NOT_REQUIRED: 0, REQUIRED: 1 } as const;

const CredentialType = z.enum(['PASSWORD']);

/** The login of a user, without its password hash. */
export const LocalCredential = stored('LocalCredential', {
  principalId: AnswerId,
  loginName: z.string().meta({ examples: ['Anna.Berg'] }),
  loginNameNormalized: z.string().meta({ examples: ['anna.berg'] }),
  credentialType: CredentialType,
  passwordAlgorithm: z.string().meta({ examples: ['ARGON2ID'] }),
  passwordParams: AnswerExt,
  passwordUpdatedTime: MaybeTime,
  passwordExpireTime: MaybeTime,
  failedAttempts: z.number().int(),
  lastFailedTime: MaybeTime,
  lockedUntil: MaybeTime,
  requirePasswordChange: named(ChangeRequired),
  credentialExt: AnswerExt,
  enableFlag: named(EnableFlag),
});
type LocalCredential = z.output<typeof LocalCredential.schema>;

const Login = Text(32).trim().pipe(Code);
/** Checked again in bytes before hashing. */
const NewPassword = secret(Text(1_024)).meta({ examples: ['Valve-87-copper'] });

export const AddCredential = input({
  ...shared,
  principalId: Id,
  loginName: Login,
  password: NewPassword,
});
export const UpdateCredential = input({
  ...shared,
  id: Id,
  loginName: Login.optional(),
  password: NewPassword.optional(),
  requirePasswordChange: flag(ChangeRequired).optional(),
  passwordExpireTime: z.iso.datetime({ offset: true, local: true }).nullish(),
});
export const ResetPassword = input({ id: Id, password: NewPassword });
export const CheckName = input({ name: Text(64).meta({ examples: ['anna.weber'] }) });
export const CredentialQuery = input({
  page: Page,
  principalId: Id.optional(),
  loginName: Text(64).optional(),
  credentialType: CredentialType.optional(),
  enableFlag: flag(EnableFlag).optional(),
});

const ofTenant = (q: Queries, tenantId: string) =>
  q
    .selectFrom('svc_local_credential')
    .innerJoin(
      'svc_tenant_membership as membership',
      'membership.principalId',
      'svc_local_credential.principalId',
    )
    .selectAll('svc_local_credential')
    .where('membership.tenantId', '=', tenantId);

async function required(q: Queries, tenantId: string, id: string) {
  const row = await ofTenant(q, tenantId)
    .where('svc_local_credential.id', '=', id)
    .executeTakeFirst();
  if (!row) throw new NotFound('Credential');
  return row;
}

const entry = entriesOf('LOCAL_CREDENTIAL', 'loginName');

/**
 * Adds a login for a user of the tenant, with a password that must be changed at the first login. Throws
 * Forbidden (403) for a user with permissions the caller lacks: a login grants all of them.
 */
export const add: Operation<z.infer<typeof AddCredential>, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const { password, loginName, principalId, ...rest } = given;
  demandGoodPassword(password, { names: [loginName] });
  const hashed = await hashPassword(password, { source: sourceOfCaller(caller), isKnown: true });
  const adding = inTenant(app.db, tenantId, async (q) => {
    const principal = await requireMember(q, tenantId, principalId);
    if (principal.principalType !== 'USER') {
      throw new Unprocessable('Only a person can have a login');
    }
    await demandMayChange(q, caller, principalId);
    const { id } = await q
      .insertInto('svc_local_credential')
      .values({
        ...rest,
        ...hashed,
        principalId,
        loginName,
        loginNameNormalized: normalizeLogin(loginName),
        passwordUpdatedTime: new Date(app.clock.now()),
        passwordExpireTime: passwordExpiry(app),
        requirePasswordChange: ChangeRequired.REQUIRED,
        ...created(app, caller),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await audit(app, q, caller, entry('CREATE', { id, loginName }));
    return id;
  });
  return conflictIfTaken('login', adding);
};

/** Changes the given fields; a new password or a disabled login ends earlier logins and tokens. */
export const update: Operation<z.infer<typeof UpdateCredential>, void> = async (
  app,
  caller,
  given,
) => {
  const { id, password, loginName, passwordExpireTime, ...rest } = given;
  if (password !== undefined) demandGoodPassword(password, { names: loginName ? [loginName] : [] });
  const hashed =
    password === undefined
      ? null
      : await hashPassword(password, { source: sourceOfCaller(caller), isKnown: true });
  const renewed = (fresh: Awaited<ReturnType<typeof hashPassword>>) => ({
    ...fresh,
    passwordUpdatedTime: new Date(app.clock.now()),
    passwordExpireTime: passwordExpiry(app),
    failedAttempts: 0,
    requirePasswordChange: rest.requirePasswordChange ?? ChangeRequired.REQUIRED,
  });
  const updating = inTenant(app.db, caller.tenantId, async (q) => {
    const old = await required(q, caller.tenantId, id);
    if (password !== undefined)
      demandGoodPassword(password, { names: [loginName ?? old.loginName] });
    if (rest.enableFlag === EnableFlag.DISABLE && old.principalId === caller.principalId) {
      throw new Conflict('You cannot disable your own login');
    }
    const tenants = await demandMayChange(q, caller, old.principalId);
    const change = {
      ...rest,
      ...(hashed && renewed(hashed)),
      ...(loginName === undefined
        ? {}
        : { loginName, loginNameNormalized: normalizeLogin(loginName) }),
      ...(passwordExpireTime === undefined
        ? {}
        : { passwordExpireTime: passwordExpireTime ? new Date(passwordExpireTime) : null }),
      ...touched(app, caller),
    };
    await keepingAnAdmin(q, tenants, () =>
      q.updateTable('svc_local_credential').set(change).where('id', '=', id).execute(),
    );
    if (hashed || rest.enableFlag === EnableFlag.DISABLE) {
      await revokeIn(app, q, tenants, old.principalId);
    }
    await audit(app, q, caller, {
      ...entry(hashed ? 'RESET_PASSWORD' : 'UPDATE', old),
      detail: changesOf(old, change),
    });
  });
  await conflictIfTaken('login', updating);
};

/** Sets a password that must be changed at the next login; ends earlier logins and tokens, not keys. */
export const resetPassword: Operation<z.infer<typeof ResetPassword>, true> = async (
  app,
  caller,
  { id, password },
) => {
  await update(app, caller, { id, password });
  return true;
};

/** Deletes the login, keeps the user; Conflict (409) for the caller's own and for the last admin's. */
export const remove: Operation<ById, true> = async (app, caller, { id }) => {
  await inTenant(app.db, caller.tenantId, async (q) => {
    const old = await required(q, caller.tenantId, id);
    if (old.principalId === caller.principalId)
      throw new Conflict('You cannot delete your own login');
    const reached = await demandMayChange(q, caller, old.principalId);
    await keepingAnAdmin(q, reached, () =>
      q.deleteFrom('svc_local_credential').where('id', '=', id).execute(),
    );
    await revokeIn(app, q, reached, old.principalId);
    await audit(app, q, caller, entry('DELETE', old));
  });
  return true;
};

/** One login of the tenant; NotFound (404). */
export const byId: Operation<ById, LocalCredential> = (app, { tenantId }, { id }) =>
  inOneTrip(app.db, tenantId, async (q) => LocalCredential.of(await required(q, tenantId, id)));

/** Whether a login name is taken in the tenant; other tenants may have the same. */
export const check: Operation<z.infer<typeof CheckName>, boolean> = async (
  app,
  { tenantId },
  { name },
) => {
  const found = await inOneTrip(app.db, tenantId, (q) =>
    ofTenant(q, tenantId)
      .where('credentialType', '=', 'PASSWORD')
      .where('loginNameNormalized', '=', normalizeLogin(name))
      .executeTakeFirst(),
  );
  return found !== undefined;
};

/** The logins of the tenant, newest first. */
export const page: Operation<z.infer<typeof CredentialQuery>, Paged<LocalCredential>> = (
  app,
  caller,
  asked,
) =>
  inOneTrip(app.db, caller.tenantId, (q) => {
    const { principalId } = asked;
    let found = narrowed(
      ofTenant(q, caller.tenantId).orderBy('svc_local_credential.id', 'desc'),
      asked,
      { like: ['loginName'], equal: ['credentialType', 'enableFlag'] },
    );
    // A membership has this column too.
    if (principalId) found = found.where('svc_local_credential.principalId', '=', principalId);
    return pageOf(found, asked.page, LocalCredential.of);
  });
