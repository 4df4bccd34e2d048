import { words } from './words.ts';

export const changesWords = words({
  en: {
    span: 'Since',
    spans: { all: 'the beginning', day: '24 hours ago', week: '7 days ago', month: '30 days ago' },
    allDevices: 'All devices',
    none: 'Nothing was changed in this time.',
    platform: 'the platform',
    proposal: 'Look at the proposal',
    nothing: 'none',
    kind: { configuration: 'configured', decision: 'decided', write: 'written' },
    doors: {
      login: 'with a login',
      oauth: 'through an MCP client',
      key: 'with a key',
      model: 'through the chat',
      action: 'by a confirmed proposal',
      system: 'by itself',
    },
  },
  zh: {
    span: '起始',
    spans: { all: '最初', day: '24 小时前', week: '7 天前', month: '30 天前' },
    allDevices: '所有设备',
    none: '这段时间没有变更。',
    platform: '平台',
    proposal: '查看提议',
    nothing: '无',
    kind: { configuration: '配置', decision: '决定', write: '写入' },
    doors: {
      login: '通过登录',
      oauth: '通过 MCP 客户端',
      key: '通过密钥',
      model: '通过对话',
      action: '由已确认的提议',
      system: '自动',
    },
  },
});
