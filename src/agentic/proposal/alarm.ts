import { canonicalJson } from '../../kernel/canonical-json.ts';
import { counted } from '../../kernel/sentence/counted.ts';
import type { Card } from '../action/card/card.ts';
import type { AlarmCard } from '../action/kind/alarm-card.ts';
import { askOf, makeAlarm } from './alarm-maker.ts';
import type { Kind } from './kind.ts';
import { changesOfMaintenance } from './maintenance-maker.ts';

type RuleCard = Extract<AlarmCard, { content: unknown }>;

const MAX_TITLE = 512;

/** The title is the platform's, with the names of the plant. */
function titleOf(alarm: AlarmCard): string {
  if (alarm.does === 'ADD_RULE')
    return `New rule ${alarm.ruleName}: ${alarm.watches} ${alarm.condition}`;
  if (alarm.does === 'CHANGE_RULE')
    return `Rule ${alarm.ruleName}: ${alarm.conditionBefore} → ${alarm.condition}`;
  if (alarm.does === 'SILENCE') return `Silence for ${alarm.hours} h: ${alarm.place}`;
  if (alarm.does === 'MAINTENANCE')
    return `Maintenance ${alarm.maintenanceName}: ${alarm.places.join('; ') || 'the whole plant'}`;
  return `Confirm ${counted(alarm.alarms.length, 'alarm')}: ${alarm.alarms.map(({ place }) => place).join('; ')}`;
}

/** What is asked for, without what was seen of it then. */
function sameOf({ alarm }: Card): string {
  if (alarm === null) return '';
  const { does } = alarm;
  if (does === 'SILENCE') return JSON.stringify([does, alarm.alarmId, alarm.hours]);
  if (does === 'CONFIRM')
    return JSON.stringify([does, alarm.alarms.map(({ alarmId }) => alarmId).toSorted()]);
  if (does === 'MAINTENANCE') {
    const { maintenanceName, scope, entityIds, mode, begin, end } = alarm;
    return JSON.stringify([does, maintenanceName, scope, entityIds.toSorted(), mode, begin, end]);
  }
  const of =
    does === 'ADD_RULE'
      ? [alarm.ruleName, alarm.pointId, alarm.deviceId]
      : [alarm.ruleId, alarm.basis];
  return canonicalJson([does, ...of, alarm.content]);
}

/** What a person was shown and relied on, and what there is now. */
function changesOf({ alarm: old }: Card, { alarm: fresh }: Card): string[] {
  if (!old || !fresh || old.does !== fresh.does) return ['it is another proposal'];
  if (old.does === 'MAINTENANCE' && fresh.does === 'MAINTENANCE')
    return changesOfMaintenance(old, fresh);
  if (old.does === 'SILENCE' && fresh.does === 'SILENCE')
    return fresh.already === null || canonicalJson(old.already) === canonicalJson(fresh.already)
      ? []
      : ['the silence that is there already'];
  if (!('content' in old && 'content' in fresh)) return [];
  return [
    ...(wordsOf(old) === wordsOf(fresh)
      ? []
      : ['the names of the rule, of its policy or of what it watches']),
    ...(canonicalJson(old.content) === canonicalJson(fresh.content)
      ? []
      : ['what the rule would be, such as the points that its condition names']),
  ];
}

const wordsOf = ({ watches, notifyName, condition, terms }: RuleCard): string =>
  canonicalJson([watches, notifyName, condition, terms]);

const alarmKind = (given: Pick<Kind, 'noun' | 'tool' | 'reads' | 'confirms'>): Kind => ({
  ...given,
  proposes: 'svc-center-agentic:alarm:propose',
  title: ({ alarm }) => (alarm ? titleOf(alarm).slice(0, MAX_TITLE).toWellFormed() : ''),
  isEqual: (one, other) => sameOf(one) === sameOf(other),
  needsDigest: () => true,
  isApprovable: false,
  isImmediate: true,
  locks: ({ tenantId }) => [`alarm:${tenantId}:confirm`],
  remake(making, { alarm }) {
    if (!alarm) throw new Error('a card about alarms has none');
    return makeAlarm(making, askOf(alarm));
  },
  changes: changesOf,
  changesOfEffect: changesOf,
  movement: () => '',
  send: null,
});

export const alarmKinds = {
  rule: alarmKind({
    noun: 'rule',
    tool: 'proposeRule',
    reads: null,
    confirms: 'svc-center-data:rule:add',
  }),
  rule_change: alarmKind({
    noun: 'change of the rule',
    tool: 'proposeRuleChange',
    reads: 'svc-center-data:rule:get',
    confirms: 'svc-center-data:rule:update',
  }),
  silence: alarmKind({
    noun: 'silence',
    tool: 'proposeSilence',
    reads: 'svc-center-data:dashboard:list',
    confirms: 'svc-center-data:alarm:confirm',
  }),
  confirmation: alarmKind({
    noun: 'confirmation',
    tool: 'proposeConfirmation',
    reads: 'svc-center-data:dashboard:list',
    confirms: 'svc-center-data:alarm:confirm',
  }),
  maintenance: alarmKind({
    noun: 'maintenance',
    tool: 'proposeMaintenance',
    reads: null,
    confirms: 'svc-center-data:maintenance:add',
  }),
};
