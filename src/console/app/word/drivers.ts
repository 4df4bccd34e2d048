import { words } from './words.ts';

export const driversWords = words({
  en: {
    lead: 'A driver connects devices of one protocol. It registers itself when it starts.',
    none: 'No driver has registered yet.',
    next: 'The embedded platform starts its own; others are started beside it.',
    types: {
      DRIVER_CLIENT: 'asks devices',
      DRIVER_SERVER: 'devices connect to it',
      GATEWAY: 'gateway',
      CONNECT: 'connector',
    },
    settings: 'Settings',
    settingsOf: (name: string) => `Settings of ${name}`,
    of: {
      driver: 'Of each device',
      point: 'Of each point',
      command: 'Of each command',
      event: 'Of each event',
    },
    noSettings: 'None.',
    type: 'Type',
    default: 'Default value',
    enabledHint: 'Disabled, its devices are neither read nor written, and no outage is raised.',
    deleteAsk: (name: string) => `Delete the driver ${name}?`,
    deleteMeans:
      'A driver with devices cannot be deleted. One that still runs registers itself again.',
  },
  zh: {
    lead: '驱动连接同一协议的设备，启动时自行注册。',
    none: '还没有驱动注册。',
    next: '内置平台会启动自带的驱动；其他驱动在旁启动。',
    types: {
      DRIVER_CLIENT: '主动询问设备',
      DRIVER_SERVER: '由设备连接',
      GATEWAY: '网关',
      CONNECT: '连接器',
    },
    settings: '设置项',
    settingsOf: (name) => `${name} 的设置项`,
    of: { driver: '每台设备', point: '每个点位', command: '每个命令', event: '每个事件' },
    noSettings: '无。',
    type: '类型',
    default: '默认值',
    enabledHint: '停用后其设备既不读也不写，也不会产生离线告警。',
    deleteAsk: (name) => `删除驱动 ${name}？`,
    deleteMeans: '仍有设备的驱动无法删除。仍在运行的驱动会再次注册。',
  },
});
