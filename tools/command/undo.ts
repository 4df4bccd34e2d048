import { z } from 'zod';

import type { ActionView } from '../../src/agentic/action/view.ts';
import { inWrite } from '../../src/agentic/proposal/write.ts';
import * as action from '../../src/agentic/propose/action.ts';
import { demand } from '../../src/auth/permission/permission.ts';
import * as pointValue from '../../src/data/value/point-value.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import { Conflict, Unprocessable } from '../../src/kernel/errors.ts';
import { Uuid } from '../../src/kernel/input/id.ts';
import { amount, byName } from '../../src/kernel/sentence/voice.ts';
import { defineTool, PROPOSES } from '../shape/define.ts';
import { proposalView } from '../shape/view.ts';
import { forDecision, Proposal, proposalReply, Proposals, writesAnswer } from './proposal.ts';

const READS = 'svc-center-agentic:action:get';

const Undone = z.strictObject({
  actionId: Uuid.describe('Of an executed proposal'),
  ...forDecision,
});

export const undoTool = defineTool({
  name: 'proposeUndo',
  title: 'Propose to undo',
  domain: 'Command',
  description:
    'Proposes to write back what points held before an executed proposal, the last write first; refused where a value has changed since. A human confirms it.',
  permission: 'svc-center-data:point_command:write',
  scope: 'svc:propose',
  input: Undone,
  // Of one write its fields, of several their list.
  output: Proposal.partial().extend(Proposals.partial().shape),
  annotations: PROPOSES,
  view: proposalView,
  run: async (app, caller, input) => writesAnswer(app, await proposed(app, caller, input)),
  reply: (app, caller, input, exchange) =>
    proposalReply(app, caller, () => proposed(app, caller, input), exchange),
});

async function proposed(
  app: App,
  caller: Caller,
  { actionId, ...given }: z.output<typeof Undone>,
): Promise<action.ActionCard> {
  demand(caller, READS);
  const view = await action.byId(app, caller, { actionId });
  const writes = writesBefore(view);
  for (const [index, { held, ...write }] of writes.entries())
    await demandUnchanged(app, caller, { ...write, held }).catch((error: unknown) => {
      throw inWrite(error, index, writes.length);
    });
  const back = writes.map(({ deviceId, pointId, value }) => ({ deviceId, pointId, value }));
  const [only] = back;
  return action.propose(
    app,
    caller,
    only && back.length === 1 ? { ...only, ...given } : { writes: back, ...given },
  );
}

type Part = Pick<
  ActionView,
  'deviceId' | 'pointId' | 'pointName' | 'deviceName' | 'unit' | 'currentValue' | 'command'
>;
/** `held`: what the point had after the write. */
type Back = Omit<Part, 'command' | 'currentValue'> & { value: string; held: string | null };

/** What to write so that the points hold what they held before, the last write first. */
function writesBefore(view: ActionView): Back[] {
  if (view.kind !== 'write' && view.kind !== 'plan')
    throw new Unprocessable('Only writes of values can be undone');
  if (view.status !== 'EXECUTED')
    throw new Unprocessable(`Only what was executed can be undone; this is ${view.status}`);
  const parts: readonly Part[] = view.steps.length === 0 ? [view] : view.steps;
  return parts.toReversed().map(({ command, ...part }) => {
    const { deviceId, pointId, pointName, deviceName, unit, currentValue } = part;
    // Of the card, which a confirmation renews where the value has moved.
    const before = command?.beforeValue ?? currentValue;
    if (command === null || before === null)
      throw new Unprocessable(`What ${byName.subject(part)} held before is not known`);
    const held = command.readBackValue ?? command.requestValue;
    return { deviceId, pointId, pointName, deviceName, unit, value: before, held };
  });
}

async function demandUnchanged(app: App, caller: Caller, back: Back): Promise<void> {
  const { deviceId, pointId } = back;
  const { latest } = await pointValue.latestValue(app, caller, { deviceId, pointId });
  if (latest === null || back.held === null || isEqual(latest.calValue, back.held)) return;
  const now = amount(latest.calValue, back.unit, byName);
  const then = amount(back.held, back.unit, byName);
  throw new Conflict(
    `${byName.subject(back)} holds ${now} now, not the ${then} that was written: it has changed since. Propose the value that it should have`,
  );
}

const isEqual = (one: string, other: string): boolean =>
  one === other || (one.trim() !== '' && Number(one) === Number(other));
