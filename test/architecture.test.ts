import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';

import { describe, expect, it } from 'vitest';

import { importsIn, mutualPairs, sourcesIn } from './measure/imports.ts';
import pairs from './measure/pairs.json' with { type: 'json' };
import { privateNames } from './measure/words.ts';

const vocabulary = ['src/kernel/app'];
const base = [
  'src/kernel',
  'src/db',
  'src/bus',
  ...vocabulary,
  'src/kernel/entity',
  'src/kernel/feed',
];
const centers = ['src/auth', 'src/manager', 'src/data', 'src/alarm', 'src/agentic'];

// Every folder may import itself, and of the others only these; a center, those to its left.
const may: Record<string, readonly string[]> = {
  'src/kernel': [],
  'src/db': ['src/kernel'],
  'src/bus': ['src/kernel'],
  'src/kernel/app': ['src/kernel', 'src/db', 'src/bus'],
  'src/kernel/feed': ['src/kernel', 'src/db', ...vocabulary],
  'src/kernel/entity': ['src/kernel', 'src/db', ...vocabulary],
  ...Object.fromEntries(centers.map((center, i) => [center, [...base, ...centers.slice(0, i)]])),
  'src/agentic': [...base, ...centers, 'src/console', 'providers'],
  'src/mcp': ['src/kernel', ...vocabulary, 'src/kernel/feed', 'src/auth'],
  'src/live': [...base, ...centers],
  'src/gateway': ['src/kernel', ...vocabulary, 'src/mcp', 'src/live', 'src/console', ...centers],
  'src/console': [],
  tools: ['src/kernel', ...vocabulary, 'src/kernel/feed', 'src/console', 'src/db', ...centers],
  providers: ['src/kernel'],
  driver: ['src/kernel', 'src/bus'],
};

/**
 * The folders of a center in their order: each may import only those to its left, types included, with all
 * below it. The center's loose files are at the right of all folders, unless they, or all as `*`, are named here.
 */
const inOrder = (folders: string): string[] => folders.split(' ');
const order: Record<string, readonly string[]> = {
  'src/auth': inOrder('permission audit credential login people rights oauth connection agent'),
  'src/gateway': inOrder('middleware mount openapi'),
  'src/mcp': inOrder('request offer session'),
  'src/manager': inOrder(
    'entity driver profile device presence find firmware object trace registration table',
  ),
  'src/data': inOrder(
    'command history value retention change digest ingest silence write result dashboard',
  ),
  driver: inOrder('timer-wheel.ts dtls coap sdk report package virtual mqtt http lwm2m simulator'),
  'driver/mqtt': inOrder('broker'),
  'driver/http': inOrder('device push pull'),
  'driver/coap': inOrder('message'),
  'driver/sdk': inOrder('* command update spool host'),
  'driver/lwm2m': inOrder(
    'codec format security registration trace presence operation firmware observation',
  ),
  'driver/simulator': inOrder('* fleet'),
  'src/alarm': inOrder(
    'kind channel notify alarm message duty ledger deliver condition validation rule search explain watch dashboard',
  ),
  'src/agentic': inOrder(
    'accounting action session document attachment manual proposal provider decision approval propose handover chat',
  ),
  'src/agentic/chat': inOrder('branch request loop turn answer'),
};

// One door per outside package, its subpaths included.
const doors: Record<string, RegExp> = {
  express: /^src\/(gateway|mcp|auth\/oauth)\//,
  '@modelcontextprotocol': /^src\/(mcp|console\/view)\//,
  esbuild: /^(src\/(console\/bundle|start\/link)|driver\/package\/pack)\.ts$/,
  kysely: /^(src\/(db|kernel\/(entity|feed)|auth|manager|data|alarm|agentic)|tools)\//,
  pg: /^src\/db\//,
  amqplib: /^src\/bus\/rabbitmq\//,
  '@electric-sql': /^src\/db\/embedded\//,
  'oidc-provider': /^src\/auth\/oauth\//,
  argon2: /^src\/auth\//,
  bcryptjs: /^src\/auth\//,
  '@prometheus-io': /^src\/kernel\/metrics\//,
  pino: /^src\/kernel\/process\//,
  croner: /^driver\/sdk\//,
  mqtt: /^driver\/mqtt\//,
  commander: /^src\/cli\//,
  '@resvg': /^src\/data\/digest\/plot\.ts$/,
  'csv-parse': /^src\/kernel\/input\/csv\.ts$/,
  'eventsource-parser': /^(providers|src\/console\/app\/client)\//,
  preact: /^src\/console\/(app|card|chart|view)\//,
  '@preact': /^src\/console\/(app|view)\//,
  fflate: /^src\/(console\/app\/client\/table\/workbook\.ts$|agentic\/document\/)/,
  '@rgrove/parse-xml': /^src\/console\/app\/client\/table\/workbook\.ts$/,
  uplot: /^src\/console\/chart\//,
  openai: /^providers\//,
  '@anthropic-ai': /^providers\//,
  unpdf: /^src\/agentic\/document\//,
  undici: /^src\/kernel\/egress/,
  'ipaddr.js': /^src\/kernel\/(egress|request)\//,
  jsep: /^src\/alarm\/kind\/formula\.ts$/,
  nodemailer: /^src\/alarm\/channel\//,
  standardwebhooks: /^src\/alarm\/channel\//,
  // The device side alone uses it: the two ends of the wire share no code.
  coap: /^driver\/simulator\//,
  'node-dtls-client': /^driver\/simulator\//,
};

const composes = /^src\/(main\.ts$|(start|cli)\/)/;
/** Made by `npm run types`, not committed. */
const generated = 'src/console/app/client/operations.ts';
const files = sourcesIn('.');
const imports = importsIn('.', files);
const read = (path: string): string => readFileSync(path, 'utf8');
const place = (path: string): string =>
  path
    .split(
      '/',
      /^src\/kernel\/(app|entity|feed)\//.test(path) ? 3 : path.startsWith('src/') ? 2 : 1,
    )
    .join('/');
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

  it('of every file are only what it may import', () => {
    const refused = files.flatMap((path) =>
      namesIn(path)
        .filter((name) => !isAllowed(path, name))
        .map((name) => `${path}: ${name}`),
    );
    expect(refused).toEqual([]);
  });
});

it('names of files, exports and log lines have no private word', () => {
  expect(privateNames('.', files)).toEqual({ paths: [], exported: [], logged: [] });
});

describe('folders', () => {
  it('import each other in no pair that is not listed; UPDATE_PAIRS=1 drops those that are gone', () => {
    const present = mutualPairs(imports);
    const isShorter = present.length <= pairs.length;
    if (process.env['UPDATE_PAIRS'] && isShorter)
      return writeFileSync('test/measure/pairs.json', `${JSON.stringify(present, null, 2)}\n`);
    return expect(present).toEqual(pairs);
  });

  it.each(Object.entries(order))('of %s import only folders to their left', (center, folders) => {
    const folderOf = (path: string): string => path.slice(center.length + 1).split('/')[0] ?? '';
    const isLoose = (path: string): boolean => /\.tsx?$/.test(folderOf(path));
    const placeOf = (path: string): number => {
      const folder = isLoose(path) && !folders.includes(folderOf(path)) ? '*' : folderOf(path);
      return folders.includes(folder) ? folders.indexOf(folder) : folders.length;
    };
    const inside = (path: string): boolean => path.startsWith(`${center}/`);
    const found = files.filter(inside).map(folderOf);
    expect(folders.filter((folder) => folder !== '*' && !found.includes(folder))).toEqual([]);
    expect(found.filter((folder) => !folder.endsWith('.ts') && !folders.includes(folder))).toEqual(
      [],
    );
    const upwards = imports.filter(
      ({ from, to }) => inside(from) && inside(to) && placeOf(from) < placeOf(to),
    );
    expect(upwards.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });
});

describe('functions', () => {
  it('have at most 100 lines and 20 branches, without an exception', () => {
    const laws = /oxlint-disable.*(complexity|max-lines-per-function)/;
    expect(files.filter((path) => laws.test(read(path)))).toEqual([]);
  });
});

describe('a start', () => {
  /** Their first use loads them: a mail, a request to `/mcp` or `/oauth2`, a broker, a list of models, a PDF. */
  const late =
    /^(nodemailer|undici|@modelcontextprotocol|@resvg|esbuild|oidc-provider|amqplib|openai|@anthropic-ai|unpdf|mqtt)\b/;

  it('loads no package that only a later use needs', () => {
    const ours = new Set([
      'src/cli/serve.ts',
      'src/start/platform.ts',
      'src/start/late-imports.ts',
    ]);
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
        /^src\/kernel\/clock\.ts$|^src\/console\/app\/client\/clock\.ts$|^driver\/simulator\//,
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
    const homes = new Map(
      files.flatMap((path) =>
        [...read(path).matchAll(/^(?:export )?const ([A-Z_]+) = slot\(/gm)].map(([, name]) => [
          name,
          place(path),
        ]),
      ),
    );
    const used = files.flatMap((path) =>
      [...read(path).matchAll(/\.of\(([A-Z_]+)\)/g)].map(([, name]) => ({ name, by: place(path) })),
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
