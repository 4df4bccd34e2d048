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
const fileOf = ({ name, description, text }: Skill): string =>
  `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${text}\n`;

function entryOf(skill: Skill): Entry {
  const { name, description } = skill;
  const uri = uriOf(skill);
  const bytes = Buffer.from(fileOf(skill));
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return {
    uri,
    frontmatter: { name, description },
    resources: [{ uri, digest, size: bytes.length }],
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

/** `resources/read` of the file of a skill; null for any other URI. */
export async function readSkill(app: App, { present }: McpCall, uri: string) {
  if (!app.skills.some((one) => uriOf(one) === uri)) return null;
  return present(async (caller) => {
    refuseEnded(caller);
    const skill = visible(app, caller).find((one) => uriOf(one) === uri);
    return skill ? { contents: [{ uri, mimeType: 'text/markdown', text: fileOf(skill) }] } : null;
  });
}
