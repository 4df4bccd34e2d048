import { words } from './words.ts';

export const settingsWords = words({
  en: {
    title: 'Settings',
    parts: 'Parts of the settings',
    own: 'Yours',
    screens: 'These screens',
    password: {
      title: 'Your password',
      old: 'Present password',
      fresh: 'New password',
      go: 'Change it',
      means: 'Your other logins end; keys go on.',
      done: 'The password is changed.',
    },
  },
  zh: {
    title: '设置',
    parts: '设置的各部分',
    own: '个人',
    screens: '界面',
    password: {
      title: '你的密码',
      old: '当前密码',
      fresh: '新密码',
      go: '修改',
      means: '你的其他登录将结束；密钥继续有效。',
      done: '密码已修改。',
    },
  },
});
