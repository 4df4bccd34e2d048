import { z } from 'zod';

import { propose } from '../../src/agentic/propose/action.ts';
import * as pointValue from '../../src/data/value/point-value.ts';
import * as pointCommand from '../../src/data/write/point-command.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import { withNames } from '../../src/manager/find/resolve.ts';
import { Proposal, forDecision, proposalAnswer, proposalReply } from '../command/proposal.ts';
import { defineTool, PROPOSES, READS, READS_DEVICE } from '../shape/define.ts';
import { reporting } from '../shape/progress.ts';
import { pairRefs } from '../shape/ref.ts';
import { Reported, Visible, Unit } from '../shape/text.ts';
import { proposalView } from '../shape/view.ts';
import { historyTool } from './history.ts';
import { NormalRange, normalRange } from './normal.ts';
import { proposeWritesTool, toWrite } from './propose-writes.ts';
import { searchTool } from './search.ts';

const READ_WAIT_MS = 10_000;
const MAX_VALUE = 256;

const named = {
  deviceId: z.string(),
  deviceName: Visible(),
  pointId: z.string(),
  pointName: Visible(),
  unit: Unit,
};

const Write = z.strictObject({ ...toWrite, ...forDecision });

export const pointValueTools = [
  defineTool({
    name: 'getLatestPointValue',
    title: 'Latest value',
    domain: 'Point value',
    listed: 'direct',
    description:
      'Returns the newest stored value of a point of a device, with quality and age. Does not ask the device: see readPointValue.',
    permission: 'svc-center-data:point_value:list',
    scope: 'svc:read',
    input: z.strictObject(pairRefs),
    output: z.object({
      ...named,
      value: Reported(MAX_VALUE).nullable().describe('null: none stored yet'),
      quality: z.string().nullable(),
      createTime: z.string().nullable(),
      ageS: z.number().nullable(),
      stale: z.boolean().nullable().describe('A newer one is overdue'),
      normal: NormalRange.optional(),
    }),
    annotations: READS,
    async run(app, caller, input) {
      const { pair, found } = await withNames(app, caller, async (find) => {
        const one = await find.pair(input);
        return { pair: one, found: await pointValue.latestValue(app, caller, one) };
      });
      const { latest, ...names } = found;
      if (!latest) {
        const none = { value: null, quality: null, createTime: null, ageS: null, stale: null };
        return { ...names, ...none };
      }
      const { calValue: value, quality, createTime, ageS, stale } = latest;
      const normal = await normalRange(app, caller, pair);
      return { ...names, value, quality, createTime, ageS, stale, ...normal };
    },
  }),
  historyTool,
  defineTool({
    name: 'readPointValue',
    title: 'Read from the device',
    domain: 'Point value',
    listed: 'direct',
    description:
      'Asks the device for the present value of a point and waits up to 10 s. Only status SUCCESS means the device answered. Use sparingly.',
    permission: 'svc-center-data:point_command:read',
    scope: 'svc:read-device',
    input: z.strictObject(pairRefs),
    output: z.object({
      ...named,
      commandId: z.string(),
      status: z.string(),
      value: Reported(MAX_VALUE).nullable(),
      errorCode: Visible(),
      errorMessage: Visible(200),
    }),
    annotations: READS_DEVICE,
    async run(app, caller, input, waiting) {
      const about = 'Waiting for the answer of the device';
      const receipt = await withNames(app, caller, async (find) => {
        const pair = await find.pair(input);
        return reporting(app, waiting, { atMostMs: READ_WAIT_MS, about }, () =>
          pointCommand.readAndWait(app, caller, pair, READ_WAIT_MS),
        );
      });
      return { ...receipt, value: receipt.responseValue };
    },
  }),
  defineTool({
    name: 'writePointValue',
    title: 'Propose a write',
    domain: 'Point value',
    listed: 'direct',
    description:
      'Only proposes to write a value to a point of a device: nothing is written until a human confirms it elsewhere, within 10 minutes. Read the outcome with lookupActionById.',
    permission: 'svc-center-data:point_command:write',
    scope: 'svc:propose',
    input: Write,
    output: Proposal,
    annotations: PROPOSES,
    view: proposalView,
    run: async (app, caller, input) => proposalAnswer(app, await proposed(app, caller, input)),
    reply: (app, caller, input, exchange) =>
      proposalReply(app, caller, () => proposed(app, caller, input), exchange),
  }),
  searchTool,
  proposeWritesTool,
];

const proposed = (
  app: App,
  caller: Caller,
  { deviceId, pointId, ...given }: z.output<typeof Write>,
) =>
  withNames(
    app,
    caller,
    async (find) => propose(app, caller, { ...(await find.pair({ deviceId, pointId })), ...given }),
    { isExact: true },
  );
