import { AsyncLocalStorage } from 'node:async_hooks';

const calling = new AsyncLocalStorage<string>();

/** Sets the network address (`sourceOf`) that `work` is done for: audit rows name it. */
export const calledFrom = <T>(source: string, work: () => T): T => calling.run(source, work);

/** The source that `calledFrom` set; undefined outside. */
export const sourceNow = (): string | undefined => calling.getStore();
