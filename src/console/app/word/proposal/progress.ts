import { words } from '../words.ts';

export const progressWords = words({
  en: {
    title: 'What happens',
    proposed: 'Proposed',
    decided: 'Decided',
    sent: 'Sent',
    answered: 'Answered',
    checked: 'Read back',
    is: {
      past: 'done',
      present: 'now',
      ahead: 'to come',
      stopped: 'ended here',
      unknown: 'not known',
      skipped: 'not done',
    },
    asked: 'Written value',
    readBack: 'Read back',
    before: 'Value before',
    error: 'Error',
  },
  zh: {
    title: '执行过程',
    proposed: '已提议',
    decided: '决定',
    sent: '发送',
    answered: '应答',
    checked: '回读',
    is: {
      past: '完成',
      present: '进行中',
      ahead: '尚未',
      stopped: '在此结束',
      unknown: '未知',
      skipped: '未进行',
    },
    asked: '写入值',
    readBack: '回读值',
    before: '之前的值',
    error: '错误',
  },
});
