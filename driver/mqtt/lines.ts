import { hash, randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Guard } from '../../src/kernel/egress/guard.ts';
import type { PackageContext } from '../package/context.ts';
import type { Shares } from '../report/shares.ts';
import type { DriverDevice } from '../sdk/driver.ts';
import { settingOf } from './attributes.ts';
import { Connection, type Message } from './broker/connection.ts';
import { Router } from './broker/topic.ts';
import { addressOf, openSocket } from './socket.ts';

/**
 * A connection with what is listened for on it; devices of one tenant with one broker and one login share it. What has
 * its own time comes over one that the broker stores for: it may be late. All else comes over one that begins anew each
 * time, because late it would pass for fresh (thingsboard-gateway#2119).
 */
export type Line<T> = {
  tenantId: string;
  connection: Connection;
  listen(subscription: string, filter: string, target: T): void;
  leave(subscription: string, filter: string, target: T): void;
  /** Keeps it open for what is sent; `listen` does too. */
  hold(): void;
  release(): void;
};

type Held<T> = Line<T> & { key: string; targets: number; router: Router<T> };

export type LineParts<T> = Pick<PackageContext, 'clock' | 'log'> & {
  guard: Guard;
  shares: Shares;
  /** Of this process, and the same after a restart. */
  identity: string;
  take(targets: T[], message: Message, line: Line<T>): Promise<void>;
  changed(line: Line<T>): void;
};

export class Lines<T> {
  readonly #parts: LineParts<T>;
  readonly #lines = new Map<string, Held<T>>();

  constructor(parts: LineParts<T>) {
    this.#parts = parts;
  }

  /** The line of a device, opened where there is none. Throws `DriverFailure` for settings that make no sense. */
  of(device: DriverDevice, isVersion5: boolean, isKept: boolean): Line<T> {
    const address = addressOf(device);
    const { tenantId } = device;
    const [username, password] = [settingOf(device, 'username'), settingOf(device, 'password')];
    const key = JSON.stringify([tenantId, address, username, password, isVersion5, isKept]);
    const known = this.#lines.get(key);
    if (known) return known;
    const { guard, identity, shares, clock, log, take, changed } = this.#parts;
    const clientId = `svc-${hash('sha256', identity + key).slice(0, 16)}`;
    const router = new Router<T>();
    const connection = new Connection({
      name: `${address.host}:${address.port}`,
      open: () => openSocket(address, guard),
      login: { clientId, username, password },
      isVersion5,
      isKept,
      take: (message) => take(router.of(message.topic), message, line),
      whenRoom: (go) => shares.whenRoom(tenantId, go),
      changed: () => changed(line),
      clock,
      log,
    });
    /** How many targets each subscription has. */
    const uses = new Map<string, number>();
    const line: Held<T> = {
      key,
      tenantId,
      connection,
      router,
      targets: 0,
      hold: () => void (line.targets += 1),
      release: () => void (line.targets -= 1),
      listen(subscription, filter, target) {
        line.targets += 1;
        router.add(filter, target);
        const count = uses.get(subscription) ?? 0;
        uses.set(subscription, count + 1);
        if (count === 0) connection.subscribe(subscription);
      },
      leave: (subscription, filter, target) => {
        line.targets -= 1;
        router.remove(filter, target);
        const left = (uses.get(subscription) ?? 1) - 1;
        if (left > 0) uses.set(subscription, left);
        else {
          uses.delete(subscription);
          connection.unsubscribe(subscription);
        }
      },
    };
    this.#lines.set(key, line);
    return line;
  }

  /** Closes the lines on which nothing is listened for. */
  async closeUnused(): Promise<void> {
    await this.#close(
      [...this.#lines.values()].filter(({ targets }) => targets === 0),
      true,
    );
  }

  async close(): Promise<void> {
    await this.#close([...this.#lines.values()], false);
  }

  async #close(lines: readonly Held<T>[], forget: boolean): Promise<void> {
    for (const { key } of lines) this.#lines.delete(key);
    await Promise.all(lines.map(({ connection }) => connection.close(forget)));
  }
}

/** What tells this installation from others at a broker, the same after a restart. */
export async function identityOf(dataDir: string): Promise<string> {
  const file = join(dataDir, 'mqtt-identity');
  const known = await readFile(file, 'utf8').catch(() => '');
  if (known !== '') return known;
  const made = randomUUID();
  await mkdir(dataDir, { recursive: true });
  await writeFile(file, made);
  return made;
}
