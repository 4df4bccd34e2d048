import { sql } from 'kysely';
import { z } from 'zod';

import { type Facts, withoutFacts } from '../../../../src/agentic/session/facts.ts';
import { acrossTenants } from '../../../../src/db/tenant.ts';
import { onboard, type Site } from '../../../tools/agent.ts';
import { type PlayedDriver, playDriver } from '../../devices/played-driver.ts';
import { call, type Reply, say, type Sent, startModel } from '../../neighbours/model.ts';
import { ACTIONS } from '../../people/actions.ts';
import { startWorld, type World } from '../../world/app.ts';
import type { FreshDatabase } from '../../world/database.ts';
import { fresh } from '../../world/fresh-name.ts';
import { seeded } from '../../world/seeded.ts';
import { ask, type Form, forms, type Told } from './ask.ts';
import { claims } from './claims.ts';

/** What becomes of a turn's wish to write. */
export const fates = ['nothing', 'refused', 'proposed', 'written', 'UNKNOWN'] as const;
type Fate = (typeof fates)[number];

/** As many as one person may have at a time, less one. */
const AT_ONCE = 6;
const LEAST = 5;
/** Beyond the range of the point. */
const REFUSED = 99;

type Script = {
  at: number;
  fate: Fate;
  reads: boolean;
  claim: string;
  isTrue: boolean;
  form: Form;
  streams: boolean;
};
export type FactsRun = {
  turns: { fate: Fate; form: Form; isTrue: boolean; language: string }[];
  wrong: string[];
};

const NO_CLAIM: (typeof claims)[number] = { language: '', true: [], false: [] };

const questionOf = (at: number): string => `Turn ${at}: and now?`;
const turnIn = ({ messages }: Sent): number =>
  Number(
    /Turn (\d+):/.exec(messages.findLast(({ role }) => role === 'user')?.content ?? '')?.[1] ?? -1,
  );

/** Turns of each fate whose model claims what is true or what is not, and what the platform says of each. */
export async function tellFacts(
  count: number,
  seed: number,
  database?: FreshDatabase,
): Promise<FactsRun> {
  const random = seeded(seed);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const replies = new Map<number, (sent: Sent) => Reply>();
  const model = await startModel((sent) => replies.get(turnIn(sent))?.(sent) ?? say('none'));
  const world = await startWorld({
    environment: {
      AGENTIC_FALLBACK_OPENAI_BASE_URL: model.baseUrl,
      AGENTIC_FALLBACK_OPENAI_API_KEY: 'key',
      AGENTIC_FALLBACK_OPENAI_MODEL: 'fake-1',
      SVC_EGRESS_ALLOW: new URL(model.baseUrl).host,
      SVC_LOG_LEVEL: 'silent',
    },
    ...(database ? { database } : {}),
  });
  const run: FactsRun = { turns: [], wrong: [] };
  let next = 0;
  const lane = async (): Promise<void> => {
    const plant = await onboard(world.admin, fresh('facts'));
    const driver = await playDriver(world, world.admin, plant);
    await driver.says('20');
    while (next < count * fates.length) {
      const at = next;
      next += 1;
      const { language, ...said } =
        claims[Math.floor(at / fates.length) % claims.length] ?? NO_CLAIM;
      const isTrue = random() < 0.5;
      const script: Script = {
        at,
        fate: fates[at % fates.length] ?? 'nothing',
        reads: random() < 0.5,
        claim: pick(isTrue ? said.true : said.false) ?? '',
        isTrue,
        form: random() < 0.6 ? 'text' : (pick(forms) ?? 'text'),
        streams: random() < 0.5,
      };
      const turn = newTurn(world, script, plant, driver);
      replies.set(at, turn.reply);
      const told = await ask(world.admin, questionOf(at), script);
      const wrong = await turn.wrongWith(told);
      run.turns.push({ fate: script.fate, form: script.form, isTrue, language });
      if (wrong)
        run.wrong.push(`${at} ${script.fate}, ${script.form}, “${script.claim}”: ${wrong}`);
      replies.delete(at);
      await turn.leave();
      await driver.says('20');
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    return run;
  } finally {
    await world.stop();
    await model.stop();
  }
}

const Decided = z.looseObject({
  actionId: z.string(),
  digest: z.string(),
  commandId: z.string().nullish(),
});

/** One turn: what its vendor says, and what has to be true of what the client is told. */
function newTurn(world: World, script: Script, { deviceId, pointId }: Site, driver: PlayedDriver) {
  const { at, fate, reads, claim, form } = script;
  const { admin } = world;
  const value = fate === 'refused' ? REFUSED : LEAST + (at % 2_400) / 100;
  // Where no tool is offered a model can only claim.
  const acts = form !== 'no tools' && form !== 'task';
  const write =
    fate === 'nothing' ? [] : ([['writePointValue', { deviceId, pointId, value }]] as const);
  const look = reads ? ([['getLatestPointValue', { deviceId, pointId }]] as const) : [];
  const rounds = acts ? [look, write].filter(({ length }) => length > 0) : [];
  let actionId = '';

  /** A person decides in another window, and the device answers or is silent. */
  async function decide(sent: Sent): Promise<void> {
    const results = sent.messages
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => content ?? '');
    actionId = /"actionId":"([0-9a-f-]{36})"/.exec(results.at(-1) ?? '')?.[1] ?? '';
    if (actionId === '' || (fate !== 'written' && fate !== 'UNKNOWN')) return;
    const card = Decided.parse(
      await admin.data(`${ACTIONS}/get`, undefined, { action_id: actionId }),
    );
    const given = { action_id: actionId, digest: card.digest };
    const { commandId } = Decided.parse(await admin.data(`${ACTIONS}/confirm`, given));
    if (!commandId) throw new Error('the confirmation sent no command');
    await driver.command(commandId);
    const answer =
      fate === 'written'
        ? { responseValue: String(value), readBack: String(value) }
        : { status: 'UNKNOWN' as const, errorCode: 'TIMEOUT' };
    await driver.answer(commandId, answer);
  }

  return {
    reply: (sent: Sent): Reply => {
      const question = sent.messages.findLastIndex(({ role }) => role === 'user');
      const round = sent.messages.slice(question).filter(({ role }) => role === 'assistant').length;
      const calls = rounds[round];
      if (calls) return call(...calls);
      return async (res) => {
        if (acts && write.length > 0) await decide(sent);
        await say(form === 'JSON' ? JSON.stringify({ said: claim }) : claim)(res);
      };
    },
    async wrongWith(told: Told): Promise<string | null> {
      const made = acts && !['nothing', 'refused'].includes(fate);
      const known: Omit<Facts, 'earlier'> = {
        proposed: made ? 1 : 0,
        written: made && fate === 'written' ? 1 : 0,
        unknown: made && fate === 'UNKNOWN' ? 1 : 0,
        sent: 0,
        mismatched: 0,
        failed: 0,
        read: acts && reads ? 1 : 0,
      };
      const { facts, error } = told;
      if (error !== null) return `an error: ${error}`;
      if (form !== 'task' && !facts) return 'no facts came';
      for (const [name, count] of Object.entries(known))
        if (facts && facts[name] !== count)
          return `${name} is ${String(facts[name])}, and ${count} is true`;
      const stored = await storedOf(world, actionId);
      if (facts && stored.proposed !== facts['proposed'])
        return `the database has ${stored.proposed} proposals`;
      if (facts && stored.written !== facts['written'])
        return `the database has ${stored.written} writes`;
      return wordsWrong(told, script, made);
    },
    /** Nothing stays open for the next turns. */
    async leave(): Promise<void> {
      if (actionId !== '' && fate === 'proposed')
        await admin.post(`${ACTIONS}/reject`, { action_id: actionId });
    },
  };
}

/** The text: the claim as the model made it, what the platform adds under it, and the line where it belongs. */
function wordsWrong(
  told: Told,
  { claim, form, fate, isTrue }: Script,
  made: boolean,
): string | null {
  if (form === 'JSON')
    return told.text === JSON.stringify({ said: claim }) ? null : `JSON became ${told.text}`;
  if (!told.text.startsWith(claim)) return `the claim became “${told.text.slice(0, 80)}”`;
  const line = told.text.slice(withoutFacts(told.text).length);
  const hasLine = /> proposed \d+ · written \d+/.test(line);
  if (hasLine !== (form === 'text')) return hasLine ? 'a line where none belongs' : 'no line';
  const between = withoutFacts(told.text).slice(claim.length).trim();
  if (!made && between !== '') return `“${between.slice(0, 80)}” is put under it`;
  if (isTrue && told.warnings.length > 0)
    return `a true sentence has the warnings ${told.warnings.join()}`;
  if (fate === 'UNKNOWN' && made && /written 1|was written\b/.test(told.text))
    return 'an unknown write is shown as written';
  return null;
}

/** What the tables themselves say: actions of the id, and writes of it that succeeded. */
async function storedOf(
  { app }: World,
  actionId: string,
): Promise<{ proposed: number; written: number }> {
  if (actionId === '') return { proposed: 0, written: 0 };
  const { rows } = await acrossTenants(app.db, 'doctor', (q) =>
    sql<{ proposed: string; written: string }>`select
      (select count(*) from svc_action where action_id = ${actionId}) as proposed,
      (select count(*) from svc_point_command_history
        where action_id = ${actionId} and status = ${SUCCESS}) as written`.execute(q),
  );
  return { proposed: Number(rows[0]?.proposed), written: Number(rows[0]?.written) };
}
/** `svc_point_command_history.status` of a write that its device confirmed. */
const SUCCESS = 2;
