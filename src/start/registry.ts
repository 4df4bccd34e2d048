import { tools } from '../../tools/index.ts';
import { prompts } from '../../tools/prompt/index.ts';
import { resources } from '../../tools/resource/index.ts';
import { tasks } from '../../tools/task.ts';
import type { App } from '../kernel/app/app.ts';

/** All that agents are offered. */
export const registry: Pick<App, 'tools' | 'resources' | 'prompts' | 'tasks'> = {
  tools,
  resources,
  prompts,
  tasks,
};
