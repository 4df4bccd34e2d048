import { words } from './words.ts';

export const timeWords = words({
  en: {
    now: 'now',
    seconds: (n: number) => `${n} s ago`,
    minutes: (n: number) => `${n} min ago`,
    hours: (n: number) => `${n} h ago`,
    days: (n: number) => `${n} d ago`,
    in: (length: string) => `in ${length}`,
    s: (n: number) => `${n} s`,
    min: (n: number) => `${n} min`,
    h: (n: number) => `${n} h`,
    d: (n: number) => `${n} d`,
    never: 'never',
    plant: (time: string) => `plant ${time}`,
  },
  zh: {
    now: '刚刚',
    seconds: (n) => `${n} 秒前`,
    minutes: (n) => `${n} 分钟前`,
    hours: (n) => `${n} 小时前`,
    days: (n) => `${n} 天前`,
    in: (length) => `${length}后`,
    s: (n) => `${n} 秒`,
    min: (n) => `${n} 分钟`,
    h: (n) => `${n} 小时`,
    d: (n) => `${n} 天`,
    never: '从未',
    plant: (time) => `现场 ${time}`,
  },
});
