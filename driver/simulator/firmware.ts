import { createHash } from 'node:crypto';

import type { Clock } from '../../src/kernel/clock.ts';

export const PACKAGE = '/5/0/0';
const PACKAGE_URI = '/5/0/1';
const INSTALL = '/5/0/2';

/** State and Update Result of object 5. */
const State = { IDLE: 0, DOWNLOADING: 1, DOWNLOADED: 2, UPDATING: 3 } as const;
const Result = {
  NONE: 0,
  SUCCESS: 1,
  STORAGE: 2,
  LOST_CONNECTION: 4,
  INTEGRITY: 5,
  FAILED: 8,
  DEFERRED: 11,
} as const;

/** Where the power fails, once: `idle` with an address that it has not begun with, `ordered` before it begins to install. */
export type Cut = 'idle' | 'downloading' | 'downloaded' | 'ordered' | 'updating';

export type FirmwareFault = 'bad' | 'refuse' | 'fail' | 'lie';

/** What a device keeps over a loss of power. */
export type Flash = {
  version: string;
  state: number;
  result: number;
  /** Of the package that was installed, or is there to be. */
  sha256: string;
  next: string;
  /** An order to install that it has not begun with, and a result that it has not said yet. */
  isOrdered: boolean;
  unsaid: number | null;
  /** How often it got the address of a package, and the order to install one. */
  addressed: number;
  executed: number;
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
  /** How long it stays idle once it has a package or an address, downloads, and has the package once it was to install it. */
  slowMs?: { idle?: number; downloading?: number; downloaded?: number } | undefined;
  /** The result of before stays until there is a new one. */
  keepsResult?: boolean | undefined;
  /** Has no result to read. */
  hidesResult?: boolean | undefined;
  /** Says how the installation went only so long after the restart. */
  lateResultMs?: number | undefined;
  /** Puts the installation off for so long. */
  deferMs?: number | undefined;
  /** Gives no answer to the address of a package, or to the order to install one, and obeys. */
  mute?: 'address' | 'order' | undefined;
  /** Its answer to the order to install, which it obeys all the same. */
  orderCode?: string | undefined;
  /** The bytes at an address. */
  download?: ((uri: string) => Promise<Buffer>) | undefined;
};

/** An image of a simulated device: a line with its version, then its bytes. */
export const imageOf = (version: string, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${version}\n`), bytes]);

/** `result`: of an earlier update. */
export const newFlash = (version: string, result: number = Result.NONE): Flash => ({
  version,
  state: State.IDLE,
  result,
  sha256: '',
  next: '',
  isOrdered: false,
  unsaid: null,
  addressed: 0,
  executed: 0,
});

const MAX_VERSION = 64;
const INSTALL_MS = 1_000;
const DOWNLOAD_MS = 50;
/** The block at which a download breaks off. */
const CUT_BLOCK = 3;
/** No answer at all. */
export const NO_ANSWER = '';

export type Firmware = {
  readonly flash: Flash;
  /** A block of a package on its way; false where the power fails. */
  block(number: number): boolean;
  /** A whole package: the answer. */
  written(image: Buffer): string;
  /** Where it finds a package. */
  addressed(uri: string): string;
  install(): string;
  close(): void;
};

/** Object 5 of a simulated device; `off` cuts its power, `restart` follows an installation. */
// oxlint-disable-next-line max-lines-per-function
export function createFirmware(
  clock: Clock,
  options: FirmwareOptions,
  { off, restart }: { off(): void; restart(): void },
): Firmware {
  const { flash, fault, cut, isVolatile = false, installMs = INSTALL_MS, slowMs = {} } = options;
  const { keepsResult = false, lateResultMs, deferMs, mute, orderCode = '2.04' } = options;
  let left: Cut | undefined = cut;
  let isClosed = false;
  let cancel: () => void = () => {};
  const later = (ms: number, run: () => void): void => {
    cancel = clock.after(ms, () => void (isClosed || run()));
  };
  const end = (): void => settle(fault === 'fail' ? Result.FAILED : Result.SUCCESS);
  wake();

  /** What a loss of power left. */
  function wake(): void {
    if (flash.state === State.DOWNLOADING || (isVolatile && flash.state === State.DOWNLOADED))
      Object.assign(flash, { state: State.IDLE, isOrdered: false });
    if (flash.state === State.UPDATING) end();
    else if (flash.unsaid !== null) later(lateResultMs ?? 0, say);
    else if (flash.isOrdered) later(slowMs.downloaded ?? 0, begin);
  }

  function cutAt(state: Cut): boolean {
    if (left !== state) return false;
    left = undefined;
    off();
    return true;
  }

  const beginsAnew = (state: number): void => {
    Object.assign(flash, { state, ...(!keepsResult && { result: Result.NONE }) });
  };

  /** The boot loader goes on with an installation, or takes it back. */
  function settle(result: number): void {
    if (result === Result.SUCCESS && fault !== 'lie') flash.version = flash.next;
    Object.assign(flash, { state: State.IDLE, unsaid: result });
    if (lateResultMs === undefined) say();
    else later(lateResultMs, say);
  }

  function say(): void {
    Object.assign(flash, { result: flash.unsaid, unsaid: null });
  }

  /** Has all of a package: keeps it, or says what is wrong with it. */
  function take(image: Buffer): void {
    const version = image.subarray(0, MAX_VERSION).toString('latin1').split('\n')[0] ?? '';
    const isGood = fault !== 'bad' && image.includes('\n') && version !== '';
    flash.sha256 = createHash('sha256').update(image).digest('hex');
    flash.next = version;
    flash.state = isGood ? State.DOWNLOADED : State.IDLE;
    if (!isGood) flash.result = Result.INTEGRITY;
    else if (!keepsResult) flash.result = Result.NONE;
    if (isGood) cutAt('downloaded');
  }

  function fetchFrom(uri: string): void {
    if (cutAt('idle')) return;
    beginsAnew(State.DOWNLOADING);
    later(slowMs.downloading ?? DOWNLOAD_MS, () => {
      if (cutAt('downloading')) return;
      const loading = options.download?.(uri) ?? Promise.reject(new Error('no network'));
      loading.then(
        (image) => void (isClosed || take(image)),
        () => void Object.assign(flash, { state: State.IDLE, result: Result.LOST_CONNECTION }),
      );
    });
  }

  function begin(): void {
    if (cutAt('ordered')) return;
    beginsAnew(State.UPDATING);
    flash.isOrdered = false;
    if (cutAt('updating')) return;
    later(installMs, () => {
      end();
      restart();
    });
  }

  return {
    flash,
    block(number) {
      if (number === 0 && slowMs.idle === undefined) beginsAnew(State.DOWNLOADING);
      return number !== CUT_BLOCK || !cutAt('downloading');
    },
    written(image) {
      // A single NUL takes back what is there.
      if (image.length <= 1) {
        beginsAnew(State.IDLE);
        Object.assign(flash, { next: '', isOrdered: false });
        return '2.04';
      }
      if (fault === 'refuse') {
        Object.assign(flash, { state: State.IDLE, result: Result.STORAGE });
        return '4.13';
      }
      if (slowMs.idle === undefined && slowMs.downloading === undefined) take(image);
      else
        later(slowMs.idle ?? 0, () => {
          beginsAnew(State.DOWNLOADING);
          later(slowMs.downloading ?? 0, () => take(image));
        });
      return '2.04';
    },
    addressed(uri) {
      flash.addressed += 1;
      later(slowMs.idle ?? 0, () => fetchFrom(uri));
      return mute === 'address' ? NO_ANSWER : '2.04';
    },
    install() {
      flash.executed += 1;
      if (flash.state !== State.DOWNLOADED) return '4.05';
      flash.isOrdered = true;
      if (deferMs !== undefined) flash.result = Result.DEFERRED;
      const waitMs = deferMs ?? slowMs.downloaded;
      if (waitMs !== undefined || left === 'ordered') later(waitMs ?? 0, begin);
      else begin();
      return mute === 'order' ? NO_ANSWER : orderCode;
    },
    close() {
      isClosed = true;
      cancel();
    },
  };
}

/** What object 5 answers to the call of one of its resources; undefined for any other. */
export function updatedBy(firmware: Firmware, call: string, payload: Buffer): string | undefined {
  if (call === `PUT ${PACKAGE}`) return firmware.written(payload);
  if (call === `PUT ${PACKAGE_URI}`) return firmware.addressed(payload.toString());
  return call === `POST ${INSTALL}` ? firmware.install() : undefined;
}
