import { readFileSync } from 'node:fs';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { addRole } from '../support/people/accounts.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { asking } from '../support/people/mcp-2026.ts';
import { startedWorld } from '../support/world/prepared.ts';

const READ = { scope: 'svc:read' };
const Contents = z.object({ contents: z.array(z.object({ text: z.string() })) });
const Messages = z.object({
  messages: z.array(z.object({ content: z.object({ text: z.string() }) })),
});
const NAMES = ['operate-plant', 'operate-device', 'investigate-alarm', 'shift-handover'];

const open: Client[] = [];
let token: string;
const world = startedWorld();
beforeAll(async () => {
  token = await bearerFor(world.admin, READ);
});
afterAll(async () => {
  for (const client of open) await client.close();
});

/** The official client of the extension, which verifies each file that it reads. */
async function skillsOf(mode: 'legacy' | { pin: string }): Promise<SkillsClient> {
  const client = new Client(
    { name: 'platform-tests', version: '1.0.0' },
    { versionNegotiation: { mode } },
  );
  open.push(client);
  const headers = { authorization: `Bearer ${token}` };
  const url = new URL(`${world.base}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return new SkillsClient(client);
}

describe.each([
  ['2026-07-28', { pin: '2026-07-28' }],
  ['2025-11-25', 'legacy'],
] as const)('the skills over %s', (_era, mode) => {
  it('are declared, listed and verified by the official client', async () => {
    const client = await skillsOf(mode);
    expect(client.supported).toBe(true);
    const { skills, invalid } = await client.list();
    expect(invalid).toEqual([]);
    expect(skills.map(({ frontmatter }) => frontmatter.name)).toEqual(NAMES);
    for (const skill of skills) {
      const { verified, body = '' } = await client.read(skill);
      expect(verified).toBe(true);
      expect(await client.get(skill.uri)).toMatchObject({ skill });
      expect(body).not.toContain('```');
      // Each link is a file of the skill, and each file is linked.
      const links = [...body.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
      const root = skill.uri.replace(/SKILL\.md$/, '');
      const files = Array.isArray(skill.resources) ? skill.resources.map(({ uri }) => uri) : [];
      expect([skill.uri, ...links.map((link) => `${root}${link}`)]).toEqual(files);
      for (const link of links) {
        const file = await client.read(skill, link);
        expect(file.verified).toBe(true);
        expect(file.text).toContain('# Errors');
        expect(file.text).not.toContain('](');
      }
      if (root === 'skill://operate-plant/') expect(links).toEqual(['references/errors.md']);
    }
  });
});

it('say what the prompts and the guide say', async () => {
  const ask = asking(world.base, token);
  const textOf = async (name: string): Promise<string> => {
    const { result } = await ask('resources/read', { uri: `skill://${name}/SKILL.md` });
    return Contents.parse(result)
      .contents.map(({ text }) => text)
      .join('');
  };
  const given = { device: '<device>', goal: '<goal>' };
  const { result } = await ask('prompts/get', { name: 'operate-device', arguments: given });
  const [message] = Messages.parse(result).messages;
  expect(await textOf('operate-device')).toContain(message?.content.text);
  const plant = await textOf('operate-plant');
  const guide = readFileSync('docs/agents.md', 'utf8').replaceAll(
    /\[([^\]]+)\]\((?!errors\.md)[^)]+\)/g,
    '$1',
  );
  const rows = guide.match(/^\| .+ \|$/gm) ?? [];
  expect(rows.length).toBeGreaterThan(15);
  for (const row of rows) expect(plant).toContain(row);
  const named = plant.match(/\b(?:lookup|search|get|read|write|withdraw|propose)[A-Z]\w+/g) ?? [];
  const tools = world.app.tools.map(({ name }) => name);
  expect(named.filter((one) => !tools.includes(one))).toEqual([]);
});

it('are of those that may read what they are about, and -32602 for others and for what is none', async () => {
  const id = await addRole(world.admin, ['svc-center-manager:device:list']);
  const role = await world.admin.data('/api/v3/auth/role/get_by_id', undefined, { id });
  const { roleCode } = z.looseObject({ roleCode: z.string() }).parse(role);
  const ask = asking(world.base, await bearerFor(world.admin, { ...READ, roleCode }));
  expect((await ask('skills/list')).result).toMatchObject({
    skills: [
      { frontmatter: { name: 'operate-plant' } },
      { frontmatter: { name: 'operate-device' } },
    ],
  });
  const { result: read } = await ask('resources/read', {
    uri: 'skill://operate-plant/references/errors.md',
  });
  expect(Contents.parse(read).contents).toHaveLength(1);
  for (const name of ['investigate-alarm', 'no-such-skill']) {
    const uri = `skill://${name}/SKILL.md`;
    for (const method of ['skills/get', 'resources/read'])
      expect((await ask(method, { uri })).error, `${method} ${uri}`).toMatchObject({
        code: -32602,
      });
  }
  expect((await ask('skills/get')).error).toMatchObject({ code: -32602 });
  expect((await ask('skills/list', { cursor: 'x' })).error).toMatchObject({ code: -32602 });
});
