import { PATHS, REGISTRATION_PATH } from '../../../../src/auth/oauth/store/paths.ts';
import { centers } from '../../../../src/gateway/mount/centers.ts';
import {
  CHAT_PATHS,
  MODEL_PATHS,
  RESPONSE_PATHS,
  STREAM_PATHS,
} from '../../../../src/gateway/mount/chat.ts';
import { LIVE_PATH } from '../../../../src/gateway/mount/live.ts';
import { STORED_ROUTES } from '../../../../src/gateway/mount/stored-chat.ts';

/** A way in. `isOpen`: it answers callers without a credential. */
export type Entrance = {
  door: 'rest' | 'upload' | 'chat' | 'mcp' | 'oauth' | 'page' | 'nothing';
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  isOpen: boolean;
};

const NOBODY = '00000000-0000-4000-8000-000000000000';
const filled = (path: string): string =>
  path.replace(':turnId', NOBODY).replace(':id', 'scripted').replace(':item', 'item_1');

const to = (
  door: Entrance['door'],
  method: Entrance['method'],
  paths: readonly string[],
  isOpen = false,
): Entrance[] => paths.map((path) => ({ door, method, path: filled(path), isOpen }));

/** Every route of the centers' tables below `prefix`. */
const tables = (): Entrance[] =>
  Object.entries(centers).flatMap(([center, routes]) =>
    routes.map(({ method, path, needs, csv, file }) => ({
      door: file !== undefined || csv === 'body' ? ('upload' as const) : ('rest' as const),
      method: method === 'get' ? ('GET' as const) : ('POST' as const),
      path: `/api/v3/${center}${path}`,
      isOpen: needs === 'public',
    })),
  );

const agentic = (paths: readonly string[]): string[] =>
  paths.map((path) => `/api/v3/agentic${path}`);

const METHODS = { get: 'GET', post: 'POST', delete: 'DELETE' } as const;

/** Those of the chat, which are outside the tables. */
const chatEntrances = (): Entrance[] => [
  ...to('chat', 'POST', agentic([...CHAT_PATHS, ...RESPONSE_PATHS])),
  ...to('chat', 'GET', agentic([...MODEL_PATHS, ...STREAM_PATHS])),
  ...STORED_ROUTES.flatMap(({ method, paths }) => to('chat', METHODS[method], agentic(paths))),
];

/** The routes of one center, with their paths at its own port. */
export const centerEntrances = (center: keyof typeof centers): Entrance[] => [
  ...tables().filter(({ path }) => path.startsWith(`/api/v3/${center}/`)),
  ...(center === 'agentic' ? chatEntrances() : []),
];

/** Every way in of a gateway, from the tables that it is mounted by. */
export const entrances = (): Entrance[] => [
  ...tables(),
  ...chatEntrances(),
  ...to('rest', 'GET', [LIVE_PATH]),
  ...to('mcp', 'POST', ['/mcp']),
  ...to('mcp', 'GET', ['/mcp']),
  ...to('mcp', 'DELETE', ['/mcp']),
  ...to('oauth', 'POST', [PATHS.token, PATHS.revocation, PATHS.introspection], true),
  ...to('oauth', 'POST', [REGISTRATION_PATH], true),
  ...to(
    'oauth',
    'POST',
    ['login', 'password', 'consent', 'deny'].map((form) => `/oauth2/interaction/${NOBODY}/${form}`),
    true,
  ),
  ...to('oauth', 'GET', [PATHS.authorization, PATHS.jwks], true),
  ...to('page', 'GET', ['/', '/livez', '/readyz', '/console', '/llms.txt', '/v3/api-docs'], true),
  ...to('nothing', 'POST', ['/api/v3/manager/nothing', '/nothing', '/api/v3'], true),
];
