import { breaks, type Mutation } from './mutation.ts';

/** Notifications and the way out, broken one statement of the specification at a time. */
export const notifications: readonly Mutation[] = [
  // Whom a policy tells
  breaks(
    'src/alarm/ledger/terms.ts',
    "    .where('channel.enableFlag', '=', EnableFlag.ENABLE)\n",
    '',
    'api/alarm-notify',
    'writes one notification for each enabled channel with the alarm',
  ),
  breaks(
    'src/alarm/ledger/duty.ts',
    "if (known === 'NOTHING') return { do: 'end', reason: 'the channel did not get the alarm', drops };",
    '',
    'api/notification',
    'tells no end of what nobody heard begin',
  ),
  breaks(
    'src/alarm/ledger/recent.ts',
    'recent[count - 1]',
    'recent[count]',
    'api/notification',
    'limits how often a state that flaps is told',
  ),
  // What it knows
  breaks(
    'src/alarm/ledger/delivered.ts',
    'await query.set({ dueTime: new Date(now + wait) }).execute();',
    '',
    'api/notification-ledger',
    'whose receiver is away for longer than five tries',
  ),
  breaks(
    'src/alarm/ledger/attend.ts',
    'if (duty.drops) await drop(q, alarm.tenantId, historyId, now);',
    '',
    'api/notification-ledger',
    'gets nothing of an alarm that is over before its receiver is back',
  ),
  breaks(
    'src/alarm/ledger/duty.ts',
    'repeat?.enabled || isConfirmed || state',
    'repeat?.enabled || state',
    'api/notification-ledger',
    'is reminded until the alarm is confirmed',
  ),
  breaks(
    'src/alarm/rule/rule.ts',
    'await wake(q, tenantId, { alarmIds }, given.now);',
    '',
    'api/notification-ledger',
    'gets the end of an alarm whose rule is',
  ),
  // What it says
  breaks(
    'src/alarm/message/alarm-link.ts',
    'isNowhere ? null',
    'isNowhere ? baseUrl',
    'unit/alarm-message',
    'of the base address',
  ),
  breaks(
    'src/alarm/message/variables.ts',
    'inZone(time, names.zone)',
    'inZone(time)',
    'api/notification-text',
    'says what is wrong, where, since when',
  ),
  breaks(
    'src/alarm/rule/rule.ts',
    "{ ...ext.content, instruction: '' }",
    'ext.content',
    'api/rule-instruction',
    'is mended while an alarm fires',
  ),
  breaks(
    'src/kernel/input/mail-address.ts',
    '!ASCII.test(host) && DOMAIN.test(host)',
    '!ASCII.test(host)',
    'unit/alarm-email',
    'is refused, and nothing is sent',
  ),
  // Its states
  breaks(
    'src/alarm/kind/delivery-status.ts',
    "FAILED: { retry: 'RETRY', succeed: 'SUCCESS' }",
    "FAILED: { succeed: 'SUCCESS' }",
    'unit/alarm-dispatch',
    'are the five of the specification',
  ),
  breaks(
    'src/alarm/kind/delivery-status.ts',
    'export const MAX_TRIES = 5;',
    'export const MAX_TRIES = 7;',
    'unit/alarm-dispatch',
    'end with what the channel said, or come back after a wait that doubles',
  ),
  breaks(
    'src/alarm/deliver/deliver.ts',
    'retryCount: tries,',
    'retryCount,',
    'api/notification-delivery',
    'is tried again with growing waits and the same id',
  ),
  breaks(
    'src/alarm/deliver/deliver.ts',
    'Math.max(Math.round(wait), asked)',
    'Math.round(wait)',
    'api/notification-delivery',
    'waits as long as the receiver asks',
  ),
  // Channels
  breaks(
    'src/alarm/channel/webhook.ts',
    '.sign(id, new Date(at), body)',
    ".sign(id, new Date(at), '')",
    'unit/alarm-webhook',
    'is signed so that the library of Standard Webhooks takes it',
  ),
  breaks(
    'src/alarm/channel/outcome.ts',
    "withoutEnd(clean.replaceAll(secret, '***'), secret)",
    'withoutEnd(clean, secret)',
    'unit/alarm-webhook',
    'shows no secret, whole or broken off',
  ),
  breaks(
    'src/alarm/channel/outcome.ts',
    'const DELIVER_MS = 14_000;',
    'const DELIVER_MS = 60_000;',
    'contract/channel',
    'gives up on a receiver that hangs, within 15 seconds',
  ),
  breaks(
    'src/alarm/channel/email.ts',
    "id.replace(/[^A-Za-z0-9-]/g, '-')",
    'String(Math.random())',
    'unit/alarm-email',
    'sent twice has one Message-ID',
  ),
  // The way out
  breaks(
    'src/kernel/egress/guard.ts',
    '(remoteAddress !== undefined && isPublic(remoteAddress))',
    'remoteAddress !== undefined',
    'unit/egress',
    'is noticed on the connection itself',
  ),
  breaks(
    'src/alarm/rule/rule-alarm.ts',
    'message: `${quoted(rule.name)}: ${explain(rule, fact)}`',
    'message: `${rule.name}: ${explain(rule, fact)}`',
    'unit/alarm-notice',
    'hold rule names, units and compared texts in quotations',
  ),
  breaks(
    'src/alarm/watch/reports.ts',
    'quoted(report.message, MAX_SAID)',
    'report.message',
    'api/mcp-resource-alarm',
    'is active while it fires, confirmed or not, and until it is confirmed where no rule watches it',
  ),
  breaks(
    'src/alarm/watch/outage.ts',
    'const name = quoted(entity.name);',
    'const { name } = entity;',
    'api/alarm',
    'is raised once for an outage, which its end and its confirmation close',
  ),
  breaks(
    'src/data/value/stored-value.ts',
    'if (issue) return quoted(issue, MAX_ISSUE);',
    'if (issue) return issue;',
    'unit/data-stored-value',
    'is a quotation where a driver or a device chose the words',
  ),
];
