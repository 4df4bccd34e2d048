import type { Cut, FirmwareFault } from '../../driver/simulator/firmware.ts';
import {
  patientCases,
  patientUpdate,
  type PatientVerdict,
  varied,
} from '../support/runs/firmware/patient.ts';
import { rollOutTo } from '../support/runs/firmware/rollout.ts';
import {
  type FirmwareTrial,
  type FirmwareVerdict,
  updateFirmware,
} from '../support/runs/firmware/update.ts';
import { seeded } from '../support/world/seeded.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const LARGE = { bytes: 1_048_576, loss: 0.1, times: 4 };
const SMALL = { bytes: 20_000, loss: 0.05, times: 20 };
const AT_ONCE = 10;
/** Of each kind of device that is slow, says old results, restarts or puts off. */
const PATIENT = 10;
const SEED = 20_261_127;

/** The power fails once, in each state of object 5 that is not idle. */
const cuts: { name: string; cut: Cut; isVolatile?: boolean; fault?: FirmwareFault }[] = [
  { name: 'downloading', cut: 'downloading' },
  { name: 'downloaded, package kept', cut: 'downloaded' },
  { name: 'downloaded, package lost', cut: 'downloaded', isVolatile: true },
  { name: 'updating, installed by the boot loader', cut: 'updating' },
  { name: 'updating, taken back by the boot loader', cut: 'updating', fault: 'fail' },
];

type Patient = { name: string; verdict: PatientVerdict };

/** Devices that take their time, with other times each. */
async function patience(times: number): Promise<Patient[]> {
  const random = seeded(SEED);
  const queue = patientCases
    .flatMap((given) => Array.from({ length: times }, () => varied(given, random)))
    .values();
  const done: Patient[] = [];
  const work = async (): Promise<void> => {
    for (const given of queue) done.push({ name: given.name, verdict: await patientUpdate(given) });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return done;
}

/**
 * Images over DTLS with loss, power that fails in each state, roll-outs to 200 devices of which 15 % are bad;
 * `firmware 10` runs a tenth of each.
 */
export const firmware: Proof = async ({ print, only }) => {
  const share = only === '' ? 1 : Number(only) / 100;
  const { lines, say } = linesOf(print);
  const wrong: string[] = [];

  async function trials(name: string, trial: Omit<FirmwareTrial, 'seed'>, times: number) {
    const seeds = Array.from({ length: Math.ceil(times * share) }, (_, n) => String(n + 1));
    const verdicts: FirmwareVerdict[] = [];
    const queue = seeds.values();
    const work = async (): Promise<void> => {
      for (const seed of queue) {
        const verdict = await updateFirmware({ ...trial, seed });
        verdicts.push(verdict);
        wrong.push(...verdict.wrong.map((one) => `${name}, seed ${seed}: ${one}`));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const ends = [...Map.groupBy(verdicts, ({ end }) => end)];
    const longest = Math.max(...verdicts.map(({ seconds }) => seconds));
    const counted = ends.map(([end, all]) => `${end} × ${all.length}`).join(', ');
    say(
      `| ${name} | ${trial.bytes} | ${trial.loss * 100} % | ${counted} | ${longest.toFixed(0)} |`,
    );
  }

  say('| update over DTLS | bytes | lost each way | ends | longest s |');
  say('| --- | --- | --- | --- | --- |');
  const bytes = Math.ceil(LARGE.bytes * share);
  await Promise.all([
    trials('undisturbed', { bytes, loss: LARGE.loss }, LARGE.times),
    (async () => {
      for (const { name, ...cut } of cuts)
        await trials(`power fails: ${name}`, { ...cut, ...SMALL }, SMALL.times);
    })(),
  ]);
  say('');
  const patient = await patience(Math.ceil(PATIENT * share));
  say(
    `Seed ${SEED}. One order to install and the one true end each, or what it turns out to be later:`,
  );
  say('');
  say('| device that | updates | ends |');
  say('| --- | --- | --- |');
  for (const [name, all] of Map.groupBy(patient, (one) => one.name)) {
    const ends = Map.groupBy(all, ({ verdict }) =>
      [verdict.end, ...(verdict.later === null ? [] : [verdict.later])].join(', later '),
    );
    const counted = [...ends].map(([end, of]) => `${end} × ${of.length}`).join('; ');
    say(`| ${name} | ${all.length} | ${counted} |`);
    for (const { verdict } of all) wrong.push(...verdict.wrong.map((one) => `${name}: ${one}`));
  }
  say('');
  for (const engine of engines())
    await onEngine(engine, async (environment) => {
      const { facts, wrong: found } = await rollOutTo(Math.ceil(200 * share), environment);
      say(`- ${engine}: ${facts}`);
      wrong.push(...found);
    });
  for (const one of wrong.slice(0, 50)) say(`- wrong: ${one}`);
  return { failed: wrong.length, report: lines };
};
