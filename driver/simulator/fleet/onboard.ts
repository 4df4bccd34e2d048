import { z } from 'zod';

import { POINTS, tableOf } from './table.ts';

const PROFILE = 'simulated-fleet';
const DRIVER = 'Lwm2mDriver';
const ROWS = 500;
const PAGE = 100;
const TIMEOUT_MS = 120_000;

const Answer = z.object({
  ok: z.boolean(),
  code: z.string(),
  message: z.string(),
  data: z.unknown().optional(),
});
const Found = z.object({
  total: z.coerce.number(),
  records: z.array(z.looseObject({ id: z.string() })),
});
const Devices = z.object({ records: z.array(z.object({ deviceName: z.string() })) });

export type Login = { platform: string; tenant: string; name: string; password: string };
export type Onboarded = { added: number; present: number };

/** Adds the devices that the platform does not have, in one profile with points; the others stay as they are. */
export async function onboard(
  endpoints: readonly string[],
  login: Login,
  keys: { seed: string; isSecure: boolean; isObserved: boolean },
): Promise<Onboarded> {
  const post = await loggedIn(login);
  const driver = await found(post, '/manager/driver/list', { driverCode: DRIVER });
  if (driver === null) throw new Error(`the platform has no driver ${DRIVER}`);
  const profile = await ensured(post, 'profile', { profileName: PROFILE }, {});
  for (const { code } of POINTS)
    await ensured(
      post,
      'point',
      { pointName: code, profileId: profile },
      {
        pointCode: code,
        pointTypeFlag: 'DOUBLE',
        rwFlag: code === 'set-point' ? 'READ_WRITE' : 'READ_ONLY',
        unit: '°C',
      },
    );
  const present = await namesIn(post, profile);
  const missing = endpoints.filter((endpoint) => !present.has(endpoint));
  const path = `/manager/device/import?driverId=${driver}&profileId=${profile}`;
  for (let start = 0; start < missing.length; start += ROWS)
    await post(path, tableOf(missing.slice(start, start + ROWS), keys));
  return { added: missing.length, present: endpoints.length - missing.length };
}

/** Posts JSON, or a table when it is a text; answers the data. Throws with the reason of a refusal. */
type Post = (path: string, body: object | string) => Promise<unknown>;

async function loggedIn({ platform, tenant, name, password }: Login): Promise<Post> {
  let headers: Record<string, string> = {};
  const post: Post = async (path, body) => {
    const isTable = typeof body === 'string';
    const response = await fetch(`${platform}/api/v3${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': isTable ? 'text/csv' : 'application/json' },
      body: isTable ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = Answer.safeParse(await response.json().catch(() => null));
    if (!answer.success)
      throw new Error(`${platform} answers ${response.status}, not as a platform`);
    const { ok, code, message, data } = answer.data;
    if (!ok) throw new Error(`${path.split('?', 1)[0]}: ${code} ${message}`);
    return data;
  };
  const salt = z.string().parse(await post('/auth/token/salt', { tenant, name }));
  const token = await post('/auth/token/generate', { tenant, name, salt, password });
  headers = {
    'x-auth-tenant': tenant,
    'x-auth-login': name,
    'x-auth-token': JSON.stringify({ salt, token }),
  };
  return post;
}

async function found(
  post: Post,
  path: string,
  key: Record<string, string>,
): Promise<string | null> {
  const { records } = Found.parse(await post(path, key));
  const same = records.find((row) => Object.entries(key).every(([name, is]) => row[name] === is));
  return same?.id ?? null;
}

async function ensured(
  post: Post,
  noun: string,
  key: Record<string, string>,
  rest: object,
): Promise<string> {
  const present = await found(post, `/manager/${noun}/list`, key);
  return present ?? z.string().parse(await post(`/manager/${noun}/add`, { ...key, ...rest }));
}

async function namesIn(post: Post, profileId: string): Promise<Set<string>> {
  const names = new Set<string>();
  for (let current = 1; ; current += 1) {
    const page = { current, size: PAGE };
    const { records } = Devices.parse(await post('/manager/device/list', { profileId, page }));
    for (const { deviceName } of records) names.add(deviceName);
    if (records.length < PAGE) return names;
  }
}
