import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** One thing that a recipe says to do, in its order. */
type Step =
  | { kind: 'new'; file: string; text: string }
  | { kind: 'after' | 'instead of'; file: string; place: string; text: string }
  | { kind: 'run'; script: string };

type Recipe = { title: string; steps: Step[] };

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
  const parts = ['src', 'tools', 'providers', 'driver', 'sql', 'test', 'docs'];
  const files = ['package.json', 'tsconfig.json', 'compose.yaml', 'Dockerfile', '.env.example'];
  const hidden = ['.npmrc', '.oxfmtrc.json'];
  for (const part of [...parts, ...files, ...hidden])
    await cp(part, join(to, part), { recursive: true });
  await symlink(resolve('node_modules'), join(to, 'node_modules'));
}

/**
 * The files that the steps make or change, as they are then. Throws where a new file is there already, and
 * where a place is not in its file, or more than once.
 */
export function changedBy(steps: readonly Step[], tree: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const step of steps) {
    if (step.kind === 'run') continue;
    const { file } = step;
    if (step.kind === 'new') {
      if (existsSync(join(tree, file))) throw new Error(`${file} is there already`);
      files.set(file, step.text);
      continue;
    }
    const text = files.get(file) ?? readFileSync(join(tree, file), 'utf8');
    const isAfter = step.kind === 'after';
    const parts = text.split(isAfter ? `${step.place}\n` : step.place);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${step.place}`);
    files.set(file, parts.join(isAfter ? `${step.place}\n${step.text}` : step.text.trimEnd()));
  }
  return files;
}

export async function write(tree: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [file, text] of files) {
    await mkdir(dirname(join(tree, file)), { recursive: true });
    await writeFile(join(tree, file), text);
  }
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
