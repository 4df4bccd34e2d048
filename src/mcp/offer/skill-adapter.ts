import { createHash } from 'node:crypto';

import { type CacheHint, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

import { denialOf, type Limited } from '../../auth/connection/denial.ts';
import type { App, Skill } from '../../kernel/app/app.ts';
import { type McpCall, refuseEnded } from '../request/caller.ts';

/** The extension of SEP-2640, as `specification/stable/skills.mdx` of modelcontextprotocol/ext-skills has it. */
export const SKILLS = 'io.modelcontextprotocol/skills';

const MAX_ECHO = 1_024;

/** `frontmatter` says the same as that of the file; a JSON text is a YAML text as well. */
type Entry = {
  uri: string;
  frontmatter: { name: string; description: string };
  resources: { uri: string; digest: string; size: number }[];
};

const uriOf = ({ name }: Skill): string => `skill://${name}/SKILL.md`;

/** Every file of a skill by its URI: a link in one is a path below the skill, and one of these. */
const filesOf = (skill: Skill): Map<string, string> => {
  const { name, description, text, references } = skill;
  const head = `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---`;
  return new Map([
    [uriOf(skill), `${head}\n\n${text}\n`],
    ...Object.entries(references).map(([path, file]): [string, string] => [
      `skill://${name}/${path}`,
      file,
    ]),
  ]);
};

function entryOf(skill: Skill): Entry {
  const { name, description } = skill;
  return {
    uri: uriOf(skill),
    frontmatter: { name, description },
    resources: [...filesOf(skill)].map(([uri, file]) => {
      const bytes = Buffer.from(file);
      const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      return { uri, digest, size: bytes.length };
    }),
  };
}

/** Those that permissions and scopes of the caller allow; a connection limits tools, not words. */
function visible(app: App, caller: Limited): Skill[] {
  const { connection: _, ...rights } = caller;
  return app.skills.filter((skill) => denialOf(rights, skill) === null);
}

/** `skills/list`: all on one page. */
export const listSkills = (app: App, caller: Limited, life: CacheHint) => ({
  resultType: 'complete' as const,
  skills: visible(app, caller).map(entryOf),
  ...life,
});

/** `skills/get`; -32602 for what is no skill that the caller may read. */
export async function getSkill(app: App, { present }: McpCall, uri: string, life: CacheHint) {
  return present(async (caller) => {
    refuseEnded(caller);
    const skill = visible(app, caller).find((one) => uriOf(one) === uri);
    if (skill) return { resultType: 'complete' as const, skill: entryOf(skill), ...life };
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `No skill is served at ${uri.slice(0, MAX_ECHO)}: skills/list has those there are`,
    );
  });
}

/** `resources/read` of a file of a skill; null for any other URI. */
export async function readSkill(app: App, { present }: McpCall, uri: string) {
  const textIn = (skills: readonly Skill[]): string | undefined =>
    skills.map((skill) => filesOf(skill).get(uri)).find((text) => text !== undefined);
  if (!uri.startsWith('skill://') || textIn(app.skills) === undefined) return null;
  return present(async (caller) => {
    refuseEnded(caller);
    const text = textIn(visible(app, caller));
    return text === undefined ? null : { contents: [{ uri, mimeType: 'text/markdown', text }] };
  });
}
