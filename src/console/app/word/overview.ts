import { words } from './words.ts';

export const overviewWords = words({
  en: {
    title: 'Overview',
    devices: 'Devices online',
    drivers: 'Drivers online',
    of: (online: number, total: number) => `${online} of ${total}`,
  },
  zh: {
    title: '总览',
    devices: '在线设备',
    drivers: '在线驱动',
    of: (online, total) => `${online} / ${total}`,
  },
});
