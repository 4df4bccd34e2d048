import { setFlagsFromString } from 'node:v8';

/** Flags of V8 for a process of the platform, set before it does anything else. */
export function setV8Flags(): void {
  keepYoungGenerationSmall();
  optimizeEngineLater();
}

/**
 * The burst of a start would grow the young generation of each thread to 32 MB, which V8 then keeps. Its size
 * limits are read before any of our code, this factor at every growth.
 */
function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * V8 optimizes a function of the embedded engine once it has run for a while. With its budget (13 MB) a start spends
 * more on that, on the cores it needs itself, than on the engine, and the code stays in memory. With this one
 * the functions that every statement takes are optimized within the first thousand statements.
 */
function optimizeEngineLater(): void {
  setFlagsFromString('--wasm-tiering-budget=100000000');
}
