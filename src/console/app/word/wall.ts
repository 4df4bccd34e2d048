import { words } from './words.ts';

export const wallWords = words({
  en: {
    unknown: 'not known',
    asOf: 'As of',
    offline: 'Devices offline',
    noneOffline: 'No device is offline.',
    nothing: 'Nothing is known yet: the platform has not answered.',
    stale: (at: string) => `Not renewed since ${at}: what is displayed may have changed.`,
    part: (n: number, of: number) => `${n} of ${of}`,
    ends: 'The login of this screen ends',
    soon: (at: string) =>
      `The login of this screen ends at ${at}. Log out and in again before then to keep it.`,
    dark: 'This browser may switch the screen off.',
    leave: 'Leave the wall',
  },
  zh: {
    unknown: '未知',
    asOf: '截至',
    offline: '离线设备',
    noneOffline: '没有离线的设备。',
    nothing: '尚无信息：平台还没有应答。',
    stale: (at) => `自 ${at} 起未更新：显示的内容可能已变化。`,
    part: (n, of) => `${n} / ${of}`,
    ends: '此屏幕的登录将结束于',
    soon: (at) => `此屏幕的登录将于 ${at} 结束。请在此之前退出并重新登录，以保持显示。`,
    dark: '此浏览器可能会关闭屏幕。',
    leave: '离开大屏',
  },
});
