import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** One thing that a recipe says to do, in its order. */
type Step =
  | { kind: 'new'; file: string; text: string }
  | { kind: 'after' | 'instead of'; file: string; place: string; text: string }
  | { kind: 'run'; script: string };

export type Recipe = { title: string; steps: Step[] };

const PARTS =
  /^New file `([^`]+)`:\n\n```\w+\n([\s\S]*?)^```|^In `([^`]+)`, (after|instead of) (``?)(.+)\5:\n\n```\w+\n([\s\S]*?)^```|^```sh\n([\s\S]*?)^```/gm;

/** The recipes of a document: a section each. */
export function recipesOf(text: string): Recipe[] {
  const sections = text.split(/^## /m).slice(1);
  return sections.map((section) => ({
    title: section.split('\n')[0] ?? '',
    steps: [...section.matchAll(PARTS)].map(
      ([, created, whole = '', file = '', kind, , place = '', part = '', script = '']): Step => {
        if (created !== undefined) return { kind: 'new', file: created, text: whole };
        if (kind === 'after' || kind === 'instead of') return { kind, file, place, text: part };
        return { kind: 'run', script };
      },
    ),
  }));
}

/** A copy of the tree to which things can be done; the packages are shared. */
export async function copyTree(to: string): Promise<void> {
  const parts = ['src', 'tools', 'providers', 'driver', 'sql', 'test', 'docs', '.npmrc'];
  const files = ['package.json', 'tsconfig.json', 'compose.yaml', 'Dockerfile', '.env.example'];
  for (const part of [...parts, ...files]) await cp(part, join(to, part), { recursive: true });
  await symlink(resolve('node_modules'), join(to, 'node_modules'));
}

/** Changes files as the step says; throws where the place is not there, or is there more than once. */
export async function apply(tree: string, step: Exclude<Step, { kind: 'run' }>): Promise<void> {
  const file = join(tree, step.file);
  if (step.kind === 'new') {
    await mkdir(dirname(file), { recursive: true });
    return writeFile(file, step.text, { flag: 'wx' });
  }
  const text = await readFile(file, 'utf8');
  const places = text.split(step.kind === 'after' ? `${step.place}\n` : step.place);
  if (places.length !== 2)
    throw new Error(`${step.file} has ${places.length - 1} times: ${step.place}`);
  const own = step.kind === 'after' ? `${step.place}\n${step.text}` : step.text.trimEnd();
  return writeFile(file, places.join(own));
}

/** Runs a script in the copy; answers what it printed, throws it when it fails. */
export async function runIn(tree: string, script: string): Promise<string> {
  const { DATABASE_URL: _url, AMQP_URL: _amqp, ...rest } = process.env;
  // As a shell of its own would have it: nothing of the test runner around it.
  const environment = Object.fromEntries(
    Object.entries(rest).filter(([name]) => !/^(VITEST|SVC_|TEST$|NODE_ENV$|npm_)/.test(name)),
  );
  const options = { cwd: tree, env: environment, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', script], options).catch(
    (error: { stdout?: string; stderr?: string }) => {
      throw new Error(`${script}\n${error.stdout}\n${error.stderr}`);
    },
  );
  return stdout;
}
