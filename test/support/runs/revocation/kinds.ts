import { z } from 'zod';

import { addRole, bind, PASSWORD, worker } from '../../people/accounts.ts';
import { programFor, tokenFor } from '../../people/bearer.ts';
import { clients } from '../../people/mcp.ts';
import { login, request, type Session } from '../../people/session.ts';
import { Id } from '../../people/shapes.ts';
import { fresh } from '../../world/fresh-name.ts';

const AUTH = '/api/v3/auth';
const CODES = [
  'svc-center-manager:device:list',
  'svc-center-manager:profile:add',
  'svc-center-auth:tenant:get',
];
const TOOL = 'getSystemHealth';

/** A call that has an effect or is refused; `name` is that of a row, if it writes one. */
export type Caller = {
  isWrite: boolean;
  ask(base: string, name: string): Promise<boolean>;
  close(): Promise<unknown>;
};

export type Trial = {
  callers: readonly Caller[];
  /** Resolves with the answer; throws if it is not granted. */
  revoke(base: string): Promise<unknown>;
  restore(): Promise<unknown>;
};

/** Makes somebody whose rights are taken away again and again. */
type Kind = (admin: Session, bases: readonly string[]) => Promise<(nr: number) => Promise<Trial>>;
type Headers = Record<string, string>;

const nothing = async (): Promise<void> => {};

async function ask(base: string, path: string, headers: Headers, body: unknown): Promise<boolean> {
  return (await request(base, 'POST', path, { headers, body })).status === 200;
}

const reading = (headers: Headers): Caller => ({
  isWrite: false,
  ask: (base) => ask(base, '/api/v3/manager/device/list', headers, {}),
  close: nothing,
});

const writing = (headers: Headers): Caller => ({
  isWrite: true,
  ask: (base, profileName) => ask(base, '/api/v3/manager/profile/add', headers, { profileName }),
  close: nothing,
});

const both = ({ headers }: Session): readonly Caller[] => [reading(headers), writing(headers)];

async function calling(token: string, bases: readonly string[]): Promise<Caller> {
  const connect = clients['client 2 pinned to 2026-07-28'];
  if (!connect) throw new Error('no client');
  const there = new Map(
    await Promise.all(bases.map(async (base) => [base, await connect(base, token)] as const)),
  );
  return {
    isWrite: false,
    ask: async (base) => (await there.get(base)?.call(TOOL))?.isError !== true,
    close: () => Promise.all([...there.values()].map((client) => client.close())),
  };
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
async function on(base: string, { headers }: Session, path: string, body: unknown) {
  const answer = await request(base, 'POST', path, { headers, body });
  if (!answer.body.ok) throw new Error(`${path} answered ${answer.status}`);
}

const logout: Kind = async (admin) => {
  const { name } = await worker(admin, CODES);
  return async () => {
    const session = await login(admin.base, admin.tenant, name, PASSWORD);
    return {
      callers: both(session),
      revoke: (base) => on(base, session, `${AUTH}/token/cancel`, {}),
      restore: nothing,
    };
  };
};

const revokedToken: Kind = async (admin, bases) => {
  const scope = 'svc:read';
  const programs = {
    mcp: await programFor(admin, { scope, roleCode: 'viewer' }),
    api: await programFor(admin, { scope, roleCode: 'viewer', audience: 'api' }),
  };
  return async (nr) => {
    const audience = nr % 2 === 0 ? 'mcp' : 'api';
    const { authorization } = programs[audience];
    const token = await tokenFor(admin.base, authorization, { scope, audience });
    return {
      callers: [audience === 'mcp' ? await calling(token, bases) : reading(bearer(token))],
      async revoke(base) {
        const response = await fetch(`${base}/oauth2/revoke`, {
          method: 'POST',
          headers: { authorization },
          body: new URLSearchParams({ token }),
        });
        if (!response.ok) throw new Error(`revoke answered ${response.status}`);
      },
      restore: nothing,
    };
  };
};

const Made = z.object({ id: z.string(), key: z.string() });

const deletedKey: Kind = async (admin, bases) => async (nr) => {
  const audience = nr % 2 === 0 ? 'mcp' : 'api';
  const given = { keyName: fresh('key'), audience };
  const { id, key } = Made.parse(await admin.data(`${AUTH}/key/add`, given));
  return {
    callers: [audience === 'mcp' ? await calling(key, bases) : reading(bearer(key))],
    revoke: (base) => on(base, admin, `${AUTH}/key/revoke`, { id }),
    restore: nothing,
  };
};

const removedRole: Kind = async (admin) => {
  const { principalId, session } = await worker(admin, []);
  const role = await addRole(admin, CODES);
  return async () => {
    const id = Id.parse(await bind(admin, role, principalId));
    return {
      callers: both(session),
      revoke: (base) => on(base, admin, `${AUTH}/role_principal/delete`, { id }),
      restore: nothing,
    };
  };
};

const disabledAccount: Kind = async (admin) => {
  const { principalId, name } = await worker(admin, CODES);
  return async () => {
    const session = await login(admin.base, admin.tenant, name, PASSWORD);
    return {
      callers: both(session),
      revoke: (base) => on(base, admin, `${AUTH}/principal/disable`, { id: principalId }),
      restore: () => admin.data(`${AUTH}/principal/enable`, { id: principalId }),
    };
  };
};

const connectionOf =
  (change: 'revoked' | 'changed'): Kind =>
  async (admin, bases) => {
    const program = await programFor(admin, { scope: 'svc:read', roleCode: 'viewer' });
    const { authorization, clientId, principalId } = program;
    const given = { connectionName: fresh('connection'), clientId, principalId };
    const { id } = z
      .object({ id: z.string() })
      .parse(await admin.data(`${AUTH}/mcp/connection/add`, given));
    const tools = (toolIds: string[]) => ({ connectionId: id, toolIds });
    const replace = `${AUTH}/mcp/connection/tools/replace`;
    await admin.data(replace, tools([TOOL]));
    return async () => {
      const token = await tokenFor(admin.base, authorization, { scope: 'svc:read' });
      return {
        callers: [await calling(token, bases)],
        revoke: (base) =>
          change === 'revoked'
            ? on(base, admin, `${AUTH}/mcp/connection/revoke`, { id })
            : on(base, admin, replace, tools(['searchDevices'])),
        restore: () =>
          change === 'revoked'
            ? admin.data(`${AUTH}/mcp/connection/restore`, { id })
            : admin.data(replace, tools([TOOL])),
      };
    };
  };

export const kinds: Record<string, Kind> = {
  'a logout': logout,
  'a revoked token': revokedToken,
  'a deleted key': deletedKey,
  'a role binding removed': removedRole,
  'a disabled account': disabledAccount,
  'a revoked connection': connectionOf('revoked'),
  'a changed connection': connectionOf('changed'),
};
