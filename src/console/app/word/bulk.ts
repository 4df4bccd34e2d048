import { words } from './words.ts';

const devices = (n: number): string => (n === 1 ? '1 device' : `${n.toLocaleString('en')} devices`);
const zhDevices = (n: number): string => `${n.toLocaleString('zh')} 台设备`;

export const bulkWords = words({
  en: {
    choose: 'Choose',
    chooseThis: (name: string) => `Choose ${name}`,
    chosen: (n: number) => `${n.toLocaleString('en')} chosen`,
    all: (n: number) => `Choose all ${n.toLocaleString('en')} of the list`,
    clear: 'Choose none',
    what: {
      group: 'Put into a group',
      label: 'Give a label',
      enable: 'Enable',
      disable: 'Disable',
      remove: 'Delete',
    },
    title: {
      group: (n: number) => `Put ${devices(n)} into a group`,
      label: (n: number) => `Give a label to ${devices(n)}`,
      enable: (n: number) => `Enable ${devices(n)}?`,
      disable: (n: number) => `Disable ${devices(n)}?`,
      remove: (n: number) => `Delete ${devices(n)}?`,
    },
    means: {
      group: 'A device is in one group at most: it leaves the one that it is in.',
      label: 'The labels that a device has stay.',
      enable: 'Their drivers serve them again.',
      disable:
        'Their drivers serve them no more: no new values and no commands. What is stored stays.',
      remove:
        'Their settings, places in groups, labels, status and latest values go with them, and cannot be brought back.',
    },
    group: 'Group',
    noGroup: 'In no group',
    label: 'Label',
    none: 'There is none yet:',
    progress: 'Progress',
    running: (done: number, of: number) => `${done} of ${of}`,
    ended: (done: number, of: number) => `Done with ${done} of ${of}`,
    stop: 'Stop',
    stopped: 'It was stopped. What was done stays.',
    unknown:
      'The connection was lost. Of up to four devices it is not known whether they were changed.',
    refused: (n: number) => (n === 1 ? '1 device refused' : `${n} devices refused`),
  },
  zh: {
    choose: '选择',
    chooseThis: (name) => `选择 ${name}`,
    chosen: (n) => `已选 ${n.toLocaleString('zh')} 台`,
    all: (n) => `选择列表中全部 ${n.toLocaleString('zh')} 台`,
    clear: '取消选择',
    what: { group: '放入分组', label: '添加标签', enable: '启用', disable: '停用', remove: '删除' },
    title: {
      group: (n) => `将 ${zhDevices(n)}放入分组`,
      label: (n) => `为 ${zhDevices(n)}添加标签`,
      enable: (n) => `启用 ${zhDevices(n)}？`,
      disable: (n) => `停用 ${zhDevices(n)}？`,
      remove: (n) => `删除 ${zhDevices(n)}？`,
    },
    means: {
      group: '每台设备最多属于一个分组：会离开原来的分组。',
      label: '设备已有的标签保留。',
      enable: '驱动将重新为其服务。',
      disable: '驱动将不再为其服务：没有新数值，也没有命令。已存储的内容保留。',
      remove: '其设置、分组、标签、状态及最新数值将一并删除，无法恢复。',
    },
    group: '分组',
    noGroup: '不在任何分组',
    label: '标签',
    none: '还没有：',
    progress: '进度',
    running: (done, of) => `${done} / ${of}`,
    ended: (done, of) => `已完成 ${done} / ${of}`,
    stop: '停止',
    stopped: '已停止。已完成的保留。',
    unknown: '连接中断。最多四台设备是否已更改无法确定。',
    refused: (n) => `${n} 台设备拒绝`,
  },
});
