import { attributeProblem, settingProblem } from '../sdk/attribute.ts';
import type { Driver } from '../sdk/driver.ts';
import { type Bench, openBench } from './bench.ts';
import type { CheckedDevice } from './check-file.ts';

type Check = { name: string; run: (bench: Bench, parts: Parts) => Promise<void> };
type Parts = { driver: Driver; checked: CheckedDevice };
export type Checked = { name: string; problem: string | null };

const CONNECTED_MS = 30_000;
const REPORTED_MS = 30_000;
const STOPPED_MS = 20_000;

const SETTINGS = 'declares attributes that make sense, and takes the settings of the device';

function demand(isSo: boolean, problem: string): void {
  if (!isSo) throw new Error(problem);
}

const idOf = ({ device }: Bench, code: string): string => {
  const point = device.points.find((each) => each.code === code);
  if (!point) throw new Error(`there is no point ${code}`);
  return point.id;
};

const readable = ({ points, missing, reports }: CheckedDevice) =>
  points.filter(
    ({ code, rw }) => rw !== 'WRITE_ONLY' && !missing.includes(code) && !reports.includes(code),
  );

/** Why the platform would refuse a setting of the device or of one of its points; null where it takes all. */
function settingsProblem(
  driver: Driver,
  { configs, points, events }: CheckedDevice,
): string | null {
  const given = [
    { of: '', attributes: driver.driverAttributes, configs },
    ...points.map((point) => ({
      of: `${point.code}: `,
      attributes: driver.pointAttributes,
      configs: point.configs,
    })),
    ...events.map((event) => ({
      of: `${event.code}: `,
      attributes: driver.eventAttributes ?? [],
      configs: event.configs,
    })),
  ];
  for (const { of, attributes, configs: own } of given) {
    const codes = new Set(attributes.map(({ code }) => code));
    const unknown = Object.keys(own).find((code) => !codes.has(code));
    if (unknown !== undefined) return `${of}there is no attribute ${unknown}`;
    for (const attribute of attributes) {
      const value = own[attribute.code];
      const isLeft = value === undefined && !(attribute.required && attribute.defaultValue === '');
      const problem = isLeft ? null : settingProblem(attribute, value ?? '');
      if (problem !== null) return `${of}${attribute.code} ${problem}`;
    }
  }
  return null;
}

/** What the platform relies on, in the words of the contract. */
const checks: readonly Check[] = [
  {
    name: 'registers with its attributes, once',
    async run({ registrations }, { driver }) {
      demand(registrations.length === 1, `${registrations.length} registrations`);
      demand(registrations[0]?.driverCode === driver.code, 'another code');
    },
  },
  {
    name: SETTINGS,
    async run(_bench, { driver, checked }) {
      const problem = settingsProblem(driver, checked);
      demand(problem === null, problem ?? '');
    },
  },
  {
    name: 'has the device online',
    run: ({ device, until }, { driver }) =>
      until('ONLINE', () => driver.status(device).status === 'ONLINE', CONNECTED_MS),
  },
  {
    name: 'reads each point',
    async run(bench, { checked }) {
      for (const { code } of readable(checked)) {
        const { commandId } = await bench.send({ pointId: idOf(bench, code) });
        const { status, errorCode, errorMessage } = await bench.result(commandId);
        demand(status === 'SUCCESS', `${code}: ${status} ${errorCode}: ${errorMessage}`);
      }
    },
  },
  {
    name: 'takes what the device sends by itself, and does not read it',
    async run(bench, { checked }) {
      for (const code of checked.reports) {
        const pointId = idOf(bench, code);
        await bench.until(`a value of ${code}`, () => bench.valued.has(pointId), REPORTED_MS);
        const { commandId } = await bench.send({ pointId });
        const { status, errorCode } = await bench.result(commandId);
        const answer = `${code}: ${status} ${errorCode} in place of FAILED REPORTS_ONLY`;
        demand(status === 'FAILED' && errorCode === 'REPORTS_ONLY', answer);
      }
    },
  },
  {
    name: 'reports the events of the device',
    async run(bench, { checked }) {
      for (const { code } of checked.events)
        await bench.until(`event ${code}`, () => bench.happened.has(code), REPORTED_MS);
    },
  },
  {
    name: 'fails for a point that the device does not have, and goes on with the others',
    async run(bench, { checked }) {
      const [other] = readable(checked);
      for (const code of checked.missing) {
        const { commandId } = await bench.send({ pointId: idOf(bench, code) });
        const { status } = await bench.result(commandId);
        demand(status === 'FAILED', `${code}: ${status} in place of FAILED`);
        if (!other) continue;
        const next = await bench.send({ pointId: idOf(bench, other.code) });
        const after = await bench.result(next.commandId);
        demand(after.status === 'SUCCESS', `${other.code} after it: ${after.status}`);
      }
    },
  },
  {
    name: 'writes, and reads the same back',
    async run(bench, { checked }) {
      for (const { point, value } of checked.writes) {
        const pointId = idOf(bench, point);
        const { commandId } = await bench.send({ pointId, type: 'WRITE', value });
        const { status, readBack, errorCode, errorMessage } = await bench.result(commandId);
        demand(status === 'SUCCESS', `${point}: ${status} ${errorCode}: ${errorMessage}`);
        const isReadable =
          checked.reports.includes(point) || readable(checked).some(({ code }) => code === point);
        const isSame = readBack !== null && (readBack === value || +readBack === +value);
        demand(!isReadable || isSame, `${point}: wrote ${value}, read ${readBack}`);
      }
    },
  },
  {
    name: 'does nothing for a command that has expired',
    async run(bench, { checked }) {
      const [first] = checked.writes;
      if (!first) return;
      const { point, value } = first;
      const write = { pointId: idOf(bench, point), type: 'WRITE', value } as const;
      const late = await bench.send({ ...write, expireAt: bench.now() });
      const { status } = await bench.result(late.commandId);
      demand(status === 'EXPIRED', `${status} in place of EXPIRED`);
    },
  },
];

/** Runs all checks on one device; each has its problem, or null. */
export async function checkDriver(
  driver: Driver,
  { checked, dataDir }: { checked: CheckedDevice; dataDir: string },
): Promise<Checked[]> {
  // The platform would not take such a registration.
  const unsound = attributeProblem(driver);
  if (unsound !== null) return [{ name: SETTINGS, problem: unsound }];
  const bench = await openBench(driver, { checked, dataDir });
  const done: Checked[] = [];
  try {
    await bench.until('a registration', () => bench.registrations.length > 0);
    for (const { name, run } of checks)
      done.push({ name, problem: await problemOf(run(bench, { driver, checked })) });
  } finally {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error('not within 20 s')), STOPPED_MS);
    const problem = await problemOf(Promise.race([bench.stop(), late]));
    clearTimeout(timer);
    done.push({ name: 'stops', problem });
  }
  return done;
}

async function problemOf(work: Promise<unknown>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
