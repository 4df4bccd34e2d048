import type { Prompt } from '../../src/app.ts';
export const prompts: readonly Prompt[] = [];
