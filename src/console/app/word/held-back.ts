import { words } from './words.ts';

/** Why a channel does not get a message now, by the code of the service. */
export const heldBackWords = words({
  en: {
    SILENCE: 'its policy is silent now',
    QUIET_HOURS: 'it has quiet hours now',
    MAINTENANCE: 'its place is in maintenance',
    SILENCED: 'a person silenced the rule there',
    RATE_LIMIT: 'its policy limits the rate',
    TOO_MUCH: 'too many notifications wait for it',
    GROUPING: 'its policy sends alarms together',
    DIGEST: 'its policy sends them at certain times',
    FLOOD: 'it got many messages, and gets the others as one',
  },
  zh: {
    SILENCE: '其策略当前处于静默时段',
    QUIET_HOURS: '当前处于其免打扰时段',
    MAINTENANCE: '所在位置正在维护',
    SILENCED: '有人已静默该处的规则',
    RATE_LIMIT: '其策略限制了发送频率',
    TOO_MUCH: '等待发送的通知过多',
    GROUPING: '其策略将告警合并发送',
    DIGEST: '其策略在固定时间发送',
    FLOOD: '消息过多，其余合并为一条发送',
  },
});
