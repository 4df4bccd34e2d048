import { words } from './words.ts';

export const drillWords = words({
  en: {
    title: { rule: 'If it fired at this time', device: 'If it were away at this time' },
    ask: 'Show the channels',
    lead: 'Which channels would get the alarm if no person confirms it, as policies and rotas are now. Nothing is sent.',
    at: 'Time',
    away: 'Receivers that are away',
    none: 'No channel would get it.',
    sent: (channel: string, isReminder: boolean) => (isReminder ? `${channel}, reminder` : channel),
    notTaken: 'its receiver does not take it',
    waited: {
      GROUPING: 'it waited for alarms that begin with it',
      DIGEST: 'it waited for the digest',
      FLOOD: 'it waited because of the messages before',
    },
    waits: (channel: string, why: string) =>
      `${channel} does not know of it after 12 hours: ${why}`,
    answered: (channel: string, percent: number, count: number) =>
      `${channel} took ${percent} % of ${count === 1 ? '1 message' : `${count} messages`} in 30 days`,
  },
  zh: {
    title: { rule: '如果它触发于', device: '如果它离线于' },
    ask: '显示渠道',
    lead: '按当前策略和值班表，若无人确认，哪些渠道会收到告警。不会发送任何内容。',
    at: '时间',
    away: '无法送达的接收方',
    none: '没有渠道会收到。',
    sent: (channel, isReminder) => (isReminder ? `${channel}，提醒` : channel),
    notTaken: '接收方未收取',
    waited: {
      GROUPING: '等待与同时开始的告警合并发送',
      DIGEST: '等待汇总发送',
      FLOOD: '因此前消息过多而等待',
    },
    waits: (channel, why) => `12 小时后 ${channel} 仍不知道：${why}`,
    answered: (channel, percent, count) =>
      `${channel} 在 30 天内收取了 ${count} 条消息的 ${percent}%`,
  },
});
