import { words } from './words.ts';

export const proposalsWords = words({
  en: {
    waits: (n: number) => (n === 1 ? '1 waits for a decision' : `${n} wait for a decision`),
    most: (n: number) => `The oldest ${n} are shown.`,
    pending: {
      title: 'Waits for a decision',
      none: 'No proposal waits.',
      next: 'What agents propose is shown here until a person decides.',
    },
    decided: {
      title: 'Decided',
      none: 'No proposal was decided yet.',
      noneFound: 'No decided proposal is like this.',
    },
    status: 'Outcome',
    all: 'All',
    mine: 'Only what I proposed',
    allDevices: 'Show all devices',
    ends: 'ends',
    by: 'Proposed by',
    decidedBy: 'decided by',
    beforehand: 'standing approval',
    more: (n: number) => `and ${n} more`,
    becomes: 'becomes',
    notKnown: 'not known',
  },
  zh: {
    waits: (n) => `${n} 项等待决定`,
    most: (n) => `显示最早的 ${n} 项。`,
    pending: {
      title: '等待决定',
      none: '没有等待中的提议。',
      next: '智能体的提议会显示在这里，直到有人作出决定。',
    },
    decided: {
      title: '已决定',
      none: '还没有已决定的提议。',
      noneFound: '没有符合条件的已决定提议。',
    },
    status: '结果',
    all: '全部',
    mine: '仅我提出的',
    allDevices: '显示所有设备',
    ends: '截止：',
    by: '提议者：',
    decidedBy: '决定者：',
    beforehand: '预先批准',
    more: (n) => `另有 ${n} 项`,
    becomes: '变为',
    notKnown: '未知',
  },
});
