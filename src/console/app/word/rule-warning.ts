import { words } from './words.ts';

/** Why a rule may not do what is meant, by code. */
export const ruleWarningWords = words({
  en: {
    TEXT: 'The point has texts: only those that are numbers are compared.',
    EVERY: 'Every value meets the condition.',
    NO_NUMBER: 'No value that was looked at is a number that it compares.',
    NEVER: 'It can never do what it says since what it watches was changed.',
    NOTHING: 'Nothing that it watches is there and enabled.',
    LIMITS:
      'Rules name more than 100,000 limits of devices: some devices are judged by the threshold.',
    PLACES: 'Rules choose more than 100,000 places: some devices are not watched.',
    PEERS:
      'It compares more than 1,000 devices, or takes more than 100 together: those with the highest ids are not judged.',
    SPARSE:
      'Values are farther apart than the time for which the condition must hold: one is enough. A longest gap asks for more.',
  },
  zh: {
    TEXT: '该点位的数值是文本：只比较其中的数字。',
    EVERY: '每个数值都符合此条件。',
    NO_NUMBER: '查看的数值中没有可比较的数字。',
    NEVER: '其监视的对象已更改，条件永远无法成立。',
    NOTHING: '其监视的对象都不存在或未启用。',
    LIMITS: '规则引用的设备限值超过 100,000 个：部分设备按阈值判断。',
    PLACES: '规则选择的位置超过 100,000 个：部分设备未被监视。',
    PEERS: '比较的设备超过 1,000 台，或合并判断的设备超过 100 台：编号最大的设备未被判断。',
    SPARSE: '数值的间隔比条件须持续的时间更长：一个数值即足够。可设置最长间隔。',
  },
});
