import { z } from 'zod';

import * as action from '../../src/agentic/propose/action.ts';
import { Uuid } from '../../src/kernel/input/id.ts';
import { Step, stepOf } from '../command/step.ts';
import { Visible, Unit } from '../shape/text.ts';
import { defineResource } from './define.ts';
import { listOf, visibleList } from './list.ts';
import { readBy } from './read-by.ts';

const MAX_SHOWN = 10;

/** Read-only: only a human with an interactive login decides an action. */
export const actionResources = [
  defineResource({
    uri: 'svc://action/pending',
    name: 'pending-actions',
    title: 'Waiting proposals',
    domain: 'Command',
    description: 'Proposed writes that wait for a human, oldest first; nothing of them is written.',
    permission: 'svc-center-agentic:action:get',
    params: z.strictObject({}),
    follows: () => ['action'],
    output: listOf(
      z.object({
        actionId: z.string(),
        deviceId: z.string(),
        deviceName: Visible(),
        pointId: z.string(),
        pointName: Visible(),
        proposedValue: Visible(64),
        unit: Unit,
        proposerName: Visible(),
        expiresAt: z.string(),
        writes: z.array(Step).optional(),
      }),
    ),
    async read(app, caller) {
      const open = await action.pending(app, caller, {});
      const shown = open.slice(0, MAX_SHOWN).map((view) => ({
        ...view,
        ...(view.steps.length > 0 && { writes: view.steps.map(stepOf) }),
      }));
      return visibleList(open.length, shown);
    },
  }),
  readBy('lookupActionById', {
    uri: 'svc://action/{actionId}',
    name: 'action',
    title: 'Proposal',
    description:
      'A proposed write: whether a human confirmed or rejected it and, once confirmed, the receipt of its command.',
    params: z.strictObject({ actionId: Uuid.describe('From writePointValue') }),
    follows: ({ actionId }) => [`action:${String(actionId).toLowerCase()}`],
  }),
];
