import { z } from 'zod';

import { testEnvironment } from '../world/environment.ts';

export const person = {
  tenant: 'default',
  name: 'admin',
  password: testEnvironment.SVC_ADMIN_PASSWORD,
};

const Begun = z.looseObject({ data: z.looseObject({ proof: z.string() }) });

export type ConsoleSession = {
  cookie: string;
  proof: string;
  /** The Set-Cookie header as it came. */
  setCookie: string;
  headers: Record<string, string>;
};

/** Sends JSON as a page would; the answer is unread. */
export const sendJson = (
  base: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** Logs in as a page of the console does. */
export async function beginConsole(base: string, who = person): Promise<ConsoleSession> {
  const answer = await sendJson(base, '/api/v3/auth/session/begin', who);
  const [setCookie = ''] = answer.headers.getSetCookie();
  const [cookie = ''] = setCookie.split(';');
  const { proof } = Begun.parse(await answer.json()).data;
  return { cookie, proof, setCookie, headers: { cookie, 'x-svc-proof': proof } };
}
