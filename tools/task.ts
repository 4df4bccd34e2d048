import type { TaskKind } from '../src/app.ts';
export const tasks: readonly TaskKind[] = [];
