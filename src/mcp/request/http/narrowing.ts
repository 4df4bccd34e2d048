import type { Narrowing } from '../../../auth/connection/denial.ts';
import type { App } from '../../../kernel/app/app.ts';
import { Unprocessable } from '../../../kernel/errors.ts';
import { nearest } from '../../../kernel/sentence/nearest.ts';

/** The address below which nothing is proposed, and the query and the headers by which a client takes less, or fuller schemas. */
export const READ_ONLY_PATH = '/mcp/readonly';
const TOOLS_HEADER = 'x-mcp-tools';
const SCHEMAS_HEADER = 'x-mcp-schemas';
const MAX_NAMES = 100;

/** Of a request: its narrowing, and whether it wants the whole schemas of results. */
export type Wanted = { narrowing: Narrowing; fullSchemas: boolean };

type Asked = {
  path: string;
  query: object;
  headers: Record<string, string | string[] | undefined>;
};

/**
 * What a request to `/mcp` wants: `/mcp/readonly` or `?readonly=1` tools that only read, `?tools=` or `X-MCP-Tools` tools by
 * name (commas between), `?schemas=full` or `X-MCP-Schemas: full` the whole schemas of results. Throws Unprocessable (422) for a tool that
 * does not exist, and a value that is none of these: a narrowing that is not understood must not be left out.
 */
export function wantedBy(app: Pick<App, 'tools'>, { path, query, headers }: Asked): Wanted {
  const given = new Map(Object.entries(query));
  const readOnly = flag('readonly', given.get('readonly'), ['1', 'true'], ['0', 'false']);
  const schemas = given.get('schemas') ?? headers[SCHEMAS_HEADER];
  return {
    narrowing: {
      readOnly: path === READ_ONLY_PATH || readOnly,
      tools: toolsIn(app, given.get('tools') ?? headers[TOOLS_HEADER]),
    },
    fullSchemas: flag('schemas', schemas, ['full'], ['slim']),
  };
}

function flag(name: string, given: unknown, on: string[], off: string[]): boolean {
  if (given === undefined) return false;
  const text = typeof given === 'string' ? given.toLowerCase() : '';
  if (on.includes(text)) return true;
  if (off.includes(text)) return false;
  throw new Unprocessable(`${name} must be ${[...on, ...off].join(' or ')}`);
}

function toolsIn({ tools }: Pick<App, 'tools'>, given: unknown): ReadonlySet<string> | null {
  if (given === undefined) return null;
  const names = typeof given === 'string' ? given.split(',').map((name) => name.trim()) : [];
  const known = tools.map(({ name }) => name);
  const wrong = names.find((name) => !known.includes(name));
  if (names.length > MAX_NAMES) throw new Unprocessable(`tools: at most ${MAX_NAMES}`);
  if (names.length > 0 && wrong === undefined) return new Set(names);
  const near = nearest(wrong ?? '', known);
  const hint = near.length > 0 ? `; near: ${near.join(', ')}` : '';
  throw new Unprocessable(`tools must be names of tools with commas between${hint}`);
}
