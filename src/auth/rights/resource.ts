import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { acrossTenantsWithin, inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerExt, AnswerId, named, stored } from '../../kernel/entity/answer.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { Conflict, NotFound, Unprocessable } from '../../kernel/errors.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import { Id, IdOrZero } from '../../kernel/input/id.ts';
import { type ById, Ext, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { audit, changesOf, entriesOf } from '../audit/audit.ts';
import { demand, WILDCARD } from '../permission/permission.ts';
import { demandPlatform } from '../permission/platform.ts';
import { MAX_TREE, type Tree, treeOf } from './tree.ts';

const NONE = '0';
const ResourceType = { DRIVER: 0, PROFILE: 1, POINT: 2, DEVICE: 3, DATA: 4, MENU: 5, API: 6 };
const ResourceScope = { ADD: 0, DELETE: 1, UPDATE: 2, LIST: 3, GET: 4 };

/** What a role allows: a permission code, shared by all tenants. */
export const Resource = stored('Resource', {
  parentResourceId: AnswerId.describe('0: none'),
  resourceName: z.string().meta({ examples: ['svc-center-manager:device:list'] }),
  resourceCode: z.string().meta({ examples: ['svc-center-manager:device:list'] }),
  serviceName: z.string().meta({ examples: ['svc-center-manager'] }),
  resourceTypeFlag: named(ResourceType),
  resourceScopeFlag: named(ResourceScope),
  entityId: AnswerId.describe('0: of no single entity'),
  resourceExt: AnswerExt,
  enableFlag: named(EnableFlag),
});
export type Resource = z.output<typeof Resource.schema>;

export const ResourceTree = Resource.schema
  .extend({
    get children() {
      return z.array(ResourceTree);
    },
  })
  .meta({ id: 'ResourceTree' });

/** The registrar uses the code as the name, which is longer than other names. */
const ResourceName = Text(128).min(1);
const fields = {
  ...shared,
  parentResourceId: IdOrZero.optional(),
  serviceName: Text(64).optional(),
  resourceTypeFlag: flag(ResourceType).optional(),
  resourceScopeFlag: flag(ResourceScope).optional(),
  entityId: IdOrZero.optional(),
  resourceExt: Ext.optional(),
};

export const AddResource = input({
  ...fields,
  resourceName: ResourceName,
  resourceCode: Text(128).min(1).optional(),
});
export const UpdateResource = input({
  ...fields,
  id: Id,
  resourceName: ResourceName.optional(),
  resourceCode: Text(128).optional(),
});
const filters = {
  resourceName: Text(128).optional(),
  resourceCode: Text(128).optional(),
  resourceTypeFlag: flag(ResourceType).optional(),
  resourceTypeFlags: z.array(flag(ResourceType)).max(7).optional(),
  resourceScopeFlag: flag(ResourceScope).optional(),
  resourceScopeFlags: z.array(flag(ResourceScope)).max(5).optional(),
  parentResourceId: IdOrZero.optional(),
  enableFlag: flag(EnableFlag).optional(),
};
export const ResourceQuery = input({ page: Page, ...filters });
export const ResourceTreeQuery = input(filters);
type ResourceTreeQuery = z.infer<typeof ResourceTreeQuery>;

/** A resource, shared by all tenants; NotFound (404). */
export async function requireResource(q: Queries, id: string) {
  const resource = await q
    .selectFrom('svc_resource')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  if (!resource) throw new NotFound('Resource');
  return resource;
}

const entry = entriesOf('RESOURCE', 'resourceCode');

/** Adds a permission code, for the platform tenant only (403); 409 for an existing one. */
export const add: Operation<z.infer<typeof AddResource>, string> = (app, caller, given) => {
  const { resourceCode = randomUUID(), parentResourceId = NONE, ...rest } = given;
  const adding = inTenant(app.db, caller.tenantId, async (q) => {
    await demandPlatform(q, caller);
    if (resourceCode === WILDCARD) throw new Conflict('The resource already exists');
    if (parentResourceId !== NONE) await requireResource(q, parentResourceId);
    const { id } = await acrossTenantsWithin(q, 'permission', () =>
      q
        .insertInto('svc_resource')
        .values({ ...rest, resourceCode, parentResourceId, ...created(app, caller) })
        .returning('id')
        .executeTakeFirstOrThrow(),
    );
    await audit(app, q, caller, entry('CREATE', { id, resourceCode }));
    return id;
  });
  return conflictIfTaken('resource', adding);
};

/**
 * Changes the given fields, for all tenants at once; the code is fixed (422), and so is the wildcard (409).
 */
export const update: Operation<z.infer<typeof UpdateResource>, void> = async (
  app,
  caller,
  given,
) => {
  const { id, resourceCode, ...change } = given;
  const updating = inTenant(app.db, caller.tenantId, async (q) => {
    await demandPlatform(q, caller);
    const resource = await changeable(q, id);
    if (resourceCode !== undefined && resourceCode !== resource.resourceCode) {
      throw new Unprocessable('The resource code cannot be changed');
    }
    if (change.parentResourceId !== undefined) await refuseCycle(q, id, change.parentResourceId);
    // Its holders in every tenant gain or lose it.
    if (change.enableFlag !== undefined && change.enableFlag !== resource.enableFlag)
      demand(caller, resource.resourceCode);
    await acrossTenantsWithin(q, 'permission', () =>
      q
        .updateTable('svc_resource')
        .set({ ...change, ...touched(app, caller) })
        .where('id', '=', id)
        .execute(),
    );
    await audit(app, q, caller, {
      ...entry('UPDATE', resource),
      detail: changesOf(resource, change),
    });
  });
  await conflictIfTaken('resource', updating);
};

async function changeable(q: Queries, id: string) {
  const resource = await requireResource(q, id);
  if (resource.resourceCode === WILDCARD) throw new Conflict('The wildcard cannot be changed');
  return resource;
}

async function refuseCycle(q: Queries, id: string, parent: string): Promise<void> {
  for (let above = parent; above !== NONE;) {
    if (above === id) throw new Unprocessable('A resource cannot stand below itself');
    above = (await requireResource(q, above)).parentResourceId;
  }
}

/** Deletes a resource, for the platform tenant only (403); 409 while a role or another resource uses it. */
export const remove: Operation<ById, true> = async (app, caller, { id }) => {
  await inTenant(app.db, caller.tenantId, async (q) => {
    await demandPlatform(q, caller);
    const resource = await changeable(q, id);
    await acrossTenantsWithin(q, 'permission', async () => {
      for (const [table, column, reason] of [
        ['svc_role_resource_bind', 'resourceId', 'Roles hold this resource'],
        ['svc_resource', 'parentResourceId', 'Other resources stand below this one'],
      ] as const) {
        const user = await q
          .selectFrom(table)
          .select('id')
          .where(column, '=', id)
          .limit(1)
          .executeTakeFirst();
        if (user) throw new Conflict(reason);
      }
      await q.deleteFrom('svc_resource').where('id', '=', id).execute();
    });
    await audit(app, q, caller, entry('DELETE', resource));
  });
  return true;
};

/** One resource; NotFound (404). */
export const byId: Operation<ById, Resource> = (app, { tenantId }, { id }) =>
  inOneTrip(app.db, tenantId, async (q) => Resource.of(await requireResource(q, id)));

function found(q: Queries, asked: ResourceTreeQuery) {
  let rows = narrowed(q.selectFrom('svc_resource').selectAll().orderBy('id', 'desc'), asked, {
    like: ['resourceName', 'resourceCode'],
    equal: ['resourceTypeFlag', 'resourceScopeFlag', 'parentResourceId', 'enableFlag'],
  });
  const { resourceTypeFlags, resourceScopeFlags } = asked;
  if (resourceTypeFlags?.length) rows = rows.where('resourceTypeFlag', 'in', resourceTypeFlags);
  if (resourceScopeFlags?.length) rows = rows.where('resourceScopeFlag', 'in', resourceScopeFlags);
  return rows;
}

/** The resources, shared by all tenants; newest first. */
export const page: Operation<z.infer<typeof ResourceQuery>, Paged<Resource>> = (
  app,
  { tenantId },
  asked,
) => inOneTrip(app.db, tenantId, (q) => pageOf(found(q, asked), asked.page, Resource.of));

/** The resources as a forest. */
export const tree: Operation<ResourceTreeQuery, Tree<Resource>[]> = async (
  app,
  { tenantId },
  asked,
) => {
  const rows = await inOneTrip(app.db, tenantId, (q) => found(q, asked).limit(MAX_TREE).execute());
  return treeOf(rows.map(Resource.of), ({ parentResourceId }) => parentResourceId);
};
