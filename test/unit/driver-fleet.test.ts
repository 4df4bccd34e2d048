import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { type Chances, createFaults, type Turn } from '../../driver/simulator/fleet/fault.ts';
import { flagsOf } from '../../driver/simulator/fleet/flags.ts';
import { endpointOf, pskOf } from '../../driver/simulator/fleet/identity.ts';
import { createDice } from '../../driver/simulator/fleet/random.ts';
import { tableOf } from '../../driver/simulator/fleet/table.ts';

const main = fileURLToPath(new URL('../../driver/simulator/fleet/main.ts', import.meta.url));
const seeds = Array.from({ length: 50 }, (_, index) => `seed ${index}`);
const NONE: Chances = {
  stuck: 0,
  'lie-ack': 0,
  reboot: 0,
  storm: 0,
  clock: 0,
  rebind: 0,
  outage: 0,
};
const chances: Chances = {
  stuck: 0.2,
  'lie-ack': 0.3,
  reboot: 0.1,
  storm: 0.2,
  clock: 0.1,
  rebind: 0.1,
  outage: 0.05,
};

function turnsOf(seed: string, endpoint: string, given = chances, between = () => {}): Turn[] {
  const faults = createFaults(seed, endpoint, given);
  return Array.from({ length: 200 }, () => {
    between();
    return faults.turn();
  });
}
const liesOf = (seed: string, turns = 0): boolean[] => {
  const faults = createFaults(seed, 'sim-0001', chances);
  return Array.from({ length: 200 }, () => {
    for (let turn = 0; turn < turns; turn += 1) faults.turn();
    return faults.lies();
  });
};

describe('the dice of a fleet', () => {
  it.each(seeds)('fall alike for the same seed and name, and not for others: %s', (seed) => {
    const course = (...names: string[]): number[] => {
      const dice = createDice(seed, ...names);
      return Array.from({ length: 100 }, () => dice.between(0, 1_000_000));
    };
    expect(course('a', 'b')).toEqual(course('a', 'b'));
    expect(course('a', 'b')).not.toEqual(course('ab'));
    expect(course('a', 'b')).not.toEqual(course('a', 'c'));
  });

  it('fall as often as they should, and within their limits', () => {
    const dice = createDice('fair');
    const drawn = Array.from({ length: 20_000 }, () => dice.between(3, 5));
    expect(new Set(drawn)).toEqual(new Set([3, 4, 5]));
    const share = Array.from({ length: 20_000 }, () => dice.roll(0.05)).filter(Boolean).length;
    expect(share).toBeGreaterThan(850);
    expect(share).toBeLessThan(1_150);
    expect(Array.from({ length: 1_000 }, () => dice.roll(0)).some(Boolean)).toBe(false);
    expect(Array.from({ length: 1_000 }, () => dice.roll(1)).every(Boolean)).toBe(true);
  });
});

describe('the faults of a device', () => {
  it.each(seeds)('come in the same order for the same seed, whatever it is asked: %s', (seed) => {
    const turns = turnsOf(seed, 'sim-0001');
    expect(turnsOf(seed, 'sim-0001')).toEqual(turns);
    expect(turnsOf(seed, 'sim-0002')).not.toEqual(turns);
    expect(turnsOf(`${seed}!`, 'sim-0001')).not.toEqual(turns);
    expect(liesOf(seed, 3)).toEqual(liesOf(seed));
  });

  it.each(seeds)('leave each other as they are: %s', (seed) => {
    const stuck = (turns: Turn[]) => turns.map(({ stuckTurns }) => stuckTurns);
    const others = { ...chances, reboot: 0.9, storm: 0, clock: 1 };
    expect(stuck(turnsOf(seed, 'sim-0001', others))).toEqual(stuck(turnsOf(seed, 'sim-0001')));
  });

  it('are none where none is asked for', () => {
    const nothing = {
      stuckTurns: null,
      rebootMs: null,
      storm: null,
      clockErrorMs: null,
      rebinds: false,
      outageLifetimes: null,
    };
    expect(turnsOf('1', 'sim-0001', NONE)).toEqual(Array.from({ length: 200 }, () => nothing));
  });
});

describe('the flags of a fleet', () => {
  it('have defaults for all but the number', () => {
    expect(flagsOf(['--count', '3'])).toMatchObject({
      count: 3,
      first: 1,
      servers: [{ host: '127.0.0.1', port: 5683 }],
      network: { loss: 0, latencyMs: 0 },
      forS: null,
      queue: null,
    });
    const { queue } = flagsOf(['--count', '1', '--queue', '--awake', '5']);
    expect([flagsOf(['--count', '1', '--queue']).queue, queue]).toEqual([
      { awakeMs: 93_000 },
      { awakeMs: 5_000 },
    ]);
    expect(flagsOf(['--count', '3', '--psk']).servers).toEqual([{ host: '127.0.0.1', port: 5684 }]);
    expect(flagsOf(['--count', '3', '--server', 'a,b:7']).servers).toEqual([
      { host: 'a', port: 5683 },
      { host: 'b', port: 7 },
    ]);
    const { chances: given } = flagsOf(['--count', '1', '--faults', 'lie-ack:1,reboot:0.02']);
    expect(given).toEqual({ ...NONE, 'lie-ack': 1, reboot: 0.02 });
  });

  it.each([
    [[], '--count'],
    [['--count', '0'], '--count'],
    [['--count', '10001'], '--count'],
    [['--count', '1', '--colour', 'red'], '--colour'],
    [['--count', '1', '--loss', '1.5'], '--loss'],
    [['--count', '1', '--loss', '5%'], '--loss'],
    [['--count', '1', '--latency', '-1'], '--latency'],
    [['--count', '1', '--latency=60001'], '--latency'],
    [['--count', '1', '--faults', 'stuck'], '--faults stuck'],
    [['--count', '1', '--faults', 'fire:0.1'], 'fire'],
    [['--count', '1', '--faults', 'stuck:0.1:2'], 'stuck:0.1:2'],
    [['--count', '1', '--faults', 'stuck:0.1,stuck:0.2'], 'twice'],
    [['--count', '1', '--faults', 'stuck:0.1,'], '--faults'],
    [['--count', '1', '--server', ':5683'], '--server'],
    [['--count', '1', '--server', '127.0.0.1:70000'], '--server'],
    [['--count', '1', '--server', 'a,'], '--server'],
    [['--count', '1', '--lifetime', '1'], '--lifetime'],
    [['--count', '1', '--for', 'ever'], '--for'],
    [['--count', '1', '--turn', '0'], '--turn'],
    [['--count', '1', '--queue', '--awake', '0'], '--awake'],
    [['--count', '1', '--prefix', 'a,b'], '--prefix'],
    [['--count', '1', '--platform', 'somewhere'], '--platform'],
    [['--count', '1', '--table', 'a.csv', '--onboard'], '--table'],
  ])('are refused with what is wrong: %j', (args, part) => {
    expect(() => flagsOf(args)).toThrow(part);
  });

  it('that are wrong end the command with how it is used', () => {
    const { status, stderr } = spawnSync(process.execPath, [main, '--count', 'many'], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^--count must be .*\nusage: npm run devices -- --count N/);
  });

  it('without a password add no devices', () => {
    const { status, stderr } = spawnSync(process.execPath, [main, '--count', '1', '--onboard'], {
      encoding: 'utf8',
      timeout: 20_000,
      env: { PATH: process.env['PATH'] },
    });
    expect(status).toBe(1);
    expect(stderr).toContain('SVC_ADMIN_PASSWORD');
  });
});

describe('the table of a fleet', () => {
  const names = [endpointOf('sim', 1), endpointOf('sim', 10_000)];

  it('has a row for each device, with its keys where it has any', () => {
    expect(tableOf(names, { seed: '1', isSecure: false, isObserved: false })).toBe(
      'deviceName,endpoint,temperature/objectId,temperature/resourceId,set-point/objectId,set-point/resourceId\r\n' +
        'sim-0001,sim-0001,3303,5700,3308,5900\r\nsim-10000,sim-10000,3303,5700,3308,5900\r\n',
    );
    const { key } = pskOf('1', 'sim-0001');
    expect(tableOf(names, { seed: '1', isSecure: true, isObserved: true })).toContain(
      `temperature/observe\r\nsim-0001,sim-0001,PSK,sim-0001,${key},3303,5700,3308,5900,true\r\n`,
    );
  });

  it('holds a key of 16 bytes of its own for each seed and device', () => {
    const keys = seeds.flatMap((seed) => names.map((name) => pskOf(seed, name).key));
    expect(keys.every((key) => /^[0-9a-f]{32}$/.test(key))).toBe(true);
    expect(new Set(keys).size).toBe(keys.length);
    expect(pskOf('1', 'sim-0001')).toEqual(pskOf('1', 'sim-0001'));
  });
});
