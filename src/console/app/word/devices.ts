import type { Schemas } from '../client/operations.ts';
import { words } from './words.ts';

export const devicesWords = words({
  en: {
    import: 'Import',
    export: 'Export devices',
    exportText: 'The devices of one driver and one profile, as a table (CSV) that can be imported.',
    exportGo: 'Save as CSV',
    manage: {
      enable: 'Enable',
      disable: 'Disable',
      disableAsk: (name: string) => `Disable ${name}?`,
      disableMeans:
        'Its driver serves it no more: no new values and no commands. What is stored stays.',
      removeAsk: (name: string) => `Delete ${name}?`,
      removeMeans:
        'Its settings, its place in groups and its labels, its status and its latest values go with it, and cannot be brought back. The profile and its points stay.',
      gone: (name: string) => `${name} is deleted.`,
    },
    toAll: 'To all devices',
    total: (n: number) => (n === 1 ? '1 device' : `${n.toLocaleString('en')} devices`),
    search: 'Name',
    group: 'Group',
    label: 'Label',
    profile: 'Profile',
    driver: 'Driver',
    choose: 'Choose',
    situation: 'Connection',
    situations: {
      online: 'online',
      offline: 'offline',
      'never connected': 'never connected',
      unknown: 'nothing heard yet',
    },
    all: 'All',
    none: 'There is no device yet.',
    noneFound: 'No device is as you ask.',
    away: 'Why it is not online',
    since: 'Since',
    report: 'Last report',
    facts: {
      title: 'About this device',
      code: 'Code',
      driver: 'Driver',
      profile: 'Profile',
      remark: 'Remark',
      made: 'Added',
    },
    points: {
      title: 'Points',
      none: 'The profile of this device has no points.',
      point: 'Point',
      value: 'Value',
      age: 'Measured',
      write: 'Write',
      favourite: (name: string) => `Show ${name} on the overview`,
      why: 'Why',
    },
    commands: {
      title: 'Last commands',
      none: 'Nothing was read or written on demand yet.',
    },
    write: {
      title: (name: string) => `Write ${name}`,
      value: 'New value',
      limits: 'Limits',
      now: 'Now',
      go: 'Write',
      sends: (value: string) => `The comma is read as a decimal point: ${value}`,
    },
    outcome: {
      UNDERWAY: 'under way',
      EXECUTED: 'done',
      MISMATCH: 'the device holds another value',
      FAILED: 'not done',
      UNKNOWN: 'not known whether it happened',
    },
  },
  zh: {
    import: '导入',
    export: '导出设备',
    exportText: '同一驱动和同一模板的设备，保存为可导入的表格（CSV）。',
    exportGo: '保存为 CSV',
    manage: {
      enable: '启用',
      disable: '停用',
      disableAsk: (name) => `停用 ${name}？`,
      disableMeans: '驱动将不再为其服务：没有新数值，也没有命令。已存储的内容保留。',
      removeAsk: (name) => `删除 ${name}？`,
      removeMeans: '其设置、分组和标签、状态及最新数值将一并删除，无法恢复。模板及其点位保留。',
      gone: (name) => `${name} 已删除。`,
    },
    toAll: '前往所有设备',
    total: (n) => `${n.toLocaleString('zh')} 台设备`,
    search: '名称',
    group: '分组',
    label: '标签',
    profile: '模板',
    driver: '驱动',
    choose: '选择',
    situation: '连接',
    situations: {
      online: '在线',
      offline: '离线',
      'never connected': '从未连接',
      unknown: '尚无消息',
    },
    all: '全部',
    none: '还没有设备。',
    noneFound: '没有符合条件的设备。',
    away: '不在线的原因',
    since: '自',
    report: '最后报告',
    facts: {
      title: '设备信息',
      code: '编码',
      driver: '驱动',
      profile: '模板',
      remark: '备注',
      made: '添加时间',
    },
    points: {
      title: '点位',
      none: '该设备的模板没有点位。',
      point: '点位',
      value: '数值',
      age: '测量时间',
      write: '写入',
      favourite: (name) => `在总览中显示 ${name}`,
      why: '原因',
    },
    commands: { title: '最近命令', none: '还没有按需读取或写入。' },
    write: {
      title: (name) => `写入 ${name}`,
      value: '新值',
      limits: '限值',
      now: '当前',
      go: '写入',
      sends: (value) => `逗号视为小数点：${value}`,
    },
    outcome: {
      UNDERWAY: '执行中',
      EXECUTED: '已完成',
      MISMATCH: '设备保持了其他数值',
      FAILED: '未执行',
      UNKNOWN: '不确定是否已执行',
    },
  },
});

type Cause = Schemas['Why']['cause'];
type Given = Pick<Schemas['Why'], 'said' | 'ageS' | 'expectedIntervalS'> & {
  /** The time of the cause, in the person's zone. */
  at: string | null;
};

const said = ({ said: text }: Given): string => (text === null ? '' : `（“${text}”）`);
const since = ({ at }: Given): string => (at === null ? '' : `自 ${at} 起`);

/** The server says its sentence in English; this is what it says. */
const zh: Readonly<Record<Cause, (why: Given) => string>> = {
  ARRIVING: ({ ageS }) => `数值正常到达，最新数值为 ${ageS ?? 0} 秒前`,
  DEVICE_DISABLED: () => '设备已停用；请启用',
  PROFILE_DISABLED: () => '设备的模板已停用；请启用',
  DRIVER_DISABLED: () => '设备的驱动已停用；请启用',
  POINT_DISABLED: () => '点位已停用；请启用',
  WRITE_ONLY: () => '点位为只写；若设备可读，请修改其读写方式',
  NOTHING_RECEIVED: (why) => `平台${since(why)}未收到任何驱动的消息；请检查消息总线`,
  DRIVER_UNDECLARED: () => '没有程序以该驱动的编码注册；请启动驱动，或为设备更换驱动',
  DRIVER_GONE: (why) => `${since(why)}没有该驱动节点的消息；请启动节点，或检查其与消息总线的连接`,
  NOT_REPORTED: (why) => `驱动在运行，但${since(why)}尚未报告该设备；45 秒后仍无报告请查看驱动日志`,
  NODE_GONE: (why) => `服务该设备的驱动节点${since(why)}没有消息；请重启节点，或让设备重新注册`,
  OTHER_ENDPOINT: ({ said: name }) =>
    `设备未注册，但“${name ?? ''}”以其密钥前来并被拒绝，可能是同一设备使用了其他名称；请认领该端点，或在设备上更正`,
  NEVER_CONNECTED: (why) => `设备从未连接${said(why)}；请检查其电源、网络、服务器地址和端点名称`,
  OFFLINE: (why) => `设备${since(why)}离线${said(why)}；请检查其电源、网络和服务器地址`,
  ASLEEP: (why) => `设备休眠至下次上报${said(why)}，届时读取；请等待，或让其更频繁地上报`,
  UNANSWERED: (why) => `设备在线，但最近一次读取失败${said(why)}；请检查其网络，以及是否休眠`,
  VALUE_DUE: ({ at }) => `设备在线，尚无数值；请等待至 ${at ?? ''}`,
  NOT_READ: (why) => `设备在线，但${since(why)}未读到该点位；请立即读取，查看设备的应答`,
  OVERDUE: ({ expectedIntervalS }) =>
    `数值已逾期：应每 ${expectedIntervalS} 秒一个；请立即读取，查看设备的应答`,
  REFUSED: (why) => `设备拒绝读取${said(why)}；请检查点位的路径，以及服务器在设备上的权限`,
  FORMAT: (why) => `无法理解设备的应答${said(why)}；请检查点位的类型和路径`,
  NO_VALUE: (why) => `驱动未取得该点位的数值${said(why)}；请检查点位的属性`,
  SCALING: (why) => `设备的应答不是该类型的数值${said(why)}；请检查点位的类型和路径`,
  UNFIT: (why) => `设备的应答不适合该类型${said(why)}；请检查点位的类型和换算`,
  MARKED_BAD: (why) => `驱动将数值标记为不良${said(why)}；请检查点位的类型和换算`,
  DOUBT: (why) => `数值存疑${said(why)}；请查看设备的告警`,
  TIME_AHEAD: () => '设备时间超前，数值采用接收时间；请校准设备时钟',
  RANGE: () => '数值正常到达，但超出点位的范围；请检查点位的换算和范围',
};

export const noDataWords = words({
  en: {
    ask: 'Why no data?',
    askOf: (name: string) => `Why has ${name} no data?`,
    sentence: (english: string, _cause?: Cause, _given?: Given) => english,
  },
  zh: {
    ask: '为何没有数据？',
    askOf: (name) => `${name} 为何没有数据？`,
    sentence: (english, cause, given) => (cause && given ? zh[cause]?.(given) : null) ?? english,
  },
});
