import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { answered as understood } from '../../driver/lwm2m/registration/formats.ts';
import type { SavedRegistration } from '../../driver/lwm2m/registration/journal.ts';
import { RegistrationStore } from '../../driver/lwm2m/registration/store.ts';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { TestClock } from '../support/world/clock.ts';
import { eventually } from '../support/world/eventually.ts';

const log = createLog('silent');
const registration = (n: number, lifetimeS = 60): SavedRegistration => ({
  id: `id-${n}`,
  endpoint: `urn:dev:${n}`,
  deviceId: String(n),
  peer: { address: '127.0.0.1', port: 5683 },
  version: '1.1',
  queueMode: false,
  lifetimeS,
  expiresAt: 1_000,
  heardAt: 0,
  contentFormats: [110],
  root: [],
  objects: [],
  leftOut: 0,
  objectsAt: 0,
});

describe('the saved registrations', () => {
  let directory: string;
  let file: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lwm2m-store-'));
    file = join(directory, 'registrations.log');
  });
  afterEach(() => rm(directory, { recursive: true }));

  const open = () => new RegistrationStore(file, { clock, log });
  const save = async (change: (store: ReturnType<typeof open>) => void) => {
    const store = open();
    await store.load();
    change(store);
    await store.close();
  };
  const endpoints = async () =>
    (await open().load()).registrations.map(({ endpoint, lifetimeS }) => [endpoint, lifetimeS]);

  it('are the last word on each, over several lives', async () => {
    await save((store) => {
      for (const n of [1, 2, 3]) store.put(registration(n));
      store.remove('2');
    });
    await save((store) => store.put(registration(1, 90)));
    await save((store) => store.remove('3'));
    expect(await endpoints()).toEqual([['urn:dev:1', 90]]);
  });

  it('have the times of the last update, and the formats that were learned before it', async () => {
    const lines = async () => (await readFile(file, 'utf8')).trimEnd().split('\n');
    const store = open();
    await store.load();
    const [one, two] = [registration(1), registration(2)];
    for (const each of [one, two]) store.put(each);
    await eventually(
      async () => (await lines().catch(() => [])).length,
      (count) => count === 2,
    );
    Object.assign(one, { heardAt: 500, expiresAt: 1_500 });
    store.heard(one);
    Object.assign(two, { heardAt: 600, expiresAt: 1_600 });
    understood(two, 'DOUBLE', { asked: null, said: 112 });
    store.heard(two);
    await store.close();
    const kinds = (await lines()).map((line) => Object.keys(JSON.parse(line))[0]);
    expect(kinds).toEqual(['registration', 'registration', 'heard', 'registration']);
    // Of another registration of the device, as a torn file may have it.
    const heard = { id: 'other', deviceId: '1', heardAt: 900, expiresAt: 9_000 };
    await appendFile(file, `${JSON.stringify({ heard })}\n`);
    const { registrations } = await open().load();
    expect(registrations).toEqual([one, two]);
    expect(registrations[1]?.spoken).toEqual({ value: { asked: null, said: 112 } });
  });

  it('keep the formats that a device was understood in', async () => {
    const spoken = { value: { asked: null, said: 112, taken: 0 }, opaque: { taken: 42 } };
    await save((store) => {
      store.put({ ...registration(1), spoken });
      store.put(registration(2));
    });
    const { registrations } = await open().load();
    expect(registrations.map((saved) => saved.spoken)).toEqual([spoken, undefined]);
  });

  it('are understood as an earlier version wrote them, which named what ended by its endpoint', async () => {
    await save((store) => {
      for (const n of [1, 2]) store.put(registration(n));
    });
    await appendFile(file, `${JSON.stringify({ gone: 'urn:dev:1' })}\n`);
    expect(await endpoints()).toEqual([['urn:dev:2', 60]]);
  });

  it('are kept of two devices with one name', async () => {
    await save((store) => {
      for (const n of [1, 2]) store.put({ ...registration(n), endpoint: 'urn:dev' });
    });
    expect((await open().load()).registrations.map(({ deviceId }) => deviceId)).toEqual(['1', '2']);
  });

  it('are in the file a moment after an update, long before the second of the disk', async () => {
    const held = new TestClock();
    const store = new RegistrationStore(file, { clock: held, log });
    await store.load();
    for (const lifetimeS of [60, 70, 80]) {
      store.put(registration(1, lifetimeS));
      await held.advance(20);
      await until(async () => (await endpoints())[0]?.[1] === lifetimeS);
    }
    await store.close();
  });

  it('lose only the line that a crash tore', async () => {
    await save((store) => store.put(registration(1)));
    await save((store) => store.put(registration(2)));
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.slice(0, -20));
    expect(await endpoints()).toEqual([['urn:dev:1', 60]]);
  });

  it('are appended to: an update writes its own line, however many there are', async () => {
    const store = open();
    await store.load();
    for (let n = 0; n < 20_000; n += 1) store.put(registration(n));
    const sizeOf = async () => (await stat(file).catch(() => ({ size: 0 }))).size;
    await until(async () => (await sizeOf()) > 20_000 * 150);
    const before = await sizeOf();
    store.put(registration(7, 70));
    await store.close();
    expect((await sizeOf()) - before).toBe(
      JSON.stringify({ registration: registration(7, 70) }).length + 1,
    );
  });

  it('are written anew before the file grows without end', async () => {
    const store = open();
    await store.load();
    store.put(registration(0));
    for (let round = 0; round < 3; round += 1) {
      for (let n = 1; n < 8_000; n += 1) store.put(registration(n, round));
      for (let n = 1; n < 8_000; n += 1) store.remove(`${n}`);
      await store.close();
      const next = open();
      await next.load();
      next.put(registration(0, round));
      await next.close();
    }
    expect((await readFile(file, 'utf8')).split('\n').length).toBeLessThan(10_010);
    expect(await endpoints()).toEqual([['urn:dev:0', 2]]);
  });

  const until = async (isSo: () => Promise<boolean>) => {
    for (let n = 0; n < 200; n += 1) {
      if (await isSo()) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      clock.after(50, resolve);
      await promise;
    }
    throw new Error('it never was so');
  };
});
