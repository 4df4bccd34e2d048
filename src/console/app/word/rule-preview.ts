import { words } from './words.ts';

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
const changes = (n: number): string =>
  n === 1 ? '1 change or report' : `${n} changes and reports`;

export const rulePreviewWords = words({
  en: {
    title: 'On what is stored',
    lead: 'The same decisions that raise alarms, tried on what is stored of this span. Nothing is raised.',
    span: 'Span',
    spans: { 1: '24 hours', 7: '7 days', 31: '31 days' },
    last: (span: string) => `the last ${span}`,
    scope: 'Tried on',
    all: 'All devices that it watches',
    incomplete: 'As soon as the condition is whole, this shows what it would have raised.',
    would: (n: number, span: string) =>
      n === 0
        ? `It would not have fired in ${span}.`
        : n === 1
          ? `It would have fired once in ${span}.`
          : `It would have fired ${n} times in ${span}.`,
    part: 'the part that was looked at',
    did: (n: number) =>
      n === 0
        ? 'The stored rule did not fire.'
        : n === 1
          ? 'The stored rule fired once.'
          : `The stored rule fired ${n === 1_000 ? 'at least 1000' : n} times.`,
    changed: 'It was last changed',
    worst: (n: number) => `The worst ten minutes have ${n} alarms, from`,
    holds: (length: string, n: number) =>
      `Held for ${length}: ${n === 1 ? '1 alarm' : `${n} alarms`}.`,
    enterHold: 'Enter the hold time',
    recovers: (operator: string, n: number) =>
      `${n === 1 ? '1 alarm' : `${n} alarms`}, if over only at ${operator}`,
    enterRecovery: 'Enter the recovery',
    noValues: 'No value is stored in this span: nothing can be said.',
    looked: {
      POINT: (values: number, devices: number) =>
        `${counted(values, 'value')} of ${counted(devices, 'device')} were looked at.`,
      DEVICE: (values: number, devices: number) =>
        `${changes(values)} of ${counted(devices, 'device')} were looked at.`,
      DRIVER: (values: number, devices: number) =>
        `${changes(values)} of ${counted(devices, 'driver')} were looked at.`,
      EVENT: (values: number, devices: number) =>
        `${counted(values, 'event')} of ${counted(devices, 'device')} were looked at.`,
    },
    cut: {
      DEVICES: 'There are more devices: only the first 20 were looked at.',
      POINTS: 'There are more points: only the first 200 were looked at.',
      VALUES: 'There is too much of it: only the newest was looked at, from',
      TIME: 'It took too long: not everything was looked at. Choose one device or a shorter span.',
    },
    unknown: {
      OUTAGES: 'Outages without an alarm are not stored, and rules do not see them.',
      FIELDS: 'The name, message or driver that it compares is not stored as it was.',
      DELETED: 'Older records are deleted by their retention class: it begins at',
      CONFIRMED: 'Only a confirmation ends its alarms: one goes on until the end of the span.',
    },
    matches: (n: number) => `matched ${n} times`,
    series: (point: string, device: string) => `${point} of ${device}, with the limit`,
    after: 'With what is entered',
    before: 'What the stored rule raised',
    none: 'No alarm.',
    extreme: 'extreme',
    still: 'not over within the span',
    lasted: (time: string) => `lasted ${time}`,
    show: (n: number) => `Show ${n}`,
    fewer: 'Show fewer',
    more: (n: number) => `The newest 50 of ${n} are shown.`,
  },
  zh: {
    title: '用已存储的内容试算',
    lead: '使用与产生告警相同的判断，作用于此时间段的存储内容。不会产生告警。',
    span: '时间段',
    spans: { 1: '24 小时', 7: '7 天', 31: '31 天' },
    last: (span) => `最近 ${span}`,
    scope: '试算范围',
    all: '其监视的所有设备',
    incomplete: '条件填写完整后，这里会显示它会产生的告警。',
    would: (n, span) => (n === 0 ? `${span}内不会触发。` : `${span}内会触发 ${n} 次。`),
    part: '查看的部分',
    did: (n) =>
      n === 0
        ? '已存储的规则没有触发。'
        : `已存储的规则触发了${n === 1_000 ? '至少 ' : ' '}${n} 次。`,
    changed: '上次修改',
    worst: (n) => `最多的十分钟内有 ${n} 条告警，起始于`,
    holds: (length, n) => `持续 ${length} 才触发：${n} 条告警。`,
    enterHold: '填入持续时间',
    recovers: (operator, n) => `${n} 条告警，若恢复条件为 ${operator}`,
    enterRecovery: '填入恢复条件',
    noValues: '此时间段没有存储的数值，无法判断。',
    looked: {
      POINT: (values, devices) => `查看了 ${devices} 台设备的 ${values} 个数值。`,
      DEVICE: (values, devices) => `查看了 ${devices} 台设备的 ${values} 次状态变化与上报。`,
      DRIVER: (values, devices) => `查看了 ${devices} 个驱动的 ${values} 次状态变化与上报。`,
      EVENT: (values, devices) => `查看了 ${devices} 台设备的 ${values} 个事件。`,
    },
    cut: {
      DEVICES: '设备过多：只查看了前 20 台。',
      POINTS: '点位过多：只查看了前 200 个。',
      VALUES: '内容过多：只查看了最新的，起始于',
      TIME: '耗时过长：未全部查看。请选择单台设备或更短的时间段。',
    },
    unknown: {
      OUTAGES: '没有告警的离线未被存储，规则也看不到。',
      FIELDS: '所比较的名称、消息或驱动未按当时的内容存储。',
      DELETED: '更早的记录已按保留类别删除，起始于',
      CONFIRMED: '其告警只由人员确认结束：会持续到时间段末尾。',
    },
    matches: (n) => `匹配 ${n} 次`,
    series: (point, device) => `${device}的${point}及限值`,
    after: '按当前填写',
    before: '已存储规则产生的告警',
    none: '没有告警。',
    extreme: '极值',
    still: '在时间段内未结束',
    lasted: (time) => `持续 ${time}`,
    show: (n) => `显示 ${n} 条`,
    fewer: '收起',
    more: (n) => `共 ${n} 条，显示最新 50 条。`,
  },
});
