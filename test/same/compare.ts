import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { z } from 'zod';

import type { Artefact } from './record.ts';

/** A difference that is meant: exactly these lines of a diff, or all that match, in one section or (`*`) in any. */
const Meant = z.array(
  z.strictObject({
    artefact: z.string(),
    section: z.string(),
    lines: z.array(z.string().regex(/^[+-]/)).min(1).optional(),
    pattern: z.string().optional(),
    why: z.string().min(10),
  }),
);
const kept = new URL('differences.json', import.meta.url);
const meant = Meant.parse(JSON.parse(readFileSync(kept, 'utf8')));
const used = new Set<string>();
const keyOf = (artefact: string, section: string, line: string) =>
  JSON.stringify([artefact, section, line]);
const listed = new Set(
  meant.flatMap(({ artefact, section, lines = [] }) =>
    lines.map((line) => keyOf(artefact, section, line)),
  ),
);

function isMeant(artefact: string, section: string, line: string): boolean {
  const keys = [section, '*'].map((where) => keyOf(artefact, where, line));
  const found = keys.filter((key) => listed.has(key));
  for (const key of found) used.add(key);
  const patterns = meant.filter(
    (one) =>
      one.artefact === artefact &&
      [section, '*'].includes(one.section) &&
      one.pattern !== undefined &&
      new RegExp(one.pattern).test(line),
  );
  for (const one of patterns) used.add(one.why);
  return found.length > 0 || patterns.length > 0;
}

/** Prints what differs and is not meant; how many lines that are. */
export function compare(name: string, base: Artefact, now: Artefact): number {
  const order = (artefact: Artefact) => [...artefact.keys()].join('\n');
  const names = [...new Set([...base.keys(), ...now.keys()])];
  const pairs = names.map((at) => [at, base.get(at) ?? '', now.get(at) ?? ''] as const);
  let [all, unmeant] = [0, 0];
  for (const [section, was, is] of [['sections', order(base), order(now)] as const, ...pairs]) {
    if (was === is) continue;
    const diff = diffOf(was, is);
    const lines = diff.filter((line) => /^[+-]/.test(line));
    const open = lines.filter((line) => !isMeant(name, section, line)).length;
    all += lines.length;
    unmeant += open;
    if (open > 0) console.log(`--- ${name}: ${section}\n${diff.join('\n')}`);
  }
  console.log(`${name}: ${all === 0 ? 'same' : `${all} lines differ, ${all - unmeant} listed`}`);
  return unmeant;
}

/** Lines of the list that no longer differ; how many. */
export function unused(): number {
  const patterns = meant.filter(({ pattern }) => pattern !== undefined).map(({ why }) => why);
  const left = [...listed, ...patterns].filter((key) => !used.has(key));
  for (const key of left) console.log(`differences.json names what is the same: ${key}`);
  return left.length;
}

function diffOf(was: string, is: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'svc-same-diff-'));
  try {
    const files = [was, is].map((text, at) => {
      const file = join(folder, String(at));
      writeFileSync(file, `${text}\n`);
      return file;
    });
    const git = ['diff', '--no-index', '--no-color', '-U2', ...files];
    const { stdout } = spawnSync('git', git, { encoding: 'utf8', maxBuffer: 1 << 28 });
    return stdout.trimEnd().split('\n').slice(4);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
