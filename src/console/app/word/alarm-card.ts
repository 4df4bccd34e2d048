import { words } from './words.ts';

export const alarmCardWords = words({
  en: {
    title: {
      ADD_RULE: 'New alarm rule',
      CHANGE_RULE: 'Change of an alarm rule',
      SILENCE: 'Silence of an alarm',
      CONFIRM: 'Confirmation of alarms',
    },
    rule: 'Rule',
    watches: 'Watches',
    every: 'everything of its kind',
    now: 'Now',
    proposed: 'Proposed',
    instruction: 'What to do',
    tried: 'Alarms in the last 7 days',
    counts: (before: number | null, after: number) =>
      before === null ? `${after} with it` : `${before} before, ${after} after`,
    on: (values: number, devices: number) => `tried on ${values} values of ${devices} devices`,
    cut: 'Not all values could be looked at.',
    untried: 'It could not be tried on stored values.',
    warnings: {
      TEXT: 'The point has texts: only those that are numbers are compared.',
      EVERY: 'Every value meets the condition.',
    },
    alarm: 'Alarm',
    place: 'Where',
    hours: 'For',
    length: (hours: number) => `${hours} h, from the confirmation`,
    silences: 'Nobody is notified of its rule at this place. Alarms go on.',
    alarms: (n: number) => (n === 1 ? '1 alarm' : `${n} alarms`),
  },
  zh: {
    title: {
      ADD_RULE: '新告警规则',
      CHANGE_RULE: '修改告警规则',
      SILENCE: '静默告警',
      CONFIRM: '确认告警',
    },
    rule: '规则',
    watches: '监视对象',
    every: '该类的全部对象',
    now: '当前',
    proposed: '提议',
    instruction: '处理方法',
    tried: '最近 7 天的告警',
    counts: (before, after) =>
      before === null ? `采用后 ${after} 条` : `原为 ${before} 条，改后 ${after} 条`,
    on: (values, devices) => `基于 ${devices} 台设备的 ${values} 个数值试算`,
    cut: '未能查看全部数值。',
    untried: '无法用已存数值试算。',
    warnings: {
      TEXT: '该点位为文本：只比较其中的数字。',
      EVERY: '每个数值都满足条件。',
    },
    alarm: '告警',
    place: '位置',
    hours: '时长',
    length: (hours) => `${hours} 小时，自确认起`,
    silences: '在此处不再通知该规则的告警，告警照常产生。',
    alarms: (n) => `${n} 条告警`,
  },
});
