import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { acrossTenants, acrossTenantsWithin, inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Operation } from '../../kernel/app/app.ts';
import { AnswerExt, named, stored } from '../../kernel/entity/answer.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { NotFound, Unprocessable } from '../../kernel/errors.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, Ext, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { audit, changesOf, entriesOf } from '../audit/audit.ts';
import { demandPlatform } from '../permission/platform.ts';

const ApiType = { POST: 0, DELETE: 1, PUT: 2, GET: 3 } as const;

/** An endpoint in the API catalogue. */
export const Api = stored('Api', {
  serviceName: z.string().meta({ examples: ['svc-center-manager'] }),
  apiTypeFlag: named(ApiType),
  apiName: z.string().meta({ examples: ['Answers devices'] }),
  apiCode: z.string().meta({ examples: ['svc-center-manager:POST:/device/list'] }),
  apiGroup: z.string().meta({ examples: ['device'] }),
  apiExt: AnswerExt,
  enableFlag: named(EnableFlag),
});
type Api = z.output<typeof Api.schema>;

/** The registrar writes an endpoint's summary, which is longer than other names. */
const ApiName = Text(256).min(1);
const fields = {
  ...shared,
  serviceName: Text(64).optional(),
  apiTypeFlag: flag(ApiType).optional(),
  apiGroup: Text(64).optional(),
  apiExt: Ext.optional(),
};
export const AddApi = input({ ...fields, apiName: ApiName, apiCode: Text(256).min(1) });
export const UpdateApi = input({
  ...fields,
  id: Id,
  apiName: ApiName.optional(),
  apiCode: Text(256).optional(),
});
export const ApiQuery = input({
  page: Page,
  serviceName: Text(64).optional(),
  apiTypeFlag: flag(ApiType).optional(),
  apiName: Text(256).optional(),
  apiCode: Text(256).optional(),
  apiGroup: Text(64).optional(),
  enableFlag: flag(EnableFlag).optional(),
});

async function required(q: Queries, id: string) {
  const api = await q.selectFrom('svc_api').selectAll().where('id', '=', id).executeTakeFirst();
  if (!api) throw new NotFound('API');
  return api;
}

const entry = entriesOf('API', 'apiCode');

/** Adds an entry to the API catalogue, for the platform tenant only (403); 409 for a taken code. */
export const add: Operation<z.infer<typeof AddApi>, string> = (app, caller, given) => {
  const adding = inTenant(app.db, caller.tenantId, async (q) => {
    await demandPlatform(q, caller);
    const { id } = await acrossTenantsWithin(q, 'permission', () =>
      q
        .insertInto('svc_api')
        .values({ ...given, ...created(app, caller) })
        .returning('id')
        .executeTakeFirstOrThrow(),
    );
    await audit(app, q, caller, entry('CREATE', { id, apiCode: given.apiCode }));
    return id;
  });
  return conflictIfTaken('api', adding);
};

/** Changes the given fields, for the platform tenant only (403); the code is fixed (422). */
export const update: Operation<z.infer<typeof UpdateApi>, void> = (app, caller, given) => {
  const { id, apiCode, ...change } = given;
  return inTenant(app.db, caller.tenantId, async (q) => {
    await demandPlatform(q, caller);
    const api = await required(q, id);
    if (apiCode !== undefined && apiCode !== api.apiCode) {
      throw new Unprocessable('The API code cannot be changed');
    }
    await acrossTenantsWithin(q, 'permission', () =>
      q
        .updateTable('svc_api')
        .set({ ...change, ...touched(app, caller) })
        .where('id', '=', id)
        .execute(),
    );
    await audit(app, q, caller, { ...entry('UPDATE', api), detail: changesOf(api, change) });
  });
};

/** Deletes an entry, for the platform tenant only (403); an existing endpoint's returns at the next start. */
export const remove: Operation<ById, true> = async (app, caller, { id }) => {
  await inTenant(app.db, caller.tenantId, async (q) => {
    await demandPlatform(q, caller);
    const api = await required(q, id);
    await acrossTenantsWithin(q, 'permission', () =>
      q.deleteFrom('svc_api').where('id', '=', id).execute(),
    );
    await audit(app, q, caller, entry('DELETE', api));
  });
  return true;
};

/** One entry; NotFound (404). */
export const byId: Operation<ById, Api> = (app, { tenantId }, { id }) =>
  inOneTrip(app.db, tenantId, async (q) => Api.of(await required(q, id)));

/** The catalogue, shared by all tenants; newest first. */
export const page: Operation<z.infer<typeof ApiQuery>, Paged<Api>> = (app, { tenantId }, asked) =>
  inOneTrip(app.db, tenantId, (q) => {
    const found = narrowed(q.selectFrom('svc_api').selectAll().orderBy('id', 'desc'), asked, {
      like: ['apiName', 'apiCode'],
      equal: ['serviceName', 'apiTypeFlag', 'apiGroup', 'enableFlag'],
    });
    return pageOf(found, asked.page, Api.of);
  });

type Endpoint = { method: 'get' | 'post'; path: string; summary: string };

/**
 * Adds every endpoint of the tables to the catalogue under `service:METHOD:path`
 * (docs/specification/authorization.md). Safe to run at each start and from several processes at once;
 * existing entries stay unchanged.
 */
export async function registerApis(
  app: App,
  centers: Readonly<Record<string, readonly Endpoint[]>>,
): Promise<void> {
  const now = new Date(app.clock.now());
  const rows = Object.entries(centers).flatMap(([center, endpoints]) =>
    endpoints.map(({ method, path, summary }) => ({
      serviceName: `svc-center-${center}`,
      apiTypeFlag: method === 'get' ? ApiType.GET : ApiType.POST,
      apiName: summary,
      apiCode: `svc-center-${center}:${method.toUpperCase()}:${path}`,
      apiGroup: path.split('/')[1] ?? '',
      createTime: now,
      operateTime: now,
    })),
  );
  if (rows.length === 0) return;
  await acrossTenants(app.db, 'seed', (q) =>
    q
      .insertInto('svc_api')
      .values(rows.toSorted((one, other) => (one.apiCode < other.apiCode ? -1 : 1)))
      .onConflict((conflict) => conflict.column('apiCode').doNothing())
      .execute(),
  );
}
