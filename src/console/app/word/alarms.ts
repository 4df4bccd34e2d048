import { words } from './words.ts';

export const alarmsWords = words({
  en: {
    title: 'Alarms',
    one: 'Alarm',
    state: 'State',
    tabs: { open: 'Open', recovered: 'Recovered', closed: 'Closed' },
    search: 'Device, point, rule or message',
    counts: (firing: number, unconfirmed: number) =>
      `${firing} firing, ${unconfirmed} recovered and not confirmed`,
    none: {
      open: 'Nothing fires and nothing waits for a confirmation.',
      recovered: 'No alarm has recovered without a confirmation.',
      closed: 'No alarm is closed yet.',
    },
    times: (n: number) => (n === 1 ? 'once' : `${n} times`),
    missed: (n: number) =>
      n === 1 ? '1 notification did not arrive' : `${n} notifications did not arrive`,
    confirm: 'Confirm',
    confirmedNow: (name: string) => `Confirmed: ${name}`,
    facts: {
      place: 'Where',
      margin: 'Beyond the limit by',
      recovery: 'Recovers at',
      since: 'Since',
      lasted: 'Lasted',
      week: 'In the last week',
    },
    around: 'Values around it',
    timeline: 'What happened',
    told: {
      title: 'Who was told',
      none: 'No channel is bound to its rule.',
      arrived: 'arrived',
      not: 'not arrived',
      event: { FIRED: 'that it fires', RECOVERED: 'that it recovered' },
    },
  },
  zh: {
    title: '告警',
    one: '告警',
    state: '状态',
    tabs: { open: '未处理', recovered: '已恢复', closed: '已关闭' },
    search: '设备、点位、规则或消息',
    counts: (firing, unconfirmed) => `${firing} 条触发中，${unconfirmed} 条已恢复但未确认`,
    none: {
      open: '没有触发中或等待确认的告警。',
      recovered: '没有已恢复但未确认的告警。',
      closed: '还没有已关闭的告警。',
    },
    times: (n) => `${n} 次`,
    missed: (n) => `${n} 条通知未送达`,
    confirm: '确认',
    confirmedNow: (name) => `已确认：${name}`,
    facts: {
      place: '位置',
      margin: '超限幅度',
      recovery: '恢复条件',
      since: '自',
      lasted: '持续',
      week: '最近一周',
    },
    around: '前后数值',
    timeline: '经过',
    told: {
      title: '通知情况',
      none: '规则没有绑定通知渠道。',
      arrived: '已送达',
      not: '未送达',
      event: { FIRED: '触发通知', RECOVERED: '恢复通知' },
    },
  },
});
