import { z } from 'zod';

import { conditionWords, ruleReport } from '../../src/alarm/explain/rule-report.ts';
import { AlarmTarget } from '../../src/alarm/kind/alarm.ts';
import { RuleExt } from '../../src/alarm/kind/rule-ext.ts';
import { watchedBy } from '../../src/alarm/rule/preview/asked.ts';
import { LIMIT_WORDS } from '../../src/alarm/rule/preview/preview-answer.ts';
import { preview } from '../../src/alarm/rule/preview/preview.ts';
import * as rules from '../../src/alarm/rule/rule.ts';
import { allows } from '../../src/auth/permission/permission.ts';
import { BadRequest } from '../../src/kernel/errors.ts';
import { Id } from '../../src/kernel/input/id.ts';
import { Text } from '../../src/kernel/input/text.ts';
import { inZone } from '../../src/kernel/sentence/time-zone.ts';
import { withNames } from '../../src/manager/find/resolve.ts';
import { defineTool, READS } from '../shape/define.ts';
import { pageOf, paging, visiblePage } from '../shape/page.ts';
import { Ref } from '../shape/ref.ts';
import { Phrase, Unit, Visible } from '../shape/text.ts';
import { contentOf, type Draft, draft, offlineContent } from './rule-draft.ts';

const VALUES = 'svc-center-data:point_value:list';
const DAY_MS = 86_400_000;
const MAX_EPISODES = 8;

const row = {
  ruleId: z.string(),
  rule: Visible(),
  target: z.string(),
  entityId: z.string().optional(),
  condition: Phrase(160),
  level: z.string(),
  enabled: z.boolean(),
};
const Row = z.object(row);

const rowOf = ({ id, ruleName, alarmTargetTypeFlag: target, entityId, ...rest }: rules.Rule) => {
  const { content } = RuleExt.parse(rest.ruleExt);
  return {
    ruleId: id,
    rule: ruleName,
    target,
    entityId: entityId === '0' ? undefined : entityId,
    condition: conditionWords(content, ''),
    level: content.severity,
    enabled: rest.enableFlag === 'ENABLE',
  };
};

const wordsOf = (codes: readonly (keyof typeof LIMIT_WORDS)[]): string[] | undefined =>
  codes.length > 0 ? codes.map((code) => LIMIT_WORDS[code]) : undefined;

const Tried = z.object({
  from: z.string(),
  to: z.string(),
  count: z.int(),
  /** Newest first, at most eight. */
  episodes: z.array(
    z.object({
      device: Visible().optional(),
      /** Of a rule on every point, or on drivers. */
      place: Visible().optional(),
      fired: z.string(),
      over: z.string().optional(),
      extreme: z.number().optional(),
    }),
  ),
  /** In the worst ten minutes. */
  worst: z.int(),
  /** What alone would leave fewer: a hold or recoverAt, and how many each leaves. */
  suggested: z
    .object({
      hold: z.string().optional(),
      holdLeaves: z.int().optional(),
      recoverAt: z.number().optional(),
      recoverAtLeaves: z.int().optional(),
    })
    .optional(),
  devices: z.int(),
  values: z.int(),
  unit: Unit.optional(),
  /** What the stored rule did raise in that time. */
  raised: z.int().optional(),
  leftOut: z.array(z.string()).optional(),
  warnings: z.array(z.string()).optional(),
});

/** A point or a stored rule, at one device where that is named; without them the device, while it is offline. */
function triedAs(
  { pointId, deviceId }: { pointId: string | undefined; deviceId: string | undefined },
  stored: rules.Rule | null,
  given: Draft,
) {
  const watched = pointId === undefined ? stored && watchedBy(stored) : { pointId };
  if (watched) {
    const old = stored && RuleExt.parse(stored.ruleExt).content;
    return { ...watched, deviceId, ruleExt: { content: contentOf(given, old) } };
  }
  if (deviceId === undefined)
    throw new BadRequest('pointId, deviceId or ruleId: what is the rule tried on?');
  const ofDevice = { alarmTargetTypeFlag: AlarmTarget.DEVICE, entityId: deviceId };
  return { ...ofDevice, ruleExt: { content: offlineContent(given) } };
}

export const ruleTools = [
  defineTool({
    name: 'searchRules',
    title: 'Search alarm rules',
    domain: 'Alarm',
    description: 'Finds rules that raise alarms, by name and by point or device, newest first.',
    permission: 'svc-center-data:rule:list',
    scope: 'svc:read',
    input: z.strictObject({
      query: Text(64).optional().describe('Part of the name'),
      pointId: Ref.optional().describe('Id or name of the watched point'),
      ...paging,
    }),
    output: pageOf(Row),
    annotations: READS,
    run: (app, caller, { query, pointId: point, ...asked }) =>
      withNames(app, caller, async (find) => {
        const { pointId: entityId } = await find.ids({ pointId: point });
        const narrow = { ruleName: query, entityId };
        return visiblePage(
          asked,
          Row,
          (page) => rules.page(app, caller, { ...narrow, page }),
          rowOf,
        );
      }),
  }),
  defineTool({
    name: 'lookupRuleById',
    title: 'Explain an alarm rule',
    domain: 'Alarm',
    description:
      'Explains one rule: what it watches, its condition, why it fires or does not, how often it did, and warnings.',
    permission: 'svc-center-data:rule:get',
    scope: 'svc:read',
    input: z.strictObject({ ruleId: Id.describe('From searchRules or an alarm') }),
    output: Row.extend({
      watches: Visible().optional(),
      hold: z.string().optional(),
      recovers: z.string().optional(),
      instruction: Visible(1_000).optional(),
      changed: z.string(),
      last7d: z.int(),
      why: z.array(Phrase(240)),
      warnings: z.array(z.string()).optional(),
    }),
    annotations: READS,
    async run(app, caller, { ruleId }) {
      const found = await ruleReport(app, caller, { ruleId, withValues: allows(caller, VALUES) });
      const { content, entityId, watches, week, why } = found;
      const { enabled, operator, threshold } = content.recovery;
      return {
        ruleId,
        rule: found.ruleName,
        target: found.target,
        entityId: entityId === '0' ? undefined : entityId,
        condition: found.condition,
        level: content.severity,
        enabled: found.isEnabled,
        watches: watches || undefined,
        hold: content.window.hold ?? content.window.duration,
        recovers: enabled ? operator && `${operator} ${threshold}` : 'only when it is confirmed',
        instruction: content.instruction,
        changed: inZone(found.changedAt, caller.timezone),
        last7d: week,
        why,
        warnings: wordsOf(found.warnings),
      };
    },
  }),
  defineTool({
    name: 'previewRule',
    title: 'Try an alarm rule',
    domain: 'Alarm',
    description:
      'Tries a new rule on a point or an offline device, or a stored rule with changes, on what is stored of the last days: how often it would have fired. Nothing is stored.',
    permission: 'svc-center-data:rule:list',
    scope: 'svc:read',
    input: z.strictObject({
      ruleId: Id.optional().describe('A stored rule; the other fields change it'),
      pointId: Ref.optional().describe('Of a new rule: id or name'),
      deviceId: Ref.optional().describe('Only this device; without pointId: offline'),
      days: z.number().min(0.05).max(31).default(7).describe('How far back'),
      ...draft,
    }),
    output: Tried,
    annotations: READS,
    run: (app, caller, { ruleId, pointId: point, deviceId: device, days, ...given }) =>
      withNames(app, caller, async (find) => {
        const { pointId: named, deviceId } = await find.ids({ pointId: point, deviceId: device });
        const stored = ruleId === undefined ? null : await rules.byId(app, caller, { id: ruleId });
        const from = app.clock.now() - days * DAY_MS;
        const tried = await preview(app, caller, {
          ...triedAs({ pointId: named, deviceId }, stored, given),
          ruleId,
          from,
        });
        const { hold, recovery } = tried.suggested;
        const at = (time: string): string => inZone(time, caller.timezone);
        return {
          from: at(tried.from),
          to: at(tried.to),
          count: tried.count,
          episodes: tried.episodes.slice(0, MAX_EPISODES).map((one) => ({
            device: one.deviceName || undefined,
            place:
              tried.pointName || one.entityName === one.deviceName
                ? undefined
                : one.entityName || undefined,
            fired: at(one.fired),
            over: one.to === null ? undefined : at(one.to),
            extreme: one.extreme ?? undefined,
          })),
          worst: tried.worst.count,
          suggested:
            hold || recovery
              ? {
                  hold: hold?.duration,
                  holdLeaves: hold?.count,
                  recoverAt: recovery?.threshold,
                  recoverAtLeaves: recovery?.count,
                }
              : undefined,
          devices: tried.devices,
          values: tried.values,
          unit: tried.unit || undefined,
          raised: tried.stored?.count,
          leftOut: tried.cut.length > 0 ? tried.cut : undefined,
          warnings: wordsOf([...tried.warnings, ...tried.unknown]),
        };
      }),
  }),
];
