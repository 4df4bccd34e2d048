import type { ActionView } from '../src/agentic/action/view.ts';
import { withdraw } from '../src/agentic/decision/withdraw.ts';
import * as action from '../src/agentic/propose/action.ts';
import type { App, Caller, TaskKind } from '../src/kernel/app/app.ts';
import { Conflict, Gone, NotFound } from '../src/kernel/errors.ts';
import { Uuid } from '../src/kernel/input/id.ts';
import { taskOf } from './command/proposal.ts';
import { tools } from './index.ts';

/** What a tool proposed as a task: its id is the action's, and what it says is what is stored of the action. */
function proposalsOf(name: string): TaskKind {
  const tool = tools.find((one) => one.name === name);
  const lookUp = (app: App, caller: Caller, taskId: string): Promise<ActionView | null> =>
    known(taskId, async (actionId) => {
      const view = await action.byId(app, caller, { actionId });
      return view.actionType === name ? view : null;
    });
  return {
    name,
    permission: tool?.permission ?? 'svc-center-data:point_command:write',
    scope: 'svc:propose',
    ...(tool?.untrusted && { untrusted: tool.untrusted }),
    get: async (app, caller, taskId, has) => {
      const view = await lookUp(app, caller, taskId);
      return view && taskOf(app, view, { has, zone: caller.timezone });
    },
    /** No answer decides: a program can say anything about its person. */
    update: async (app, caller, taskId) => (await lookUp(app, caller, taskId)) && true,
    cancel: async (app, caller, taskId) => {
      const view = await lookUp(app, caller, taskId);
      if (view === null) return null;
      const { actionId } = view;
      await withdraw(app, caller, { actionId, reason: '' }).catch(ignoreDecided);
      return true;
    },
  };
}

export const tasks: readonly TaskKind[] = [
  'writePointValue',
  'proposeWrites',
  'proposeFirmware',
  'proposeRule',
  'proposeRuleChange',
  'proposeSilence',
  'proposeConfirmation',
  'proposeMaintenance',
  'proposeOnboarding',
].map(proposalsOf);

/** Null for what is no action of the tenant. */
async function known<T>(
  taskId: string,
  work: (actionId: string) => Promise<T | null>,
): Promise<T | null> {
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
function ignoreDecided(error: unknown): void {
  if (!(error instanceof Conflict || error instanceof Gone)) throw error;
}
