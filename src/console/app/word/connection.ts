import { words } from './words.ts';

export const connectionWords = words({
  en: {
    title: 'Connection',
    none: 'There is no such connection.',
    about: 'About this connection',
    client: 'Client',
    acts: 'Acts for',
    for: { USER: 'a person', SERVICE_ACCOUNT: 'a service account', SYSTEM: 'the platform' },
    scopes: 'May',
    used: 'Last used',
    ends: 'Ends',
    revoked: 'Revoked',
    budgets: {
      title: 'Used in the last hour',
      what: 'Budget',
      used: 'Used',
      limit: 'Limit',
      ofAccount: 'Account, all connections',
      noLimit: 'none',
      free: 'free again',
      of: {
        calls: 'Calls',
        deviceReads: 'Reads from devices',
        proposals: 'Proposals',
        outputTokens: 'Tokens of answers',
      },
      change: 'Change the limits',
      hint: 'For each hour. Empty: no own limit; that of the account applies in any case.',
    },
    tools: {
      title: 'Tools that it may call',
      none: 'No tool is known.',
      risk: { LOW: 'low risk', MEDIUM: 'medium risk', HIGH: 'high risk' },
      save: 'Save the tools',
      undo: 'Undo',
    },
  },
  zh: {
    title: '连接',
    none: '没有此连接。',
    about: '连接信息',
    client: '客户端',
    acts: '代表',
    for: { USER: '个人', SERVICE_ACCOUNT: '服务账号', SYSTEM: '平台' },
    scopes: '可以',
    used: '最后使用',
    ends: '到期',
    revoked: '撤销时间',
    budgets: {
      title: '最近一小时的用量',
      what: '额度',
      used: '已用',
      limit: '上限',
      ofAccount: '账号（全部连接）',
      noLimit: '无',
      free: '恢复于',
      of: {
        calls: '调用',
        deviceReads: '设备读取',
        proposals: '提案',
        outputTokens: '回答的 token',
      },
      change: '修改上限',
      hint: '按小时计。留空表示没有单独的上限；账号的上限始终有效。',
    },
    tools: {
      title: '可调用的工具',
      none: '没有工具。',
      risk: { LOW: '低风险', MEDIUM: '中风险', HIGH: '高风险' },
      save: '保存工具',
      undo: '撤消',
    },
  },
});

export const connectWords = words({
  en: {
    title: 'Connect an agent',
    address: {
      title: 'Address',
      text: 'A client that can open a browser needs this address alone: it registers itself, and you log in and allow what it asks for.',
    },
    client: { title: 'The line for your client', text: 'Each in the place that the client reads.' },
    key: {
      title: 'A key for clients without a browser',
      text: 'It is sent as a bearer token. It can read and propose, never confirm.',
      make: 'Make a key',
    },
    call: {
      title: 'The last call',
      none: 'No agent has called yet. The first call appears here.',
      all: 'All calls and connections',
    },
  },
  zh: {
    title: '接入智能体',
    address: {
      title: '地址',
      text: '能打开浏览器的客户端只需此地址：它会自行注册，你登录并允许它请求的权限。',
    },
    client: { title: '各客户端的配置', text: '写入相应客户端读取的位置。' },
    key: {
      title: '用于无浏览器客户端的密钥',
      text: '以 Bearer 令牌发送。可以读取和提议，永远不能确认。',
      make: '创建密钥',
    },
    call: {
      title: '最近一次调用',
      none: '还没有智能体调用过。第一次调用会显示在这里。',
      all: '所有调用和连接',
    },
  },
});
