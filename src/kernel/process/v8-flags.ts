import { setFlagsFromString } from 'node:v8';

/** Flags of V8 for a process of the platform, set before it does anything else. */
export function setV8Flags(): void {
  keepYoungGenerationSmall();
  optimizeEngineLater();
}

/**
 * The burst of a start would grow the young generation of each thread to its limit. Its limits are read before any
 * of our code, this factor at every growth.
 */
function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * For a process that answers callers, once it does: what a turn of a chat needs until its answer would outlive a
 * young generation of 1 MB, and the old one fill with it. V8 gives it back when the process rests.
 */
export function letYoungGenerationGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}

/**
 * For a process that answers callers, once it does: a collection of the old generation when it holds 1.6 times what the
 * last one left. V8 waits for two to three times as much, which after a burst of 1,000 chats is 70 kB of garbage
 * for each of them, and pages that stay until the process rests.
 */
export function collectOldGenerationSooner(): void {
  setFlagsFromString('--heap-growing-percent=60');
}

/**
 * V8 optimizes a function of the embedded engine once it has run for a while. With its budget (13 MB) a start spends
 * more on that, on the cores it needs itself, than on the engine, and the code stays in memory. With this one
 * the functions that every statement takes are optimized within the first thousand statements.
 */
function optimizeEngineLater(): void {
  setFlagsFromString('--wasm-tiering-budget=100000000');
}
