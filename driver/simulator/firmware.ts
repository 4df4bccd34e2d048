import { createHash } from 'node:crypto';

import type { Clock } from '../../src/core/clock.ts';

/** State and Update Result of object 5. */
const State = { IDLE: 0, DOWNLOADING: 1, DOWNLOADED: 2, UPDATING: 3 } as const;
const Result = { NONE: 0, SUCCESS: 1, STORAGE: 2, INTEGRITY: 5, FAILED: 8 } as const;

/** The state in which the power fails, once. */
export type Cut = 'downloading' | 'downloaded' | 'updating';

export type FirmwareFault = 'bad' | 'refuse' | 'fail' | 'lie';

/** What a device keeps over a loss of power. */
export type Flash = {
  version: string;
  state: number;
  result: number;
  /** Of the package that was installed, or is there to be. */
  sha256: string;
  next: string;
};

export type FirmwareOptions = {
  flash: Flash;
  /**
   * `bad`: packages do not pass the check; `refuse`: there is no room for any; `fail`: the installation fails; `lie`: it
   * says that it installed one, and did not.
   */
  fault?: FirmwareFault | undefined;
  cut?: Cut | undefined;
  /** A package in memory is lost with the power; otherwise it is kept. */
  isVolatile?: boolean;
  installMs?: number;
};

/** An image of a simulated device: a line with its version, then its bytes. */
export const imageOf = (version: string, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${version}\n`), bytes]);

export const newFlash = (version: string): Flash => ({
  version,
  state: State.IDLE,
  result: Result.NONE,
  sha256: '',
  next: '',
});

const MAX_VERSION = 64;
const INSTALL_MS = 1_000;
/** The block at which a download breaks off. */
const CUT_BLOCK = 3;

export type Firmware = {
  readonly flash: Flash;
  /** A block of a package on its way; false where the power fails. */
  block(number: number): boolean;
  /** A whole package: the answer. */
  written(image: Buffer): string;
  install(): string;
  close(): void;
};

/** Object 5 of a simulated device; `off` cuts its power, `restart` follows an installation. */
export function createFirmware(
  clock: Clock,
  { flash, fault, cut, isVolatile = false, installMs = INSTALL_MS }: FirmwareOptions,
  { off, restart }: { off(): void; restart(): void },
): Firmware {
  let left: Cut | undefined = cut;
  let cancel: () => void = () => {};
  // What a loss of power left.
  if (flash.state === State.DOWNLOADING || (isVolatile && flash.state === State.DOWNLOADED))
    flash.state = State.IDLE;
  if (flash.state === State.UPDATING) settle(fault === 'fail' ? Result.FAILED : Result.SUCCESS);

  function cutAt(state: Cut): boolean {
    if (left !== state) return false;
    left = undefined;
    off();
    return true;
  }

  /** The boot loader goes on with an installation, or takes it back. */
  function settle(result: number): void {
    if (result === Result.SUCCESS && fault !== 'lie') flash.version = flash.next;
    flash.state = State.IDLE;
    flash.result = result;
  }

  return {
    flash,
    block(number) {
      if (number === 0) Object.assign(flash, { state: State.DOWNLOADING, result: Result.NONE });
      return number !== CUT_BLOCK || !cutAt('downloading');
    },
    written(image) {
      // A single NUL takes back what is there.
      if (image.length <= 1) {
        Object.assign(flash, { state: State.IDLE, result: Result.NONE, next: '' });
        return '2.04';
      }
      if (fault === 'refuse') {
        Object.assign(flash, { state: State.IDLE, result: Result.STORAGE });
        return '4.13';
      }
      const version = image.subarray(0, MAX_VERSION).toString('latin1').split('\n')[0] ?? '';
      const isGood = fault !== 'bad' && image.includes('\n') && version !== '';
      flash.sha256 = createHash('sha256').update(image).digest('hex');
      flash.next = version;
      flash.state = isGood ? State.DOWNLOADED : State.IDLE;
      flash.result = isGood ? Result.NONE : Result.INTEGRITY;
      if (isGood) cutAt('downloaded');
      return '2.04';
    },
    install() {
      if (flash.state !== State.DOWNLOADED) return '4.05';
      flash.state = State.UPDATING;
      if (cutAt('updating')) return '2.04';
      cancel = clock.after(installMs, () => {
        settle(fault === 'fail' ? Result.FAILED : Result.SUCCESS);
        restart();
      });
      return '2.04';
    },
    close: () => cancel(),
  };
}
