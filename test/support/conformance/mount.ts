import type { App } from '../../../src/kernel/app/app.ts';
import { askingTools } from './asking-tools.ts';
import { contentTools } from './content-tools.ts';
import { fixturePrompts } from './prompts.ts';
import { fixtureResources } from './resources.ts';
import { fixtureTasks, taskTools } from './task-tools.ts';

/** Adds what the official suite calls to the registry of a platform: all else stays as it is shipped. */
export function mountFixtures(app: App): void {
  app.tools = [...app.tools, ...contentTools, ...askingTools, ...taskTools];
  app.prompts = [...app.prompts, ...fixturePrompts];
  app.resources = [...app.resources, ...fixtureResources];
  app.tasks = [...app.tasks, fixtureTasks];
}
