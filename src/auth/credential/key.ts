import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Caller, Operation, Scope } from '../../kernel/app/app.ts';
import { answer, AnswerId, IsoTime, MaybeTime, Time } from '../../kernel/entity/answer.ts';
import { deleteRow } from '../../kernel/entity/change.ts';
import { Conflict, Forbidden, NotFound } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, input } from '../../kernel/input/input.ts';
import { Name } from '../../kernel/input/text.ts';
import { audit, entriesOf } from '../audit/audit.ts';
import { AUDIENCES, resourceOf, SCOPES_OF } from '../permission/audience.ts';
import { mint } from '../permission/key-text.ts';
import {
  demand,
  demandAll,
  demandRightsOf,
  loadCodes,
  WILDCARD,
} from '../permission/permission.ts';
import { SCOPES } from '../permission/scope.ts';

const DAY_MS = 24 * 60 * 60_000;
const MAX_DAYS = 366;
/** Unexpired keys of one principal. */
const MAX_KEYS = 20;
const MAX_LISTED = 500;
const LOOK = 'svc-center-auth:principal:list';
const CHANGE = 'svc-center-auth:principal:update';

/** Permission a key's owner needs for a scope; without it the scope would allow nothing. */
const RIGHT: Partial<Record<Scope, string>> = {
  'svc:read-device': 'svc-center-data:point_command:read',
  'svc:propose': 'svc-center-data:point_command:write',
  'svc:chat': 'svc-center-agentic:chat:list',
};

export const AddKey = input({
  keyName: Name,
  /** `api` for REST and chat, `mcp` for MCP. */
  audience: z.enum(AUDIENCES).default('api'),
  scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length).default(['svc:read']),
  expireDays: z.coerce.number().int().min(1).max(MAX_DAYS).default(90),
  /** The service account to act for; the caller when absent. */
  serviceAccountPrincipalId: Id.optional(),
}).superRefine(({ audience, scopes }, context) => {
  const useless = scopes.filter((scope) => !SCOPES_OF[audience].includes(scope));
  if (useless.length === 0) return;
  const message = `${useless.join(' ')} opens nothing at ${audience}`;
  context.addIssue({ code: 'custom', path: ['scopes'], message });
});

/** A key without its text and digest. */
export const Key = answer('Key', {
  id: AnswerId,
  tenantId: AnswerId,
  principalId: AnswerId.describe('The user or service account it acts for'),
  principalType: z.enum(['USER', 'SERVICE_ACCOUNT']),
  keyName: z.string().meta({ examples: ['Shift report'] }),
  keyPrefix: z.string().describe('The start of its text, which tells keys apart'),
  audience: z.enum(AUDIENCES),
  scopes: z.array(z.string()),
  expireTime: Time,
  lastUsedTime: MaybeTime,
  creatorId: AnswerId,
  creatorName: z.string().meta({ examples: ['admin'] }),
  createTime: Time,
});
type Key = z.output<typeof Key.schema>;

export const NewKey = z
  .object({
    id: AnswerId,
    key: z.string().describe('Its text; not stored, so answered only here'),
    keyPrefix: z.string(),
    audience: z.string().describe('The resource it opens (RFC 8707)'),
    scopes: z.array(z.enum(SCOPES)),
    expireTime: IsoTime,
  })
  .meta({ id: 'NewKey' });

const entry = entriesOf('KEY', 'keyName');

type Owner = { principalId: string; principalType: 'USER' | 'SERVICE_ACCOUNT' };

/**
 * Creates a key for the caller, or for a service account without permissions the caller lacks; the text is
 * returned only here. Throws Forbidden (403) for scopes beyond the owner's permissions, NotFound (404) for
 * an account of another tenant, Conflict (409) for a taken name or too many keys.
 */
export const add: Operation<z.output<typeof AddKey>, z.output<typeof NewKey>> = async (
  app,
  caller,
  given,
) => {
  const { tenantId } = caller;
  const { keyName, audience, serviceAccountPrincipalId } = given;
  const scopes = SCOPES.filter((scope) => given.scopes.includes(scope));
  const { text, prefix, digest } = mint(audience);
  const now = app.clock.now();
  const expireTime = new Date(now + given.expireDays * DAY_MS);
  const adding = inTenant(app.db, tenantId, async (q) => {
    const owner = await ownerOf(q, caller, serviceAccountPrincipalId);
    const { principalId } = owner;
    const codes = await loadCodes(q, tenantId, principalId);
    if (owner.principalType === 'SERVICE_ACCOUNT') demandAll(caller, codes);
    for (const scope of scopes) {
      const right = RIGHT[scope];
      if (right !== undefined && !codes.has(right) && !codes.has(WILDCARD))
        throw new Forbidden(`The owner of the key has no right that ${scope} would open`);
    }
    await makeRoom(q, { tenantId, principalId, now });
    const { id } = await q
      .insertInto('svc_key')
      .values({
        tenantId,
        ...owner,
        keyName,
        keyPrefix: prefix,
        keyDigest: digest,
        audience,
        scopes,
        expireTime,
        creatorId: caller.principalId,
        creatorName: caller.name,
        createTime: new Date(now),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const facts = { prefix, audience, scopes, expireTime, for: principalId };
    await audit(app, q, caller, { ...entry('CREATE', { id, keyName }), detail: facts });
    return id;
  });
  const id = await conflictIfTaken('key', adding, 'The owner has a key of that name');
  return {
    id,
    key: text,
    keyPrefix: prefix,
    audience: resourceOf(app, audience),
    scopes,
    expireTime: expireTime.toISOString(),
  };
};

async function ownerOf(q: Queries, caller: Caller, account: string | undefined): Promise<Owner> {
  const { tenantId, principalId } = caller;
  if (account === undefined || account === principalId)
    return { principalId, principalType: 'USER' };
  const found = await q
    .selectFrom('svc_service_account')
    .select('principalId')
    .where('tenantId', '=', tenantId)
    .where('principalId', '=', account)
    .executeTakeFirst();
  if (!found) throw new NotFound('Service account');
  demand(caller, 'svc-center-auth:service_account:update');
  return { ...found, principalType: 'SERVICE_ACCOUNT' };
}

type Of = { tenantId: string; principalId: string; now: number };

/** Deletes the owner's expired keys; Conflict (409) when too many valid ones remain. */
async function makeRoom(q: Queries, { tenantId, principalId, now }: Of): Promise<void> {
  // Serializes key creation per owner: two concurrent calls would both pass the count.
  await q
    .selectFrom('svc_tenant_membership')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('principalId', '=', principalId)
    .forUpdate()
    .execute();
  await q
    .deleteFrom('svc_key')
    .where('tenantId', '=', tenantId)
    .where('principalId', '=', principalId)
    .where('expireTime', '<=', new Date(now))
    .execute();
  const { count } = await q
    .selectFrom('svc_key')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('tenantId', '=', tenantId)
    .where('principalId', '=', principalId)
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_KEYS)
    throw new Conflict(`There are ${MAX_KEYS} keys of this owner: revoke one first`);
}

export const ListKeys = input({
  /** `tenant`: keys of all owners, for callers that may list principals. */
  of: z.enum(['own', 'tenant']).default('own'),
  principalId: Id.optional(),
});

/** Keys, newest first, without their texts. */
export const list: Operation<z.output<typeof ListKeys>, Key[]> = async (app, caller, given) => {
  const { tenantId } = caller;
  if (given.of === 'tenant') demand(caller, LOOK);
  const owner = given.of === 'own' ? caller.principalId : given.principalId;
  const rows = await inOneTrip(app.db, tenantId, (q) => {
    const found = q.selectFrom('svc_key').selectAll().where('tenantId', '=', tenantId);
    return (owner === undefined ? found : found.where('principalId', '=', owner))
      .orderBy('id', 'desc')
      .limit(MAX_LISTED)
      .execute();
  });
  return rows.map(Key.of);
};

/**
 * Ends a key at once, in every process; NotFound (404) for a key the caller neither owns nor may end,
 * Forbidden (403) for a key of a principal with permissions the caller lacks.
 */
export const revoke: Operation<ById, true> = async (app, caller, { id }) => {
  const { tenantId, principalId, permissions } = caller;
  await inTenant(app.db, tenantId, async (q) => {
    const key = await q
      .selectFrom('svc_key')
      .select(['id', 'keyName', 'keyPrefix', 'principalId'])
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    const isOwn = key?.principalId === principalId;
    if (!key || !(isOwn || permissions.has(WILDCARD) || permissions.has(CHANGE)))
      throw new NotFound('Key');
    if (!isOwn) await demandRightsOf(q, caller, key.principalId);
    await deleteRow(q, 'svc_key', tenantId, id);
    const detail = { prefix: key.keyPrefix, for: key.principalId };
    await audit(app, q, caller, { ...entry('DELETE', key), detail });
  });
  return true;
};
