import { chat } from './chat/bench.ts';
import { command } from './command/bench.ts';
import { console as screens } from './console/bench.ts';
import { gateway } from './gateway/bench.ts';
import { history } from './history/bench.ts';
import { ingest } from './ingest/bench.ts';
import { live } from './live/bench.ts';
import { lwm2m } from './lwm2m/bench.ts';
import { mcp } from './mcp/bench.ts';
import { query } from './query/bench.ts';
import { rest } from './rest/bench.ts';
import { type Bench, table } from './row.ts';
import { rules } from './rules/bench.ts';
import { start } from './start/bench.ts';

const benches: Record<string, Bench> = {
  chat,
  command,
  console: screens,
  gateway,
  history,
  ingest,
  live,
  lwm2m,
  mcp,
  query,
  rest,
  rules,
  start,
};
/** Longer than any bench takes: one that hangs ends, and its processes with it. */
const LIMIT_MS = 1_800_000;

const [name = '', ...options] = process.argv.slice(2).toSorted((a, b) => rank(a) - rank(b));
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (!bench || options.some((option) => option !== '--json')) {
  console.error('npm run bench -- NAME [--json], where NAME is one of:');
  for (const known of Object.keys(benches).toSorted()) console.error(`  ${known}`);
  process.exit(1);
}

setTimeout(() => {
  console.error(`${name} took longer than ${LIMIT_MS / 1000} s`);
  process.exit(1);
}, LIMIT_MS).unref();

const rows = await bench();
process.stdout.write(
  options.length > 0 ? rows.map((row) => `${JSON.stringify(row)}\n`).join('') : table(rows),
);

/** The name first, wherever the options stand. */
function rank(argument: string): number {
  return argument.startsWith('-') ? 1 : 0;
}
