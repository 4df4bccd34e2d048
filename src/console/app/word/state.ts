import { words } from './words.ts';

export const stateWords = words({
  en: {
    device: { online: 'online', offline: 'offline', unknown: 'not known' },
    quality: { GOOD: 'good', UNCERTAIN: 'uncertain', BAD: 'bad' },
    value: { none: 'no value yet', stale: 'old', fresh: 'fresh' },
    level: { P0: 'critical', P1: 'high', P2: 'medium', P3: 'low' },
    alarm: { firing: 'firing', confirmed: 'confirmed', recovered: 'recovered', closed: 'closed' },
    action: {
      PENDING: 'waits for a decision',
      PARTIALLY_CONFIRMED: 'waits for a second person',
      CONFIRMED: 'confirmed, under way',
      REJECTED: 'rejected',
      EXECUTED: 'done',
      FAILED: 'not done',
      EXPIRED: 'expired',
      WITHDRAWN: 'withdrawn',
      UNKNOWN: 'not known whether it happened',
      MISMATCH: 'the device holds another value',
    },
    link: {
      off: 'paused',
      opening: 'connecting',
      live: 'live',
      away: 'no connection: shown as last heard',
    },
  },
  zh: {
    device: { online: '在线', offline: '离线', unknown: '未知' },
    quality: { GOOD: '良好', UNCERTAIN: '存疑', BAD: '不良' },
    value: { none: '尚无数值', stale: '过时', fresh: '最新' },
    level: { P0: '危急', P1: '高', P2: '中', P3: '低' },
    alarm: { firing: '触发中', confirmed: '已确认', recovered: '已恢复', closed: '已关闭' },
    action: {
      PENDING: '等待决定',
      PARTIALLY_CONFIRMED: '等待第二人确认',
      CONFIRMED: '已确认，执行中',
      REJECTED: '已拒绝',
      EXECUTED: '已完成',
      FAILED: '未执行',
      EXPIRED: '已过期',
      WITHDRAWN: '已撤回',
      UNKNOWN: '不确定是否已执行',
      MISMATCH: '设备保持了其他数值',
    },
    link: { off: '已暂停', opening: '连接中', live: '实时', away: '连接中断：显示最后收到的内容' },
  },
});
