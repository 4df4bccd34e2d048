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

/** Object 5 of a simulated device, over its losses of power as far as the flash has them. */
export class Firmware {
  readonly #clock: Clock;
  readonly #options: FirmwareOptions;
  readonly #flash: Flash;
  /** `off` cuts the power of the device, `restart` follows an installation. */
  readonly #power: { off(): void; restart(): void };
  #cut: Cut | undefined;
  #isClosed = false;
  #cancel: () => void = () => {};

  constructor(clock: Clock, options: FirmwareOptions, power: { off(): void; restart(): void }) {
    this.#clock = clock;
    this.#options = options;
    this.#flash = options.flash;
    this.#power = power;
    this.#cut = options.cut;
    this.#wake();
  }

  /** What it answers to the call of one of its resources; undefined for any other. */
  answer(call: string, payload: Buffer): string | undefined {
    if (call === `PUT ${PACKAGE}`) return this.#written(payload);
    if (call === `PUT ${PACKAGE_URI}`) return this.#addressed(payload.toString());
    return call === `POST ${INSTALL}` ? this.#install() : undefined;
  }

  /** A block of a package on its way; false where the power fails. */
  block(number: number): boolean {
    if (number === 0 && this.#options.slowMs?.idle === undefined)
      this.#beginAnew(State.DOWNLOADING);
    return number !== CUT_BLOCK || !this.#cutAt('downloading');
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  #later(ms: number, run: () => void): void {
    this.#cancel = this.#clock.after(ms, () => void (this.#isClosed || run()));
  }

  /** What a loss of power left. */
  #wake(): void {
    const flash = this.#flash;
    const { isVolatile = false, lateResultMs, slowMs } = this.#options;
    if (flash.state === State.DOWNLOADING || (isVolatile && flash.state === State.DOWNLOADED))
      Object.assign(flash, { state: State.IDLE, isOrdered: false });
    if (flash.state === State.UPDATING) this.#end();
    else if (flash.unsaid !== null) this.#later(lateResultMs ?? 0, this.#say);
    else if (flash.isOrdered) this.#later(slowMs?.downloaded ?? 0, this.#begin);
  }

  #cutAt(state: Cut): boolean {
    if (this.#cut !== state) return false;
    this.#cut = undefined;
    this.#power.off();
    return true;
  }

  #beginAnew(state: number): void {
    const { keepsResult = false } = this.#options;
    Object.assign(this.#flash, { state, ...(!keepsResult && { result: Result.NONE }) });
  }

  /** A whole package: the answer. */
  #written(image: Buffer): string {
    const { fault, slowMs = {} } = this.#options;
    // A single NUL takes back what is there.
    if (image.length <= 1) {
      this.#beginAnew(State.IDLE);
      Object.assign(this.#flash, { next: '', isOrdered: false });
      return '2.04';
    }
    if (fault === 'refuse') {
      Object.assign(this.#flash, { state: State.IDLE, result: Result.STORAGE });
      return '4.13';
    }
    if (slowMs.idle === undefined && slowMs.downloading === undefined) this.#take(image);
    else
      this.#later(slowMs.idle ?? 0, () => {
        this.#beginAnew(State.DOWNLOADING);
        this.#later(slowMs.downloading ?? 0, () => this.#take(image));
      });
    return '2.04';
  }

  /** Where it finds a package. */
  #addressed(uri: string): string {
    const { slowMs, mute } = this.#options;
    this.#flash.addressed += 1;
    this.#later(slowMs?.idle ?? 0, () => this.#fetchFrom(uri));
    return mute === 'address' ? NO_ANSWER : '2.04';
  }

  #fetchFrom(uri: string): void {
    const { slowMs, download } = this.#options;
    if (this.#cutAt('idle')) return;
    this.#beginAnew(State.DOWNLOADING);
    this.#later(slowMs?.downloading ?? DOWNLOAD_MS, () => {
      if (this.#cutAt('downloading')) return;
      const loading = download?.(uri) ?? Promise.reject(new Error('no network'));
      loading.then(
        (image) => void (this.#isClosed || this.#take(image)),
        () =>
          void Object.assign(this.#flash, { state: State.IDLE, result: Result.LOST_CONNECTION }),
      );
    });
  }

  /** Has all of a package: keeps it, or says what is wrong with it. */
  #take(image: Buffer): void {
    const flash = this.#flash;
    const { fault, keepsResult = false } = this.#options;
    const version = image.subarray(0, MAX_VERSION).toString('latin1').split('\n')[0] ?? '';
    const isGood = fault !== 'bad' && image.includes('\n') && version !== '';
    flash.sha256 = createHash('sha256').update(image).digest('hex');
    flash.next = version;
    flash.state = isGood ? State.DOWNLOADED : State.IDLE;
    if (!isGood) flash.result = Result.INTEGRITY;
    else if (!keepsResult) flash.result = Result.NONE;
    if (isGood) this.#cutAt('downloaded');
  }

  #install(): string {
    const flash = this.#flash;
    const { deferMs, slowMs, mute, orderCode = '2.04' } = this.#options;
    flash.executed += 1;
    if (flash.state !== State.DOWNLOADED) return '4.05';
    flash.isOrdered = true;
    if (deferMs !== undefined) flash.result = Result.DEFERRED;
    const waitMs = deferMs ?? slowMs?.downloaded;
    if (waitMs !== undefined || this.#cut === 'ordered') this.#later(waitMs ?? 0, this.#begin);
    else this.#begin();
    return mute === 'order' ? NO_ANSWER : orderCode;
  }

  readonly #begin = (): void => {
    if (this.#cutAt('ordered')) return;
    this.#beginAnew(State.UPDATING);
    this.#flash.isOrdered = false;
    if (this.#cutAt('updating')) return;
    this.#later(this.#options.installMs ?? INSTALL_MS, () => {
      this.#end();
      this.#power.restart();
    });
  };

  /** The boot loader goes on with an installation, or takes it back. */
  #end(): void {
    const { fault, lateResultMs } = this.#options;
    const result = fault === 'fail' ? Result.FAILED : Result.SUCCESS;
    if (result === Result.SUCCESS && fault !== 'lie') this.#flash.version = this.#flash.next;
    Object.assign(this.#flash, { state: State.IDLE, unsaid: result });
    if (lateResultMs === undefined) this.#say();
    else this.#later(lateResultMs, this.#say);
  }

  readonly #say = (): void => {
    Object.assign(this.#flash, { result: this.#flash.unsaid, unsaid: null });
  };
}
