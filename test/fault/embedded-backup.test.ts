import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { entryOf } from '../../src/cli/operator/backup-files.ts';
import { archive } from '../../src/cli/operator/tar.ts';
import { reachBackup } from '../../src/db/embedded/online-backup.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { onboard, type Plant } from '../support/devices/plant.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { startProcess } from '../support/world/process.ts';

/** As it is written into the data folder by a first start. */
const SECRET = 'a secret of this platform, long enough to be one';

let world: World;
let plant: Plant;
let home: string;
let dataDir: string;

beforeAll(async () => {
  world = await startWorld();
  plant = await onboard(world.admin);
  ({ SVC_DATA_DIR: dataDir = '' } = world.environment);
  home = await mkdtemp(join(tmpdir(), 'backup-'));
  await mkdir(join(dataDir, 'agentic', 'attachments', '1'), { recursive: true });
  await writeFile(join(dataDir, 'agentic', 'attachments', '1', 'manual.txt'), 'how to');
  await mkdir(join(dataDir, 'secrets'), { recursive: true });
  await writeFile(join(dataDir, 'secrets', 'secret-key'), SECRET);
});
afterAll(async () => {
  await world.stop();
  await rm(home, { recursive: true });
});

async function svc(words: string[], environment: Record<string, string> = {}) {
  const child = startProcess(['src/main.ts', ...words], { ...world.environment, ...environment });
  const { code } = await child.exited;
  return { code, output: child.output.join('\n') };
}
const restored = (name: string): Record<string, string> => ({ SVC_DATA_DIR: join(home, name) });

/** Reports values until it is stopped; answers the times of those that were acknowledged. */
function load(): { stop(): Promise<number[]>; acknowledged: number[] } {
  const acknowledged: number[] = [];
  const end = new AbortController();
  let at = world.clock.now() - 600_000;
  const run = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const originTime = (at += 1);
      const value = { deviceId: plant.deviceId, pointId: plant.temperature, numValue: 7 };
      const values = [
        { ...value, rawValue: '7', calValue: '7', originTime, seq: 0, quality: 0 as const },
      ];
      const { tenantId } = world.admin;
      const batch = {
        tenantId,
        driverId: plant.driverId,
        driverCode: 'VirtualDriver',
        node: 'n',
        values,
      };
      await world.bus.handled('svc.e.value', batch, 'VirtualDriver');
      acknowledged.push(originTime);
    }
  };
  const running = run();
  return {
    acknowledged,
    async stop() {
      end.abort();
      await running;
      return acknowledged;
    },
  };
}

describe('a backup of a running platform', () => {
  it('has every value that was acknowledged before it, and restores to a platform whose data hold together', async () => {
    const file = join(home, 'running.tar.zst');
    const { acknowledged, stop } = load();
    while (acknowledged.length < 50) await new Promise((resolve) => void setTimeout(resolve, 20));
    const before = [...acknowledged];
    const made = await svc(['backup', file]);
    const during = acknowledged.length - before.length;
    await stop();
    expect(made).toMatchObject({ code: 0, output: expect.stringContaining('all checksums fit') });
    expect(made.output).toContain('The secret key is in it');
    // It went on meanwhile.
    expect(during).toBeGreaterThan(20);
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const fresh = restored('fresh');
    const back = await svc(['restore', file], fresh);
    expect(back).toMatchObject({ code: 0, output: expect.stringContaining('restored as of') });
    const doctor = await svc(['doctor'], fresh);
    expect(doctor).toMatchObject({ code: 0, output: expect.stringContaining('all of them hold') });
    expect(
      await readFile(join(home, 'fresh', 'agentic', 'attachments', '1', 'manual.txt'), 'utf8'),
    ).toBe('how to');
    expect(await readFile(join(home, 'fresh', 'secrets', 'secret-key'), 'utf8')).toBe(SECRET);

    const other = await startWorld({ database: { environment: fresh, remove: async () => {} } });
    try {
      const { tenantId } = world.admin;
      const rows = await inTenant(other.app.db, tenantId, (q) =>
        q
          .selectFrom('svc_point_value')
          .select('createTime')
          .where('tenantId', '=', tenantId)
          .where('pointId', '=', plant.temperature)
          .execute(),
      );
      const times = new Set(rows.map(({ createTime }) => createTime.getTime()));
      expect(before.filter((time) => !times.has(time))).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  it('ends with the process that makes it, so that the next one can begin', async () => {
    const lost = await reachBackup(dataDir);
    await lost?.begin();
    const meanwhile = await reachBackup(dataDir);
    await expect(meanwhile?.begin()).rejects.toThrow('Another backup is under way');
    meanwhile?.close();
    lost?.close();
    expect(await svc(['backup', join(home, 'next.tar.zst')])).toMatchObject({ code: 0 });
  });

  it('is not made over another file, nor into the data folder', async () => {
    const file = join(home, 'taken');
    await writeFile(file, 'mine');
    expect(await svc(['backup', file])).toMatchObject({
      code: 1,
      output: expect.stringContaining('is there already'),
    });
    expect(await svc(['backup', join(dataDir, 'b')])).toMatchObject({
      code: 1,
      output: expect.stringContaining('must not be in the data folder'),
    });
    expect(await readFile(file, 'utf8')).toBe('mine');
  });
});

describe('a restore', () => {
  it('refuses in words what does not fit, and leaves the folder empty', async () => {
    const file = join(home, 'running.tar.zst');
    const bytes = await readFile(file);
    const [cut, changed, text, newer] = ['cut', 'changed', 'text', 'newer'].map((name) =>
      join(home, name),
    );
    await writeFile(cut ?? '', bytes.subarray(0, bytes.length / 2));
    const flipped = Buffer.from(bytes);
    flipped[bytes.length >> 1] = (flipped[bytes.length >> 1] ?? 0) ^ 1;
    await writeFile(changed ?? '', flipped);
    await writeFile(text ?? '', 'no backup');
    const manifest = { form: 1, platform: '99.0.0', migration: '9999_later.sql', createTime: '' };
    async function* entries() {
      yield entryOf('manifest.json', JSON.stringify(manifest));
    }
    const made = Readable.from(archive(entries()), { objectMode: false });
    await pipeline(made, createZstdCompress(), createWriteStream(newer ?? ''));
    for (const [name, why] of [
      [cut, /is damaged|ends too early/],
      [changed, /is damaged|not what was backed up/],
      [text, /is no backup/],
      [newer, /version 99\.0\.0 made it, with migration 9999_later\.sql/],
    ] as const) {
      const refused = await svc(['restore', name ?? ''], restored('refused'));
      expect(refused).toMatchObject({ code: 1, output: expect.stringMatching(why) });
    }
    const full = await svc(['restore', file], restored('fresh'));
    expect(full).toMatchObject({ code: 1, output: expect.stringContaining('is not empty') });
    const server = { ...restored('refused'), DATABASE_URL: 'postgres://u:p@127.0.0.1:1/d' };
    expect(await svc(['restore', file], server)).toMatchObject({
      code: 1,
      output: expect.stringContaining('DATABASE_URL is set'),
    });
    expect(await svc(['restore', file], restored('refused'))).toMatchObject({ code: 0 });
  });
});

describe('a backup of a stopped platform', () => {
  it('is made and restored in the same way', async () => {
    await world.halt();
    const file = join(home, 'stopped.tar.zst');
    expect(await svc(['backup', file])).toMatchObject({ code: 0 });
    expect(await svc(['restore', file], restored('stopped'))).toMatchObject({ code: 0 });
    expect(await svc(['doctor'], restored('stopped'))).toMatchObject({ code: 0 });
  });
});
