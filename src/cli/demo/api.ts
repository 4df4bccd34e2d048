import { z } from 'zod';

import { acrossTenants } from '../../db/tenant.ts';
import { centers } from '../../gateway/mount/centers.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { NO_COOKIES } from '../../kernel/app/route.ts';
import { Conflict } from '../../kernel/errors.ts';

const Records = z.object({ records: z.array(z.looseObject({ id: z.string() })) });

/** The platform's endpoints with the rights of the admin of the demo's tenant. */
export type Api = {
  caller: Caller;
  run(center: keyof typeof centers, path: string, input: object): Promise<unknown>;
  /** The records of a list. */
  list(path: string, input: object): Promise<z.output<typeof Records>['records']>;
  /** The id of the record with exactly these values; null if there is none. */
  find(path: string, key: Record<string, string>): Promise<string | null>;
  /** Adds a record unless one has this key; answers its id either way. */
  ensured(noun: string, key: Record<string, string>, rest: object): Promise<string>;
  /** The id of the new record; null if it exists already. */
  added(noun: string, input: object): Promise<string | null>;
};

export async function openApi(app: App): Promise<Api> {
  const caller = await admin(app);
  const run: Api['run'] = (center, path, input) => {
    const route = centers[center].find((row) => row.path === path);
    if (!route) throw new Error(`there is no ${center}${path}`);
    return route.run(app, caller, input, NO_COOKIES);
  };
  const list: Api['list'] = async (path, input) =>
    Records.parse(await run('manager', path, input)).records;
  const find: Api['find'] = async (path, key) => {
    const records = await list(path, key);
    const same = records.find((row) => Object.entries(key).every(([name, is]) => row[name] === is));
    return same?.id ?? null;
  };
  const added: Api['added'] = async (noun, input) => {
    try {
      return z.string().parse(await run('manager', `/${noun}/add`, input));
    } catch (error) {
      if (error instanceof Conflict) return null;
      throw error;
    }
  };
  const ensured: Api['ensured'] = async (noun, key, rest) =>
    (await find(`/${noun}/list`, key)) ?? z.string().parse(await added(noun, { ...key, ...rest }));
  return { caller, run, list, find, ensured, added };
}

async function admin(app: App): Promise<Caller> {
  const owner = await acrossTenants(app.db, 'seed', (q) =>
    q
      .selectFrom('svc_tenant')
      .innerJoin('svc_tenant_membership', 'svc_tenant_membership.tenantId', 'svc_tenant.id')
      .select(['svc_tenant.id as tenantId', 'svc_tenant_membership.principalId'])
      .where('svc_tenant.tenantCode', '=', 'default')
      .where('svc_tenant_membership.principalType', '=', 'USER')
      .orderBy('svc_tenant_membership.id')
      .executeTakeFirstOrThrow(),
  );
  return {
    ...owner,
    principalType: 'SYSTEM',
    name: 'demo',
    via: 'system',
    permissions: new Set(['*']),
  };
}
