import { login as logIn } from '../support/people/session.ts';
import {
  addPeople,
  attack,
  causesOf,
  everybodyLogsIn,
  tryCauses,
} from '../support/runs/login-siege.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { startServer } from '../support/world/server.ts';
import { engines, onEngine } from './on-engine.ts';
import type { Proof } from './proof.ts';

const ATTACKS = Number(process.env['LOGIN_ATTACKS'] ?? 10_000);
const SECONDS = Number(process.env['LOGIN_SECONDS'] ?? 60);
const TRIES = Number(process.env['LOGIN_TRIES'] ?? 400);
const TIMES = 6;
const SLOWER = 3;
const APART = 0.1;
const PASSWORD = testEnvironment.SVC_ADMIN_PASSWORD;

/** Logs people in while one address floods, and measures what the time of a refusal tells. */
export const login: Proof = async ({ print }) => {
  let failed = 0;
  const report: string[] = [];
  const say = (line: string, wrong = 0): void => {
    failed += wrong;
    print(line);
    report.push(line);
  };
  for (const engine of engines()) {
    await onEngine(engine, async (environment) => {
      const server = await startServer({ ...testEnvironment, SVC_DEMO: 'off', ...environment });
      try {
        const admin = await logIn(server.base, 'default', 'admin', PASSWORD);
        await siege(server.base, admin, engine, say);
        await causes(server.base, admin, engine, say);
      } finally {
        await server.stop();
      }
    });
  }
  return { failed, report };
};

type Say = (line: string, wrong?: number) => void;
type Admin = Awaited<ReturnType<typeof logIn>>;

async function siege(base: string, admin: Admin, engine: string, say: Say): Promise<void> {
  const people = await addPeople(admin);
  const ms = SECONDS * 1_000;
  const alone = await everybodyLogsIn(base, people, { times: TIMES, ms });
  const [statuses, besieged] = await Promise.all([
    attack(base, { count: ATTACKS, ms }),
    everybodyLogsIn(base, people, { times: TIMES, ms }),
  ]);
  const refused = besieged.flat().filter((one) => one.refused).length;
  const ratios = people.map(
    (_, n) => median(times(besieged[n] ?? [])) / median(times(alone[n] ?? [])),
  );
  const slower = ratios.filter((ratio) => !(ratio <= SLOWER)).length;
  const slowest = (all: typeof alone): string => Math.max(...times(all.flat())).toFixed(0);
  const answers = [...statuses]
    .toSorted(([one], [other]) => one - other)
    .map(([status, count]) => `${count} × ${status}`);
  say(
    `${engine}: ${ATTACKS} wrong logins, salts and registrations from one address in ${SECONDS} s (${answers.join(', ')}).`,
    [...statuses.keys()].some((status) => ![201, 401, 429].includes(status)) ? 1 : 0,
  );
  say(
    `${engine}: ${people.length} people from other addresses, ${besieged.flat().length} logins meanwhile: ${refused} refused.`,
    refused,
  );
  say(
    `${engine}: a person's median is ${Math.max(...ratios).toFixed(2)} times that alone at most; ${slower} people above ${SLOWER}. Slowest login alone ${slowest(alone)} ms, meanwhile ${slowest(besieged)} ms.`,
    slower,
  );
  say('');
}

async function causes(base: string, admin: Admin, engine: string, say: Say): Promise<void> {
  const known = await causesOf(base, admin, PASSWORD);
  const replies = await tryCauses(base, known, TRIES);
  const medians = new Map([...replies].map(([name, all]) => [name, median(times(all))]));
  const [first = 0, second = 0] = ['wrong password', 'wrong password again'].map(
    (name) => medians.get(name) ?? 0,
  );
  const allowed = Math.max(APART * first, Math.abs(first - second));
  say(`| ${engine}: cause, ${TRIES} tries | median ms | apart | wrong |`);
  say('|---|---|---|---|');
  for (const [name, ms] of medians) {
    const wrong = Math.abs(ms - first) <= allowed ? 0 : 1;
    const apart = (((ms - first) / first) * 100).toFixed(1);
    say(`| ${name} | ${ms.toFixed(1)} | ${apart} % | ${wrong} |`, wrong);
  }
  const texts = new Set(
    [...replies.values()].flat().map(({ status, text }) => `${status} ${text}`),
  );
  say('');
  say(`${engine}: different answers to all of them: ${texts.size}.`, texts.size === 1 ? 0 : 1);
  say('');
}

const times = (all: readonly { ms: number }[]): number[] => all.map(({ ms }) => ms);

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
