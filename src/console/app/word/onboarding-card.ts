import { words } from './words.ts';

export const onboardingCardWords = words({
  en: {
    title: 'Onboarding',
    endpoint: 'Endpoint',
    device: 'Device',
    fresh: 'new',
    driver: 'Driver',
    profile: 'Profile',
    noProfile: 'new, without points',
    group: 'Group',
    groupBefore: 'Group that it leaves',
    before: 'Refused from then on',
    proof: 'Proof',
    proofs: {
      KEY: 'the key of the device',
      NONE: 'none: the platform gave it to this tenant',
    },
    undo: 'There is no undo: a person deletes the device, or sets another endpoint.',
    waiting: 'Waiting endpoints',
  },
  zh: {
    title: '设备接入',
    endpoint: '端点',
    device: '设备',
    fresh: '新',
    driver: '驱动',
    profile: '模板',
    noProfile: '新建，无点位',
    group: '分组',
    groupBefore: '离开的分组',
    before: '此后被拒绝',
    proof: '证明',
    proofs: { KEY: '该设备的密钥', NONE: '无：由平台分配给本租户' },
    undo: '无法撤销：只能由人员删除设备或设置其他端点。',
    waiting: '等待的端点',
  },
});
