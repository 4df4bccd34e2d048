import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { z } from 'zod';

import { onboardVirtual } from '../../../tools/agent.ts';
import type { Session } from '../../people/session.ts';
import type { ConnectProxy } from '../../proxies/connect-proxy.ts';
import type { World } from '../../world/app.ts';
import { type Home, homeOf, install, type Ran } from './installed.ts';
import { logInBy } from './log-in.ts';
import { type Program } from './programs.ts';
import type { ScriptedModel } from './scripted-model.ts';
import {
  afterCut,
  cutScript,
  judgeTools,
  judgeTurn,
  judgeWait,
  listedTools,
  scriptOf,
} from './turn.ts';

/** How a program shows who it is. */
export type Way = 'key' | 'login';

/** What became of a program that was connected one way and played a turn. */
export type Met = {
  program: Program;
  way: Way;
  /** As it names itself to the platform. */
  named: string;
  /** How it offers the tools of the platform to its model. */
  tools: string;
  /** What becomes of `null` and of a number in a string. */
  isLooseTaken: boolean;
  /** How long it waits for an answer, and what it makes of a stream that is cut meanwhile; empty where it was not tried. */
  waited: string;
  afterCut: string;
  calls: string;
  seconds: number;
  /** Addresses elsewhere that it asked for, which it did not get. */
  elsewhere: string[];
  /** Left out: it cannot run here, and this is why. */
  unable?: string;
  wrong: string[];
};

const PROMPT = 'What does the room hold? Set it to 21 degrees.';
const AUTH = '/api/v3/auth';
const ALL = ['svc:read', 'svc:read-device', 'svc:propose'];

/** The text of `svc connect` for each client: without a key, and with one in SVC_MCP_KEY. */
export async function connectTexts(
  base: string,
): Promise<Map<string, [plain: string, keyed: string | undefined]>> {
  const words = ['src/main.ts', 'connect'];
  const env = { PATH: process.env['PATH'] ?? '', SVC_BASE_URL: base };
  const { stdout } = await promisify(execFile)(process.execPath, words, { env });
  const blocks = stdout.split('\n\n');
  return new Map(
    blocks.map((block) => {
      const [head = '', text = '', , keyed] = block.split('\n');
      return [head.replace(/ \(.*$/, ''), [text, keyed]];
    }),
  );
}

export type Stage = {
  world: World;
  model: ScriptedModel;
  proxy: ConnectProxy;
  texts: Map<string, [plain: string, keyed: string | undefined]>;
  /** Cuts every connection to the platform a little later, once. */
  cut(): void;
  /** An empty folder for all programs. */
  folder: string;
};

/** Installs a program and meets it each way it has; a program that does not install is met once. */
export async function meetProgram(stage: Stage, program: Program): Promise<Met[]> {
  const folder = join(stage.folder, program.command);
  const unable = await install(program, folder).then(() => null, String);
  if (unable !== null) return [{ ...nothing(program, 'key'), unable }];
  const met = [await meetInstalled(stage, program, 'key', folder)];
  if (program.login !== undefined) met.push(await meetInstalled(stage, program, 'login', folder));
  return met;
}

/** Meets a program that is installed in `folder`; with a key it also waits and is cut off, which takes a minute. */
export async function meetInstalled(
  stage: Stage,
  program: Program,
  way: Way,
  folder: string,
): Promise<Met> {
  const proxy = `http://${stage.proxy.hostPort}`;
  const environment = {
    CI: '1',
    NO_COLOR: '1',
    TERM: 'xterm-256color',
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    NO_PROXY: '127.0.0.1,localhost',
    ...program.environment(stage.model.url),
  };
  const homes = join(stage.folder, program.command);
  const home = await homeOf(program, { folder, homes, name: way }, environment);
  return meet(stage, program, way, home);
}

const nothing = (program: Program, way: Way): Met => ({
  program,
  way,
  named: '',
  tools: '',
  isLooseTaken: false,
  waited: '',
  afterCut: '',
  calls: '',
  seconds: 0,
  elsewhere: [],
  wrong: [],
});

async function meet(stage: Stage, program: Program, way: Way, home: Home): Promise<Met> {
  const { world, model, proxy } = stage;
  const met = nothing(program, way);
  const startedAt = performance.now();
  const person = await world.tenant(`${program.command}-${way}`);
  await onboardVirtual(world, 'room', person);
  const key = await keyOf(person);
  for (const [path, content] of Object.entries(program.settings(model.url)))
    await write(join(home.folder, path), content);
  proxy.asked.length = 0;
  // Waits and cuts are tried once for each program.
  const isWaiting = way === 'key';
  model.play(scriptOf(isWaiting));
  const added = await connect(stage, program, way, home, { key, person });
  met.wrong.push(...added);
  if (added.length === 0) {
    const play = (prompt: string) =>
      home.run(
        [program.command, ...program.turn(prompt)],
        way === 'key' ? { SVC_MCP_KEY: key } : {},
      );
    const ran = await play(PROMPT);
    met.wrong.push(...ended('the turn', ran), ...model.refused);
    const tools = judgeTools(model, await listedTools(world.base, key));
    const { isLooseTaken } = tools;
    const turn = await judgeTurn(world, person, ran.output, { isLooseTaken, isWaiting });
    met.wrong.push(...tools.wrong, ...turn.wrong, ...(isWaiting ? judgeWait(model) : []));
    Object.assign(met, tools, turn, { wrong: met.wrong });
    if (isWaiting) {
      model.play(cutScript(stage.cut));
      met.afterCut = afterCut(
        (await play('Does anything happen? Then read the room again.')).output,
      );
      if (!met.afterCut.endsWith('reads on')) met.wrong.push(`after a cut ${met.afterCut}`);
    }
  }
  met.elsewhere = [...new Set(proxy.asked.map(({ authority }) => authority))];
  met.seconds = (performance.now() - startedAt) / 1000;
  return met;
}

const Key = z.looseObject({ key: z.string() });
const keyOf = async (person: Session): Promise<string> =>
  Key.parse(
    await person.data(`${AUTH}/key/add`, { keyName: 'client', audience: 'mcp', scopes: ALL }),
  ).key;

async function write(path: string, content: object | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
}

const ended = (what: string, { code, isLate, left, output }: Ran): string[] => [
  ...(code === 0 && !isLate
    ? []
    : [`${what} ended with ${isLate ? 'its time' : code}: ${output.trim().slice(-400)}`]),
  ...(left === 0 ? [] : [`${what} left ${left} processes running`]),
];

/** Connects the program as `svc connect` says; answers what was wrong. */
async function connect(
  { world, texts }: Stage,
  program: Program,
  way: Way,
  home: Home,
  { key, person }: { key: string; person: Session },
): Promise<string[]> {
  const [plain, keyed] = texts.get(program.client) ?? [];
  const text = way === 'key' ? keyed : plain;
  if (text === undefined) return [`svc connect does not say how, with a ${way}`];
  if (program.file !== undefined) {
    await write(join(home.work, program.file), text);
  } else if (way === 'key' || program.login !== null) {
    const added = ended('adding it', await home.run(text, { SVC_MCP_KEY: key }));
    if (added.length > 0) return added;
  }
  if (way === 'key') return [];
  const line = program.login ?? text;
  const { ran, browsed } = await logInBy(home, line, world.base, person);
  return [...browsed, ...ended('the login', ran)];
}
