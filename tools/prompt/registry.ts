import type { App } from '../../src/kernel/app/app.ts';
import { tasks } from '../command/task.ts';
import { tools } from '../index.ts';
import { resources } from '../resource/index.ts';
import { prompts } from './index.ts';

/** All that agents are offered. */
export const registry: Pick<App, 'tools' | 'resources' | 'prompts' | 'tasks'> = {
  tools,
  resources,
  prompts,
  tasks,
};
