import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';

import { describe, expect, it } from 'vitest';

const base = [
  'src/core',
  'src/db',
  'src/bus',
  'src/app.ts',
  'src/route.ts',
  'src/entity',
  'src/feed',
];
const call = ['src/app.ts', 'src/exchange.ts'];
const centers = ['src/auth', 'src/manager', 'src/data', 'src/alarm', 'src/agentic'];

// Every folder may import itself, and of the others only these; a center, those to its left.
const may: Record<string, readonly string[]> = {
  'src/core': [],
  'src/db': ['src/core'],
  'src/bus': ['src/core'],
  'src/app.ts': ['src/core', 'src/db', 'src/bus', 'src/caches.ts', 'src/exchange.ts'],
  'src/route.ts': ['src/app.ts', 'src/db'],
  'src/feed': ['src/core', 'src/db', 'src/app.ts'],
  'src/entity': ['src/core', 'src/db', 'src/app.ts', 'src/route.ts'],
  ...Object.fromEntries(centers.map((center, i) => [center, [...base, ...centers.slice(0, i)]])),
  'src/run-tool.ts': ['src/core', ...call, 'src/auth'],
  'src/agentic': [...base, ...centers, 'src/run-tool.ts', 'providers'],
  'src/mcp': ['src/core', ...call, 'src/run-tool.ts', 'src/auth', 'src/feed'],
  'src/live': [...base, ...centers],
  'src/gateway': [
    'src/core',
    'src/app.ts',
    'src/route.ts',
    'src/mcp',
    'src/live',
    'src/console',
    ...centers,
  ],
  'src/console': [],
  'src/linked': ['src/core'],
  tools: ['src/core', 'src/console', ...call, 'src/db', 'src/feed', ...centers],
  providers: ['src/core'],
  driver: ['src/core', 'src/bus'],
};

// One door per outside package, its subpaths included.
const doors: Record<string, RegExp> = {
  express: /^src\/(gateway|mcp|auth\/oauth)\//,
  '@modelcontextprotocol': /^src\/(mcp|console\/view)\//,
  esbuild: /^src\/(console\/bundle|linked\/link)\.ts$/,
  kysely: /^(src\/(db|entity|feed|auth|manager|data|alarm|agentic)|tools)\//,
  pg: /^src\/db\//,
  amqplib: /^src\/bus\/rabbitmq\//,
  '@electric-sql': /^src\/db\/embedded\//,
  'oidc-provider': /^src\/auth\/oauth\//,
  argon2: /^src\/auth\//,
  bcryptjs: /^src\/auth\//,
  pino: /^src\/core\/log\//,
  croner: /^driver\/sdk\//,
  commander: /^src\/cli\//,
  '@resvg': /^src\/data\/value\/digest\/plot\.ts$/,
  'csv-parse': /^src\/core\/input\/csv\.ts$/,
  'eventsource-parser': /^(providers|src\/console\/app\/live)\//,
  preact: /^src\/console\/app\//,
  '@preact': /^src\/console\/app\//,
  fflate: /^src\/console\/app\/client\/sheet\.ts$/,
  '@rgrove/parse-xml': /^src\/console\/app\/client\/sheet\.ts$/,
  uplot: /^src\/console\/app\/part\//,
  openai: /^providers\//,
  '@anthropic-ai': /^providers\//,
  unpdf: /^src\/agentic\/attachment\/pdf\//,
  undici: /^src\/core\/egress/,
  'ipaddr.js': /^src\/core\/(egress|address)\//,
  nodemailer: /^src\/alarm\/channel\//,
  standardwebhooks: /^src\/alarm\/channel\//,
  // The device side alone uses it: the two ends of the wire share no code.
  coap: /^driver\/simulator\//,
  'node-dtls-client': /^driver\/simulator\//,
};

const composes =
  /^src\/(main|program|platform|rooms|settings|start|caches|doors|lifecycle)\.ts|^src\/cli\//; // the composition root
/** Made by `npm run types`, not committed. */
const generated = 'src/console/app/client/operations.ts';
const files = globSync('{src,tools,providers,driver}/**/*.{ts,tsx}')
  .filter((path) => path !== generated)
  .toSorted();
const read = (path: string): string => readFileSync(path, 'utf8');
const place = (path: string): string => path.split('/', path.startsWith('src/') ? 2 : 1).join('/');
const namesIn = (path: string): string[] =>
  [...read(path).matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].flatMap(
    ([, name]) => name ?? [],
  );
const target = (path: string, name: string): string => relative('.', resolve(dirname(path), name));

function isAllowed(path: string, name: string): boolean {
  const [outside = name] = name.split('/');
  if (!name.startsWith('.')) return doors[outside]?.test(path) ?? true;
  const from = place(path);
  const to = place(target(path, name));
  if (
    path.startsWith('driver/simulator/') &&
    /^driver\/(coap|dtls|lwm2m)\//.test(target(path, name))
  )
    return false;
  return from === to || composes.test(path) || (may[from]?.includes(to) ?? false);
}

describe('imports', () => {
  it('are read from every file', () => expect(files.length).toBeGreaterThan(100));

  it.each(files)('%s imports only what it may', (path) => {
    expect(namesIn(path).filter((name) => !isAllowed(path, name))).toEqual([]);
  });
});

describe('a start', () => {
  /** Their first use loads them: a mail, a request to `/mcp` or `/oauth2`, a broker, a list of models, a PDF. */
  const late =
    /^(nodemailer|undici|@modelcontextprotocol|@resvg|esbuild|oidc-provider|amqplib|openai|@anthropic-ai|unpdf)\b/;

  it('loads no package that only a later use needs', () => {
    const ours = new Set(['src/cli/serve.ts', 'src/platform.ts', 'src/rooms.ts']);
    const packages = new Set<string>();
    for (const path of ours)
      for (const [, name = ''] of read(path).matchAll(
        /^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)'/gm,
      ))
        if (!name.startsWith('.')) packages.add(name);
        else if (name.endsWith('.ts')) ours.add(target(path, name));
    expect(ours.size).toBeGreaterThan(400);
    expect([...packages].filter((name) => late.test(name))).toEqual([]);
  });
});

describe('time, environment and output', () => {
  const sees = (allowed: RegExp, pattern: RegExp): string[] =>
    files.filter((path) => !allowed.test(path) && pattern.test(read(path)));

  it('comes from a clock, never from the machine in the middle of logic', () => {
    expect(
      sees(
        /^src\/core\/clock\.ts$|^src\/console\/(view|app)\/clock\.ts$|^driver\/simulator\//,
        /\bDate\.now\(|\bnew Date\(\)|performance\.now\(/,
      ),
    ).toEqual([]);
  });

  it('is read by the composition root only', () => {
    expect(
      sees(/^src\/(main\.ts|cli\/)|^driver\/simulator\/(fleet\/)?main\.ts/, /process\.env/),
    ).toEqual([]);
  });
});

describe('state in memory', () => {
  it('is used by the center that makes it', () => {
    const list = read('src/caches.ts');
    const makers = new Map(
      [...list.matchAll(/^import \{ (\w+) \} from '\.\/(\w+)\//gm)].map(([, name, at]) => [
        name,
        at,
      ]),
    );
    const homes = new Map(
      [...list.matchAll(/^ {2}(\w+): (?:new )?(\w+)\(/gm)].map(([, name, by]) => [
        name,
        `src/${makers.get(by)}`,
      ]),
    );
    const used = files.flatMap((path) =>
      [...read(path).matchAll(/app\.caches\.(\w+)|\{ (\w+) \} = app\.caches;/g)].map(
        ([, field, only]) => ({ name: field ?? only, by: place(path) }),
      ),
    );
    expect(new Set(used.map(({ name }) => name))).toEqual(new Set(homes.keys()));
    expect(used.filter(({ name, by }) => homes.get(name) !== by)).toEqual([]);
  });
});

describe('queries', () => {
  it('that cross tenants name one of the listed reasons', () => {
    const outside = files.filter(
      (path) => !path.startsWith('src/db/') && /\bsvc\.tenant_(id|free)\b/.test(read(path)),
    );
    expect(outside).toEqual([]);
  });
});

describe('files', () => {
  it('that code opens beside itself exist, also after a move', () => {
    const opened = files.flatMap((path) =>
      [...read(path).matchAll(/new URL\(\s*'(\.[^']*)',\s*import\.meta\.url/g)].map(
        ([, name = '']) => resolve(dirname(path), name),
      ),
    );
    const made = resolve('node_modules/.cache/svc');
    expect(opened.length).toBeGreaterThan(5);
    expect(
      opened.filter((path) => ![made, resolve(generated)].includes(path) && !existsSync(path)),
    ).toEqual([]);
  });

  it('are named by paths of this system, not by those of a URL, in which a blank is %20', () => {
    const all = [...files, ...globSync('test/**/*.ts')];
    expect(all.filter((path) => /import\.meta\.url\s*\)\.pathname/.test(read(path)))).toEqual([]);
  });

  it('hold one concept in at most 300 lines', () => {
    expect(files.filter((path) => read(path).split('\n').length > 301)).toEqual([]);
  });

  it('of test support are sorted into folders of at most 20', () => {
    const support = globSync('test/support/**/*.ts');
    const folders = Map.groupBy(support, (path) => dirname(path));
    expect([...folders].filter(([, { length }]) => length > 20)).toEqual([]);
    expect(folders.has('test/support')).toBe(false);
  });
});
