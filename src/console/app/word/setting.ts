import { words } from './words.ts';

export const settingWords = words({
  en: {
    required: 'The driver requires it.',
    range: (min: number | null, max: number | null) =>
      min === null
        ? `It must be at most ${max}.`
        : max === null
          ? `It must be at least ${min}.`
          : `It must be ${min} to ${max}.`,
    missing: 'Not ready yet:',
  },
  zh: {
    required: '驱动需要此项。',
    range: (min, max) =>
      min === null
        ? `不得大于 ${max}。`
        : max === null
          ? `不得小于 ${min}。`
          : `须在 ${min} 至 ${max} 之间。`,
    missing: '尚缺：',
  },
});
