import { words } from './words.ts';

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
