import * as action from '../../src/agentic/action/action.ts';
import { withdraw } from '../../src/agentic/action/withdraw.ts';
import type { TaskKind } from '../../src/app.ts';
import { Conflict, Gone, NotFound } from '../../src/core/errors.ts';
import { Uuid } from '../../src/core/input/id.ts';
import { taskOf } from './proposal.ts';

/** A proposed write as a task: its id is the action's, and what it says is what is stored of the action. */
const proposals: TaskKind = {
  name: 'writePointValue',
  permission: 'svc-center-data:point_command:write',
  scope: 'svc:propose',
  get: async (app, caller, taskId, has) => {
    const view = await known(taskId, (actionId) => action.byId(app, caller, { actionId }));
    return view && taskOf(app, view, has);
  },
  /** No answer decides: a program can say anything about its person. */
  update: async (app, caller, taskId) =>
    (await known(taskId, (actionId) => action.byId(app, caller, { actionId }))) && true,
  cancel: async (app, caller, taskId) =>
    (await known(taskId, (actionId) =>
      withdraw(app, caller, { actionId, reason: '' }).catch(ignoreDecided),
    )) && true,
};

export const tasks: readonly TaskKind[] = [proposals];

/** Null for what is no action of the tenant. */
async function known<T>(taskId: string, work: (actionId: string) => Promise<T>): Promise<T | null> {
  const { data: actionId } = Uuid.safeParse(taskId);
  if (actionId === undefined) return null;
  try {
    return await work(actionId.toLowerCase());
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}

/** What is decided or over is not taken back, which the next look says. */
function ignoreDecided(error: unknown): true {
  if (error instanceof Conflict || error instanceof Gone) return true;
  throw error;
}
