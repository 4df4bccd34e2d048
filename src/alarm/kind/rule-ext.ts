import { z } from 'zod';

import { Id } from '../../kernel/input/id.ts';
import { Text } from '../../kernel/input/text.ts';
import { Aggregate } from './aggregate.ts';
import { comparison, Condition } from './condition.ts';
import { Duration } from './duration.ts';
import { extOf } from './ext.ts';
import { ScheduleWindow } from './week-window.ts';
import { Window } from './window.ts';

const MAX_INSTRUCTION = 1_000;

const Recovery = z.object({
  enabled: z.boolean().default(true),
  operator: comparison.optional(),
  threshold: z.number().optional(),
  duration: Duration.optional(),
});

export const Severity = z.enum(['P0', 'P1', 'P2', 'P3']);

export const Content = z
  .object({
    condition: Condition,
    window: Window.default({ mode: 'LAST' }),
    /** Without an operator: recovery when the condition no longer matches; EVENT rules then never recover. */
    recovery: Recovery.default({ enabled: true }),
    points: z
      .record(Text(128), Id)
      .describe(
        'The points that the condition names, by that name; filled in when the rule is saved',
      )
      .optional(),
    maxAge: Duration.describe(
      'How old values of several points may be when they are compared; without it, as old as its driver says that they are not stale',
    ).optional(),
    devices: z
      .strictObject({
        ids: z.array(Id).min(1).max(100).optional(),
        groupIds: z.array(Id).min(1).max(20).optional(),
      })
      .refine(({ ids, groupIds }) => ids || groupIds, 'write ids, groupIds or both')
      .describe(
        'Only these devices, and those of these groups; without it, every one that has what the rule watches',
      )
      .optional(),
    aggregate: Aggregate.describe(
      'All chosen devices are judged at once, by the last good value of the point at each: one state and one alarm for all',
    ).optional(),
    peers: z
      .object({ groupId: Id, minDevices: z.number().int().min(3).max(1_000).default(3) })
      .describe(
        'The group whose median the fields deviation and deviationPercent are from; with fewer present values nothing is decided',
      )
      .optional(),
    schedule: z
      .array(ScheduleWindow)
      .min(1)
      .max(32)
      .describe('When the rule is active; what comes outside of these hours does not match')
      .optional(),
    severity: Severity.default('P2'),
    levels: z
      .array(z.object({ severity: Severity, threshold: z.number() }))
      .min(1)
      .max(3)
      .describe(
        'More urgent levels of the same alarm, each at a threshold farther beyond that of the condition',
      )
      .optional(),
    instruction: Text(MAX_INSTRUCTION)
      .describe(
        'What to do when it fires: plain text, shown with its alarms and in messages of them',
      )
      .optional(),
    eventType: Text(64).optional(),
    labels: z.array(Text(64)).max(32).optional(),
  })
  .refine(
    ({ recovery }) => (recovery.operator === undefined) === (recovery.threshold === undefined),
    'recovery needs operator and threshold, or neither',
  )
  .refine(
    ({ condition, window }) => condition.operator !== 'nodata' || window.duration !== undefined,
    'nodata needs window.duration',
  );
export type RuleContent = z.infer<typeof Content>;

/** `ruleExt` (docs/specification/alarms.md, Definition of a rule). */
export const RuleExt = extOf(Content).meta({
  examples: [
    {
      content: {
        condition: { field: 'calValue', operator: '>', threshold: 80, unit: '°C' },
        window: { mode: 'LAST', duration: 'PT5M' },
        severity: 'P1',
        instruction: 'Close valve 3, then call the plumber.',
      },
    },
    {
      content: {
        condition: { field: 'value', operator: '>', threshold: 5 },
        window: { mode: 'RATE', duration: 'PT30M', per: 'PT1H', minSamples: 5 },
      },
    },
    {
      content: {
        condition: {
          all: [
            { operator: '>', threshold: 90 },
            { point: 'pump-1', operator: '==', expected: 'true' },
          ],
        },
      },
    },
    {
      content: {
        condition: { formula: 'value - "return-temperature"', operator: '<', threshold: 5 },
      },
    },
    {
      content: {
        condition: { field: 'value', operator: '>', threshold: 8, unit: 'bar' },
        devices: { ids: ['17'], groupIds: ['7'] },
      },
    },
    {
      content: {
        condition: { field: 'value', operator: '==', expected: 'true' },
        devices: { groupIds: ['7'] },
        aggregate: { function: 'ANY', atLeast: 2 },
      },
    },
    {
      content: {
        condition: { field: 'deviation', operator: 'outside', low: -5, high: 5 },
        peers: { groupId: '7', minDevices: 5 },
      },
    },
    {
      content: {
        condition: { field: 'value', operator: '>', threshold: 80 },
        severity: 'P2',
        levels: [{ severity: 'P0', threshold: 95 }],
        schedule: [{ start: '22:00', end: '06:00', daysOfWeek: [6, 7] }],
      },
    },
  ],
});
