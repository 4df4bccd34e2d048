import { readFileSync } from 'node:fs';

import type { Skill } from '../src/kernel/app/app.ts';
import { ways } from './prompts.ts';

/** The sections of docs/agents.md that are for the agent itself; the others are for its makers. */
const FOR_AGENTS = [
  'The agreement',
  'A task, from question to receipt',
  'Tools beyond the list',
  'How much at once',
  'Errors',
  'Standing approvals',
];

/** What the guide links to and an agent reads on in. */
const REFERENCES = ['errors.md'] as const;

const documentOf = (name: string): string =>
  readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8');

/** Of links to documents that the skill does not have, the words alone. */
const linked = (text: string): string =>
  text.replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, (_, words: string, target: string) =>
    REFERENCES.some((name) => name === target) ? `[${words}](references/${target})` : words,
  );

/** The guide for agents, without commands for a shell. */
function guide(): string {
  const text = documentOf('agents.md');
  const sections = new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf('\n')), section]),
  );
  return FOR_AGENTS.map((title) => {
    const section = sections.get(title);
    if (section === undefined) throw new Error(`docs/agents.md has no section “${title}”`);
    return linked(`## ${section}`.replaceAll(/(?:^\S.*\n)+\n```sh\n[^]*?^```\n/gm, '')).trim();
  }).join('\n\n');
}

/** What a program can load for its model (SEP-2640): the prompts and the guide, in their own words. */
export const skills: readonly Skill[] = [
  {
    name: 'operate-plant',
    description:
      'How to work with the devices, values, alarms and proposals of this plant: which tool for which task, what a human decides, and what an answer means. Read it before the first task.',
    permission: 'svc-center-manager:device:list',
    scope: 'svc:read',
    text: `# Operate a plant\n\n${guide()}`,
    references: Object.fromEntries(
      REFERENCES.map((name) => [`references/${name}`, linked(documentOf(name))]),
    ),
  },
  ...ways.map(({ name, title, description, permission, scope, arguments: given, text }) => {
    const placeholders = Object.fromEntries(given.map((one) => [one.name, `<${one.name}>`]));
    const lines = given.map(
      (one) => `- \`<${one.name}>\`: ${one.description}${one.required ? '' : ' (may be missing)'}`,
    );
    return {
      name,
      description,
      permission,
      scope,
      references: {},
      text: `# ${title}\n\n${text(placeholders)}\n\nAsk the person for what is not known of:\n\n${lines.join('\n')}`,
    };
  }),
];
