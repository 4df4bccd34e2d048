import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PACKAGE = 'node_modules/@modelcontextprotocol/conformance';
const TASKS = /^tasks-/;
/** Has no checks until the suite rewrites it for `subscriptions/listen`. */
const WITHOUT_CHECKS = 'tasks-status-notifications';

/** What the suite printed about one scenario. */
type Scenario = { name: string; passed: number; failed: number };
export type Run = { code: number | null; scenarios: Scenario[]; text: string };

/** Runs the official suite as its command line does; `onLine` gets each line that it prints. */
export async function runSuite(
  command: 'server' | 'authorization',
  options: Record<string, string>,
  onLine: (line: string) => void = () => {},
): Promise<Run> {
  const output = await mkdtemp(join(tmpdir(), 'svc-conformance-'));
  const given = { ...options, '-o': output };
  const child = spawn(
    process.execPath,
    [`${PACKAGE}/dist/index.js`, command, ...Object.entries(given).flat()],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      chunk.split('\n').forEach(onLine);
    });
  const code = await new Promise<number | null>((resolve) => void child.on('close', resolve));
  await rm(output, { recursive: true, force: true });
  const lines = text.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gmu);
  const scenarios = [...lines].map(([, name = '', passed, failed]) => ({
    name,
    passed: Number(passed),
    failed: Number(failed),
  }));
  return { code, scenarios, text };
}

/** Names of the scenarios that a revision requires of a server. */
export async function required(revision: string): Promise<string[]> {
  const text = await readFile(`${PACKAGE}/requirements/${revision}.yaml`, 'utf8');
  const [, section = ''] = /^server:\n((?: +- .*\n)+)/m.exec(text) ?? [];
  return [...section.matchAll(/- ([\w-]+)/g)].map(([, name = '']) => name);
}

/** Scenarios with a check, none of which failed. */
export const passing = ({ scenarios }: Run): string[] =>
  scenarios.filter(({ passed, failed }) => passed > 0 && failed === 0).map(({ name }) => name);

/** Those of the tasks extension that check anything. */
export const ofTasks = (names: readonly string[]): string[] =>
  names.filter((name) => TASKS.test(name) && name !== WITHOUT_CHECKS);
